/** How much memory Node needs for its objects: the start commands set a bound to it. */

/** What a house needs, and what each home more adds. Measured by `npm run bench -- scale`. Unit: MB. */
const BASE_MB = 64;
const MB_PER_HOME = 0.25;

/** The value of `--max-old-space-size` for so many homes. Unit: MB. */
export function heapMbFor(homes: number): number {
  return BASE_MB + Math.ceil(homes * MB_PER_HOME);
}
