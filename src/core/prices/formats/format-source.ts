/** Types of the price formats. */
import type { Calendar } from "../../time/calendar.ts";
import type { HomeSnapshot } from "../home-snapshot.ts";
import type { Timeline } from "../timeline.ts";

/** Input of a price format. */
export interface FormatSource {
  readonly snapshot: HomeSnapshot;
  readonly calendar: Calendar;
  /** Price region such as `DK1`; null if unknown. */
  readonly region: string | null;
  /** Returns the prices of exported energy; null if they are not known. */
  readonly sold: () => Timeline | null;
}

/** Builds the price list or the attributes of another program. */
export type PriceFormat = (source: FormatSource) => object;
