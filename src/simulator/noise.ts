/** Repeatable random number in [0, 1) for an index. */
export type Noise = (index: number) => number;

/** Creates a noise function that is independent for each seed and name. */
export function createNoise(seed: number, name: string): Noise {
  let base = scramble(seed | 0);
  for (let i = 0; i < name.length; i++) base = scramble(base ^ name.charCodeAt(i));
  return (index) => {
    const low = scramble(base ^ (index | 0));
    return (scramble(low ^ Math.floor(index / 2 ** 32)) >>> 0) / 2 ** 32;
  };
}

/** Interpolates smoothly between the numbers of two neighbouring indexes. */
export function smoothNoise(noise: Noise, position: number): number {
  const index = Math.floor(position);
  const part = position - index;
  const weight = part * part * (3 - 2 * part);
  return noise(index) * (1 - weight) + noise(index + 1) * weight;
}

/** MurmurHash3 finalizer: each input bit changes about half of the output bits. */
function scramble(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) + 0x9e3779b9;
}
