/** Node heap size by the number of homes, as measured by `npm run bench -- scale`. Fleets set `NODE_OPTIONS`. */

/** Largest installation that the flags of one household are for. */
const HOMES_OF_A_HOUSE = 10;
/**
 * Flags of a household. The demo, whose simulator is in the same process, needs 41 MB of heap while it fills its history.
 * A daemon needs 26 to 28 MB for ten homes, 2,000 slow connections, or 45 requests for a year at the same time, and
 * 32 MB for an answer of the maximum size of 8 MB. The small semi-space saves memory.
 */
const HOUSE = { heapMb: 64, semiSpaceMb: 1 };
/** Flags of a larger installation. With the small semi-space, garbage collections would take 20 % of the CPU time. */
const FLEET = { heapMb: 62, heapMbPerHome: 0.25, semiSpaceMb: 8 };

/** Returns the value of `--max-old-space-size` for n homes. Unit: MB. */
export function heapMbFor(homes: number): number {
  return homes > HOMES_OF_A_HOUSE ? FLEET.heapMb + Math.ceil(homes * FLEET.heapMbPerHome) : HOUSE.heapMb;
}

/** Returns the Node flags for n homes, in the form of `NODE_OPTIONS`. */
export function heapFlagsFor(homes: number): string {
  const { semiSpaceMb } = homes > HOMES_OF_A_HOUSE ? FLEET : HOUSE;
  return `--max-semi-space-size=${semiSpaceMb} --max-old-space-size=${heapMbFor(homes)}`;
}
