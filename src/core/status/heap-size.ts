/**
 * Node heap size by the number of homes. The start commands and manifests carry the flags of one household; larger
 * installations set `NODE_OPTIONS`. Measured by `npm run bench -- scale`.
 */

/** Base size for up to `HOMES_OF_A_HOUSE` homes, and the addition per further home. Unit: MB. */
const HOUSE_MB = 64;
const HOMES_OF_A_HOUSE = 10;
const MB_PER_HOME = 0.25;
/**
 * Semi-space sizes. The small one saves memory in a household. With many homes, its garbage collections would take 20 %
 * of the CPU time.
 */
const HOUSE_NEW_SPACE_MB = 1;
const NEW_SPACE_MB = 8;

/** Returns the value of `--max-old-space-size` for n homes. Unit: MB. */
export function heapMbFor(homes: number): number {
  return HOUSE_MB + Math.ceil(Math.max(0, homes - HOMES_OF_A_HOUSE) * MB_PER_HOME);
}

/** Returns the Node flags for n homes, in the form of `NODE_OPTIONS`. */
export function heapFlagsFor(homes: number): string {
  const newSpaceMb = homes > HOMES_OF_A_HOUSE ? NEW_SPACE_MB : HOUSE_NEW_SPACE_MB;
  return `--max-semi-space-size=${newSpaceMb} --max-old-space-size=${heapMbFor(homes)}`;
}
