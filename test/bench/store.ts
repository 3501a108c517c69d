/**
 * What the store costs a memory card, and how fast it is, for one home with everything it can have: quarter-hour prices,
 * a forecast, and the hours of consumption, costs, export and revenue, asked 24 times a day. The answers are the
 * simulator's; they go the daemon's way, through ledger and library.
 *
 * - `written_kb_per_day`: every byte handed to the file system, write-ahead log and checkpoints, in kB of 1000 bytes
 *   (`wchar` of /proc/self/io), the mean of days with new data. `device_kb_per_day` is the same in the whole blocks of
 *   4 KiB that a device is given (`write_bytes`): two commits a request, each at least a block.
 * - `unchanged_kb_per_day`: the same where every answer is the one before: the ledger's rows.
 * - `ten_years_mb`: the file after ten years of days, with 90 days of the ledger. `bytes_per_value` is that file by the
 *   numbers in it: prices, energies, amounts. Instants, nulls and flags are not counted, but paid for.
 * - `read_year_ms`: 366 days of hours, from the request to the body of the answer; `read_year_costs_ms` for the
 *   widest rows there are. `keep_most_ms` is the longest time that an answer of 8,640 rows holds the event loop.
 * - `open_ms`: opening the ten years, every page checked. `start_ms`: the ledger read and a gap sought in 13 months.
 */
import { readFileSync, statSync } from "node:fs";
import type { Row, SeriesKey } from "../../src/core/series/series.ts";
import { type EpochMs, formatInstant, HOUR_MS, QUARTER_MS } from "../../src/core/time/interval.ts";
import { SeriesRepository } from "../../src/state/series-repository.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { medianMs } from "../support/bench/median.ts";
import { ACCOUNT, addressId, calendar, StoredHome } from "../support/bench/stored-home.ts";
import { TempDir } from "../support/daemon/temp-dir.ts";

const YEARS = 10;
const BEGIN = Date.UTC(2026, 0, 15);
const MEASURED_DAYS = 60;
const LEDGER_DAYS = 90;
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
    // The size is the same, and only this bench loses its file when the power goes.
    home.database.exec("pragma synchronous = off");
    for (let day = calendar.startOf("day", BEGIN); day < end; day = calendar.add("day", day, 1))
      numbers += await home.finalDay(day);
    for (let i = LEDGER_DAYS; i > 0; i--) await home.day(calendar.add("day", end, -i));
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
    const found = repository.find(ACCOUNT, operation, { ...params }, now);
    if (!found) throw new Error("the year is not on the shelf");
    return found.read();
  };
  const readMs = medianMs(READS, () => bodyOf("consumption"));
  const costsMs = medianMs(READS, () => bodyOf("consumptionCosts"));
  database.close();
  return { read_year_ms: readMs, read_year_costs_ms: costsMs, open_ms: openMs, start_ms: startMs };
}

/** 90 days of quarter-hours onto an empty shelf. */
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
  const storing = home.repository.store.storing(series, { start: from, end: to }, rows, {}, () => undefined);
  let most = 0;
  for (let done = false; !done; ) {
    const before = performance.now();
    done = storing.next().done === true;
    most = Math.max(most, performance.now() - before);
  }
  return { keep_most_ms: most };
}

/** What this process writes meanwhile. Unit: bytes handed to the file system, and bytes of blocks given to a device. */
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
