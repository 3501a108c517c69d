import type { PlacePoint } from "./place-snapshot.ts";
import type { PricePoint, Timeline } from "./timeline.ts";

/** VAT factor on electricity: 25 % in Denmark, Norway and Sweden. */
const VAT_FACTOR = 1.25;

/**
 * Returns the value of exported energy: the price without variable charges and without VAT. A household sells without
 * both. The supplier's deduction is not known. Unit: currency per kWh. Returns null if the service does not state the
 * charges.
 */
export function exportPrice(
  { price, variableCharges }: Pick<PricePoint, "price" | "variableCharges">,
  vatIncluded: boolean | null,
): number | null {
  if (variableCharges === undefined) return null;
  return (price - variableCharges) / (vatIncluded ? VAT_FACTOR : 1);
}

/**
 * Returns the export prices from the home's own prices and charges, otherwise from the spot prices of its region.
 * Returns null if neither is known.
 */
export function exportTimeline(timeline: Timeline, spot: readonly PlacePoint[]): Timeline | null {
  const own = timeline.points.flatMap((point): PricePoint[] => {
    const price = exportPrice(point, timeline.vatIncluded);
    return price === null ? [] : [{ ...point, price }];
  });
  const points =
    own.length > 0 ? own : spot.map(({ start, end, spot: price }) => ({ start, end, price, estimate: false }));
  return points.length > 0 ? { ...timeline, points, vatIncluded: false } : null;
}
