/**
 * Median time of one call, in milliseconds, after a quarter as many calls to warm up.
 * Shape: `repetitions` at least 1. Errors: what `call` throws.
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
