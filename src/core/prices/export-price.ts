import type { PricePoint } from "./timeline.ts";

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
