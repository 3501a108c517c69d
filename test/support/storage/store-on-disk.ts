import type { DatabaseSync } from "node:sqlite";
import type { Row, SeriesKey } from "../../../src/core/series/series.ts";
import type { CalendarUnit } from "../../../src/core/time/calendar.ts";
import { type EpochMs, formatInstant, type Interval } from "../../../src/core/time/interval.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { TempDir } from "../runner/temp-dir.ts";

export const calendar = serviceCalendar();

/** Database in a temporary file that can be closed and reopened. */
export class StoreOnDisk implements Disposable {
  readonly dir = new TempDir();
  readonly path: string = this.dir.file("elbro.db");
  database: DatabaseSync = openDatabase(this.path);

  /** Closes the database and opens the file again, as a restart does. */
  reopen(): DatabaseSync {
    if (this.database.isOpen) this.database.close();
    this.database = openDatabase(this.path);
    return this.database;
  }

  [Symbol.dispose](): void {
    if (this.database.isOpen) this.database.close();
    this.dir[Symbol.dispose]();
  }
}

export function seriesOf(unit: SeriesKey["unit"], place = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"): SeriesKey {
  return { account: "consumer", place, operation: unit === "latest" ? "forecastPrices" : "prices", unit };
}

/** Returns the local day of a date such as "2026-10-25". */
export function dayOf(date: string): Interval {
  return calendar.day(Date.parse(`${date}T12:00:00Z`));
}

/** Returns one row for every unit of a range. `price` is called with each start. */
export function rowsOf(unit: CalendarUnit, range: Interval, price: (start: EpochMs) => number = () => 1.25): Row[] {
  return calendar.intervals(unit, range).map(({ start, end }) => ({
    start: formatInstant(start),
    end: formatInstant(end),
    totalPricePerKWh: price(start),
    variableChargesPerKWh: null,
  }));
}
