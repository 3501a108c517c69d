/**
 * Cost of the store for a memory card, and its speed, for one home with all data: quarter-hour prices, a forecast, and
 * the hours of consumption, costs, export and revenue, requested 24 times a day. The responses are the simulator's and
 * are stored as in the daemon, by request log and series repository.
 *
 * - `written_kb_per_day`: bytes written to the file system, with write-ahead log and checkpoints, in kB of 1000 bytes
 *   (`wchar` of /proc/self/io), mean of days with new data. `device_kb_per_day`: the same in whole blocks of 4 KiB
 *   written to a device (`write_bytes`): two commits per request, each at least one block.
 * - `unchanged_kb_per_day`: the same if all responses are unchanged: the rows of the request log.
 * - `ten_years_mb`: size of the file after ten years, with 90 days of the request log. `bytes_per_value`: that size per
 *   number in it: prices, energies, amounts. Instants, nulls and flags take space but are not counted.
 * - `read_year_ms`: 366 days of hours, from the request to the body of the response; `read_year_costs_ms`: the same for
 *   the widest rows. `keep_most_ms`: longest event-loop tick while a response of 8,640 rows is stored.
 * - `open_ms`: opening the file of ten years with a check of every page. `start_ms`: reading the request log and
 *   finding a gap in 13 months.
 */
import { readFileSync, statSync } from "node:fs";
import type { Row, SeriesKey } from "../../src/core/series/series.ts";
import { type EpochMs, formatInstant, HOUR_MS, QUARTER_MS } from "../../src/core/time/interval.ts";
import { SeriesRepository } from "../../src/state/series-repository.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { medianMs } from "../support/bench/median.ts";
import { ACCOUNT, addressId, calendar, StoredHome } from "../support/bench/stored-home.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const YEARS = 10;
const BEGIN = Date.UTC(2026, 0, 15);
const MEASURED_DAYS = 60;
const REQUEST_LOG_DAYS = 90;
const READS = 200;

export async function run(): Promise<Record<string, number>> {
  using dir = new TempDir();
  return {
    ...(await measureDays(dir.file("days.db"))),
    ...(await measureYears(dir.file("years.db"))),
    ...(await measureLargeAnswer(dir.file("large.db"))),
  };
}

async function measureDays(path: string): Promise<Record<string, number>> {
  using home = new StoredHome(path, BEGIN);
  let start = calendar.startOf("day", BEGIN);
  const days = async (day: (start: EpochMs) => Promise<void>) => {
    for (let i = 0; i < MEASURED_DAYS; i++, start = calendar.add("day", start, 1)) await day(start);
  };
  await days((day) => home.day(day));
  const written = await writtenBy(() => days((day) => home.day(day)));
  const params = { addressId, from: calendar.add("day", start, -3), to: start, aggregation: "hour" } as const;
  const same = await home.poll("consumption", params);
  const unchanged = await writtenBy(() =>
    days(async (day) => {
      for (let hour = 0; hour < 24; hour++) {
        home.now = day + hour * HOUR_MS;
        await home.poll("consumption", params, same);
      }
    }),
  );
  return {
    written_kb_per_day: written.bytes / MEASURED_DAYS / 1_000,
    unchanged_kb_per_day: unchanged.bytes / MEASURED_DAYS / 1_000,
    device_kb_per_day: written.blockBytes / MEASURED_DAYS / 1_000,
  };
}

async function measureYears(path: string): Promise<Record<string, number>> {
  const end = calendar.startOf("day", calendar.shift(BEGIN, "year", YEARS));
  let numbers = 0;
  {
    using home = new StoredHome(path, BEGIN);
    // The size is the same, and only this bench loses its file in a power cut.
    home.database.exec("pragma synchronous = off");
    for (let day = calendar.startOf("day", BEGIN); day < end; day = calendar.add("day", day, 1))
      numbers += await home.finalDay(day);
    for (let i = REQUEST_LOG_DAYS; i > 0; i--) await home.day(calendar.add("day", end, -i));
  }
  const bytes = statSync(path).size;
  return { ten_years_mb: bytes / 1e6, bytes_per_value: bytes / numbers, ...measureReading(path, end) };
}

function measureReading(path: string, now: EpochMs): Record<string, number> {
  const openMs = medianMs(5, () => openDatabase(path).close());
  const database = openDatabase(path);
  const before = performance.now();
  const repository = new SeriesRepository(database, calendar, () => now);
  const within = { start: calendar.shift(now, "day", -396), end: now };
  const series: SeriesKey = { account: ACCOUNT, place: addressId, operation: "consumption", unit: "hour" };
  for (const operation of ["consumption", "consumptionCosts", "solarExport", "solarExportRevenue"] as const)
    repository.stateOf({ ...series, operation }).newestGap(within);
  const startMs = performance.now() - before;
  const params = { addressId, from: calendar.shift(now, "day", -366), to: now, aggregation: "hour" } as const;
  const bodyOf = (operation: "consumption" | "consumptionCosts") => {
    const found = repository.find(ACCOUNT, operation, { ...params }, { now });
    if (!found) throw new Error("the year is not stored");
    return found.read();
  };
  const readMs = medianMs(READS, () => bodyOf("consumption"));
  const costsMs = medianMs(READS, () => bodyOf("consumptionCosts"));
  database.close();
  return { read_year_ms: readMs, read_year_costs_ms: costsMs, open_ms: openMs, start_ms: startMs };
}

/** Stores 90 days of quarter hours in an empty store. */
async function measureLargeAnswer(path: string): Promise<Record<string, number>> {
  using home = new StoredHome(path, BEGIN);
  const from = calendar.startOf("day", BEGIN);
  const to = calendar.add("day", from, 90);
  const rows: Row[] = [];
  for (let at = from; at < to; at += QUARTER_MS)
    rows.push({
      start: formatInstant(at),
      end: formatInstant(at + QUARTER_MS),
      totalPricePerKWh: Math.round((2 + Math.sin(at)) * 1e4) / 1e4,
    });
  const series: SeriesKey = { account: ACCOUNT, place: addressId, operation: "prices", unit: "fifteenMinutes" };
  const storing = home.repository.store.storing(
    series,
    { start: from, end: to },
    { rows, envelope: {} },
    () => undefined,
  );
  let most = 0;
  for (let done = false; !done; ) {
    const before = performance.now();
    done = storing.next().done === true;
    most = Math.max(most, performance.now() - before);
  }
  return { keep_most_ms: most };
}

/** Returns the bytes that this process writes during a call: to the file system, and in blocks to a device. */
async function writtenBy(work: () => Promise<void>): Promise<{ bytes: number; blockBytes: number }> {
  const before = written();
  await work();
  const after = written();
  return { bytes: after.bytes - before.bytes, blockBytes: after.blockBytes - before.blockBytes };
}

function written(): { bytes: number; blockBytes: number } {
  const text = readFileSync("/proc/self/io", "utf8");
  const figure = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(text)?.[1]);
  return { bytes: figure("wchar"), blockBytes: figure("write_bytes") };
}
