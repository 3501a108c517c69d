import type { PlacePoint } from "./place-snapshot.ts";
import type { PricePoint, Timeline } from "./timeline.ts";

/** VAT on electricity; Denmark, Norway and Sweden have the same. */
const VAT_FACTOR = 1.25;

/**
 * What exported energy is worth in an interval: the price without its variable charges and, if that is in it, without
 * VAT. A household sells without either. What a supplier takes off it is not known.
 * Unit: currency per kWh. Returns null where the service does not tell the charges of this price.
 */
export function exportPrice(
  { price, variableCharges }: Pick<PricePoint, "price" | "variableCharges">,
  vatIncluded: boolean | null,
): number | null {
  if (variableCharges === undefined) return null;
  return (price - variableCharges) / (vatIncluded ? VAT_FACTOR : 1);
}

/**
 * What exported energy is worth over time: by the charges of the home's own prices, else the spot prices of its region.
 * Returns null where neither is known.
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
