/** Price that a household gets for exported energy. It sells without grid tariffs, taxes and VAT, minus deductions. */
import type { Calendar, LocalDate } from "../time/calendar.ts";
import type { PlacePoint } from "./place-snapshot.ts";
import type { PricePoint, Timeline } from "./timeline.ts";

/** Amount that is deducted from each sold kWh, without VAT. Unit: currency per kWh. */
export interface ExportDeduction {
  readonly perKwh: number;
  /** First local day; from the beginning if absent. */
  readonly from?: LocalDate | undefined;
  /** First local day on which it no longer applies; without an end if absent. */
  readonly until?: LocalDate | undefined;
}

/** Terms of a home's export. */
export interface ExportTerms {
  /** Factor of the VAT in the service's prices: 1.25 for 25 %. */
  readonly vatFactor: number;
  readonly deductions: readonly ExportDeduction[];
}

/** Terms of a home without its own: 25 % VAT, as in Denmark, Norway and Sweden, and no deductions. */
const DEFAULT_EXPORT_TERMS: ExportTerms = { vatFactor: 1.25, deductions: [] };

/** Parts of a price. Unit: currency per kWh; their sum is the price. */
export type PriceParts = { readonly spot: number; readonly charges: number; readonly vat: number };

/** Returns the parts of a price; null if the service does not state the charges. */
export function priceParts(
  { price, variableCharges }: Pick<PricePoint, "price" | "variableCharges">,
  { vatIncluded, terms = DEFAULT_EXPORT_TERMS }: { vatIncluded: boolean | null; terms?: ExportTerms | undefined },
): PriceParts | null {
  if (variableCharges === undefined) return null;
  const factor = vatIncluded ? terms.vatFactor : 1;
  return { spot: (price - variableCharges) / factor, charges: variableCharges / factor, vat: price - price / factor };
}

/**
 * Returns the export prices from the home's own prices and charges, otherwise from the spot prices of its region. An
 * estimate without charges gets those of the same clock time on the last day that has them. Returns null if neither
 * charges nor spot prices are known.
 */
export function exportTimeline(
  timeline: Timeline,
  spot: readonly PlacePoint[],
  { terms = DEFAULT_EXPORT_TERMS, calendar }: { terms?: ExportTerms | undefined; readonly calendar: Calendar },
): Timeline | null {
  const known = ownExports.get(timeline);
  const own = known?.terms === terms ? known.own : ownExport(timeline, terms, calendar);
  ownExports.set(timeline, { terms, own });
  if (own.points.length > 0) return own;
  const fromSpot = ({ start, end, spot }: PlacePoint): PricePoint => {
    return { start, end, price: spot - deducted(terms, calendar.dateOf(start)), estimate: false };
  };
  return spot.length > 0 ? { ...own, points: spot.map(fromSpot) } : null;
}

/** Results of `ownExport`. New prices are a new timeline. */
const ownExports = new WeakMap<Timeline, { readonly terms: ExportTerms; readonly own: Timeline }>();

/** Returns the export prices from the home's own prices and charges. */
function ownExport(timeline: Timeline, terms: ExportTerms, calendar: Calendar): Timeline {
  const points = withCharges(timeline.points, calendar).flatMap((point): PricePoint[] => {
    const parts = priceParts(point, { vatIncluded: timeline.vatIncluded, terms });
    return parts ? [{ ...point, price: parts.spot - deducted(terms, calendar.dateOf(point.start)) }] : [];
  });
  return { ...timeline, points, vatIncluded: false };
}

/** Returns the sum of the deductions that apply on a local day. */
function deducted({ deductions }: ExportTerms, day: LocalDate): number {
  return deductions
    .filter(({ from = day, until }) => from <= day && (until === undefined || day < until))
    .reduce((sum, { perKwh }) => sum + perKwh, 0);
}

/** Adds the charges of the last known day to estimates without charges. */
function withCharges(points: readonly PricePoint[], calendar: Calendar): readonly PricePoint[] {
  const known = points.filter(({ variableCharges }) => variableCharges !== undefined);
  const last = known.at(-1);
  if (!last || points.every((point) => !point.estimate || point.variableCharges !== undefined)) return points;
  const charges = new Map(known.map(({ start, variableCharges }) => [calendar.minuteOfDay(start), variableCharges]));
  return points.map((point) => {
    const variableCharges = charges.get(calendar.minuteOfDay(point.start));
    const isMissing = point.estimate && point.variableCharges === undefined && variableCharges !== undefined;
    return isMissing ? { ...point, variableCharges } : point;
  });
}
