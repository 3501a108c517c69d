/**
 * How much memory Node is given for its objects, by the number of homes: the start commands and manifests carry the flags
 * of a house, and who runs more sets `NODE_OPTIONS`. Measured by `npm run bench -- scale`.
 */

/** What a house of some homes needs, and what each home more adds. Unit: MB. */
const HOUSE_MB = 64;
const HOMES_OF_A_HOUSE = 10;
const MB_PER_HOME = 0.25;
/** New objects are collected in small steps in a house; with many homes that would be a fifth of all work. */
const HOUSE_NEW_SPACE_MB = 1;
const NEW_SPACE_MB = 8;

/** The value of `--max-old-space-size` for so many homes. Unit: MB. */
export function heapMbFor(homes: number): number {
  return HOUSE_MB + Math.ceil(Math.max(0, homes - HOMES_OF_A_HOUSE) * MB_PER_HOME);
}

/** The flags of Node for so many homes, as `NODE_OPTIONS` takes them. */
export function heapFlagsFor(homes: number): string {
  const newSpaceMb = homes > HOMES_OF_A_HOUSE ? NEW_SPACE_MB : HOUSE_NEW_SPACE_MB;
  return `--max-semi-space-size=${newSpaceMb} --max-old-space-size=${heapMbFor(homes)}`;
}
