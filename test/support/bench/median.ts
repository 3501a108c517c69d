/**
 * Returns the median time of one call, in ms, after `repetitions / 4` calls to warm up.
 * `repetitions` is at least 1. Throws what `call` throws.
 */
export function medianMs(repetitions: number, call: () => unknown): number {
  for (let i = 0; i < repetitions / 4; i++) call();
  const times: number[] = [];
  for (let i = 0; i < repetitions; i++) {
    const before = performance.now();
    call();
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? Number.NaN;
}
