/** Periods that are compared. */
import type { Calendar } from "../../core/time/calendar.ts";

/** Pairs of periods. `dates` means chosen dates. */
export const PAIRS = ["month_before", "month_last_year", "last_month", "year", "dates"] as const;
export type Pair = (typeof PAIRS)[number];

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Compared {
  readonly first: Span;
  readonly second: Span;
  /** Whether the second period is cut to the number of days that the first one has so far. */
  readonly isCut: boolean;
}

/** Minimum relative change that is shown. */
const MIN_SHARE = 0.005;
/** Maximum relative change that is shown as a percentage: against a value near zero it says nothing. */
const MAX_SHARE = 2;

/** Change from an earlier value: relative, or the amount where an earlier or later value makes a percentage useless. */
export function changeOf(first: number, second: number) {
  const by = first - second;
  const share = by / second;
  if (by === 0 || (second > 0 && Math.abs(share) < MIN_SHARE)) return { kind: "none", by: 0 } as const;
  if (second <= 0 || first < 0 || share > MAX_SHARE) return { kind: "amount", by } as const;
  return { kind: "share", by: share } as const;
}

/** Returns the periods of a pair, until yesterday, because meters report a day later. */
export function comparedSpans(pair: Exclude<Pair, "dates">, now: number, calendar: Calendar): Compared {
  const unit = pair === "year" ? "year" : "month";
  const yesterday = calendar.add("day", now, -1);
  const from = calendar.add(unit, yesterday, pair === "last_month" ? -1 : 0);
  const wholeTo = calendar.add(unit, from, 1);
  const first = { from, to: Math.min(wholeTo, calendar.startOf("day", now)) };
  const before = calendar.add(
    "month",
    from,
    { month_before: -1, month_last_year: -12, last_month: -1, year: -12 }[pair],
  );
  const beforeTo = calendar.add(unit, before, 1);
  if (first.to === wholeTo) return { first, second: { from: before, to: beforeTo }, isCut: false };
  const days = calendar.startsIn("day", { start: first.from, end: first.to }).length;
  return { first, second: { from: before, to: Math.min(beforeTo, calendar.add("day", before, days)) }, isCut: true };
}

/** Returns the range of two inclusive dates; null if they are invalid or in the wrong order. */
export function spanOf({ from, to }: { readonly from: string; readonly to: string }, calendar: Calendar): Span | null {
  const start = calendar.dateStart(from);
  const last = calendar.dateStart(to);
  if (start === null || last === null) return null;
  const end = calendar.add("day", last, 1);
  return start < end ? { from: start, to: end } : null;
}
