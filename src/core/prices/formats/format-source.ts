/** Input of a price format, and the type of the functions that make one. */
import type { Calendar } from "../../time/calendar.ts";
import type { HomeSnapshot } from "../home-snapshot.ts";

/** Input of a price format. */
export interface FormatSource {
  readonly snapshot: HomeSnapshot;
  readonly calendar: Calendar;
  /** The price region, as `DK1`; null where it is not known. */
  readonly region: string | null;
}

/** Makes the price list or attributes of another program. */
export type Format = (source: FormatSource) => object;
