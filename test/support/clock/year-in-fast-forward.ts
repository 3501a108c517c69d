/**
 * Simulates months of a daemon in minutes: a service with faults, and a clock that jumps to the next scheduled action.
 */

import type { Row } from "../../../src/core/series/series.ts";
import { DAY_MS, type EpochMs, formatInstant, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import type { FaultRule } from "../../../src/simulator/fault-rules.ts";
import { PublicationTimes } from "../../../src/simulator/market/publication.ts";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { TopicWatcher } from "../broker/topic-watcher.ts";
import { configFor } from "../daemon/test-config.ts";
import { ForkedDaemon } from "../processes/forked-daemon.ts";
import { TempDir } from "../runner/temp-dir.ts";

export interface YearFigures {
  /** Attempts beyond the limit of a fixed UTC minute or day of the service. */
  readonly denied: number;
  /** Share of days whose prices for tomorrow were stored within 15 min of publication. */
  readonly onTime: number;
  /** Requests per UTC day, without the back-fill of the first days. */
  readonly requestsMedian: number;
  readonly requestsMax: number;
  /** Days with the most requests, and their operations. */
  readonly busiest: readonly string[];
  /** Days on which the prices were late, with the delay. */
  readonly late: readonly string[];
  /**
   * Sums of a month that differ from the service's at the end, and prices that do. Without the last days, which the
   * daemon is still completing.
   */
  readonly different: readonly string[];
  /** Number of compared sums and prices. */
  readonly compared: number;
  /** Resident memory of the daemon's process at the end of each month of 30 days. Unit: MB. */
  readonly rssMb: readonly number[];
}

const LIMITS = { minute: 60, day: 2_000 } as const;
const SEED = 1;
const ON_TIME_MS = 15 * MINUTE_MS;
/** Days that are not counted, because they fetch the history. */
const FIRST_DAYS = 3;
const DAYS_PER_MONTH = 30;
/** Number of days to list. */
const BUSIEST = 8;
const calendar = serviceCalendar();

/** Runs a daemon from local midnight of `from` for `days` days. Calls `onMonth` after each 30 days. */
export async function runDays(from: EpochMs, days: number, onMonth: (month: number) => void): Promise<YearFigures> {
  const start = calendar.startOf("day", from);
  let now = start;
  const faults = faultsOf(start, days);
  const service = { homes: ["danish"], limits: LIMITS, seed: SEED, faults } as const;
  await using simulator = await startSimulator({ ...service, now: () => now });
  using dir = new TempDir();
  await using daemon = await ForkedDaemon.start(start, configFor(simulator, dir.path), (at) => {
    now = at;
  });
  await using watcher = await TopicWatcher.on(daemon.brokerPort);
  const publication = new PublicationTimes(SEED, calendar);
  const rssMb: number[] = [];
  const late: string[] = [];
  for (let day = 0, at = start; day < days; day++, at = calendar.add("day", at, 1)) {
    const end = calendar.add("day", at, 1);
    const reached = await daemon.runUntil(end - 10 * MINUTE_MS);
    const storedAt = Date.parse(String(watcher.json("elbro/home/state").tomorrow_published_at));
    const delayMs = storedAt - publication.publishedAt(calendar.day(end));
    if (!(storedAt >= at && delayMs <= ON_TIME_MS)) late.push(`${calendar.dateOf(at)} by ${delayMs / MINUTE_MS} min`);
    watcher.seen.length = 0;
    if (day % DAYS_PER_MONTH === DAYS_PER_MONTH - 1) {
      rssMb.push(reached.rssMb);
      onMonth(rssMb.length);
    }
  }
  await daemon[Symbol.asyncDispose]();
  // Evaluated before the comparison, whose own requests are counted in the same maps.
  const requests = requestFigures(simulator, start);
  simulator.setFaults(faults.filter((rule) => rule.fault === "lateRows" && rule.to === undefined));
  const { different, compared } = await comparison(
    simulator,
    dir.file("elbro.db"),
    start,
    calendar.add("day", now, -OPEN_DAYS),
  );
  return {
    ...requests,
    onTime: 1 - late.length / days,
    late,
    different,
    compared,
    rssMb,
  };
}

/** Returns the figures of the requests so far. */
function requestFigures(
  simulator: Simulator,
  start: EpochMs,
): Pick<YearFigures, "denied" | "requestsMedian" | "requestsMax" | "busiest"> {
  const { minute, day } = simulator.attempts();
  const requests = [...day].filter(([at]) => at > start + FIRST_DAYS * DAY_MS).map(([, count]) => count);
  requests.sort((a, b) => a - b);
  return {
    denied: beyond(minute.values(), LIMITS.minute) + beyond(day.values(), LIMITS.day),
    requestsMedian: requests[Math.floor(requests.length / 2)] ?? 0,
    requestsMax: requests.at(-1) ?? 0,
    busiest: busiestDays(simulator),
  };
}

/** Series of a home with the field that is summed up. */
const SUMS = [
  ["consumption", "consumption", "energyKWh"],
  ["consumptionCosts", "consumption-costs", "totalCost"],
  ["solarExport", "solar-export", "energyKWh"],
  ["solarExportRevenue", "solar-export-revenue", "netRevenue"],
] as const;

/** Compares what the daemon has stored with what the service says now: sums per month, and every price. */
async function comparison(
  simulator: Simulator,
  file: string,
  start: EpochMs,
  end: EpochMs,
): Promise<Pick<YearFigures, "different" | "compared">> {
  const store = new SeriesStore(openDatabase(file), calendar);
  const place = simulator.addressIds.danish;
  const different: string[] = [];
  let compared = 0;
  const rowsOfService = async (path: string, query: string) => {
    const url = `${simulator.url}/consumer/v1/me/addresses/${place}/${path}?${query}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${simulator.keys.consumerKey}` } });
    return ((await answer.json()) as { data: Row[] }).data;
  };
  const compare = (name: string, stored: number, expected: number) => {
    compared++;
    if (!(Math.abs(stored - expected) < 0.001)) different.push(`${name}: stored ${stored}, service ${expected}`);
  };
  for (const whole of calendar.intervals("month", { start, end })) {
    const month = { start: Math.max(start, whole.start), end: Math.min(end, whole.end) };
    const range = `from=${formatInstant(month.start)}&to=${formatInstant(month.end)}`;
    for (const [operation, path, field] of SUMS) {
      const key = { account: "consumer", place, operation, unit: "hour" } as const;
      const expected = await rowsOfService(path, `${range}&aggregation=hour`);
      compare(
        `${path} of ${calendar.dateOf(month.start)}`,
        sumOf(store.rows(key, month), field),
        sumOf(expected, field),
      );
    }
    const key = { account: "consumer", place, operation: "prices", unit: "fifteenMinutes" } as const;
    const stored = new Map(store.rows(key, month).map((row) => [row.start, Number(row.totalPricePerKWh)]));
    for (const row of await rowsOfService("prices", `${range}&resolution=fifteenMinutes`))
      compare(`price of ${String(row.start)}`, stored.get(row.start) ?? Number.NaN, Number(row.totalPricePerKWh));
  }
  return { different, compared };
}

function sumOf(rows: readonly Row[], field: string): number {
  return rows.reduce((sum, row) => sum + Number(row[field]), 0);
}

function busiestDays(simulator: Simulator): string[] {
  const days = new Map<string, Map<string, number>>();
  for (const { at, operation, status } of simulator.answered()) {
    const day = new Date(at).toISOString().slice(0, 10);
    const counts = days.get(day) ?? new Map<string, number>();
    const what = status === 200 ? operation : `${operation} ${status}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
    days.set(day, counts);
  }
  const sum = (counts: Map<string, number>) => [...counts.values()].reduce((all, count) => all + count, 0);
  const sorted = [...days].sort(([, a], [, b]) => sum(b) - sum(a)).slice(0, BUSIEST);
  return sorted.map(
    ([day, counts]) => `${day} ${sum(counts)}: ${[...counts].map((pair) => pair.join(" ")).join(", ")}`,
  );
}

function beyond(counts: Iterable<number>, limit: number): number {
  let sum = 0;
  for (const count of counts) sum += Math.max(0, count - limit);
  return sum;
}

/**
 * Returns one fault every third day, at hours that move through the day. Each of the 8 kinds occurs every 24 days. Data
 * that is late, wrong or contradictory is added to them.
 */
function faultsOf(start: EpochMs, days: number): FaultRule[] {
  const rules: FaultRule[] = [];
  for (let day = 3; day < days - 1; day++)
    rules.push(
      ...dataFaultsOf(start, day, days - day > MAX_LATE_DAYS + OPEN_DAYS),
      ...changesOf(start, day, days - day),
    );
  for (let day = 4; day < days; day += 3) {
    const from = start + day * DAY_MS + ((day * 7) % 24) * HOUR_MS;
    rules.push(...faultsAt(day, from));
  }
  return rules;
}

/** Returns the faults of the data of one day: readings late or wrong for weeks, prices for hours, single bad rows. */
function dataFaultsOf(start: EpochMs, index: number, isEarly: boolean): FaultRule[] {
  const day = calendar.day(calendar.add("day", start, index));
  const at = (days: number, hours: number) => calendar.add("day", day.start, days) + hours * HOUR_MS;
  const rows = { rowsFrom: day.start, rowsTo: day.end };
  const rules: FaultRule[] = [];
  const [series] = SUMS[index % SUMS.length] ?? SUMS[0];
  if (isEarly && index % 5 === 0)
    rules.push({ operation: series, fault: "lateRows", ...rows, rowsTo: at(0, 20), to: at(20 + (index % 11), 9) });
  if (isEarly && index % 5 === 2)
    rules.push({ operation: series, fault: "wrongRows", ...rows, factor: 0.7, to: at(15 + (index % 16), 9) });
  if (index % 10 === 3) rules.push({ operation: "prices", fault: "wrongRows", ...rows, factor: 1.5, to: at(-1, 18) });
  if (index % 10 === 6)
    rules.push({ operation: "prices", fault: "lateRows", rowsFrom: at(0, 6), rowsTo: at(0, 7), to: at(-1, 15) });
  const once = { from: at(0, 6), to: at(1, 0), times: 1 } as const;
  if (index % 14 === 1)
    rules.push({ operation: "prices", fault: "badRow", row: 9, put: { totalPricePerKWh: null }, ...once });
  if (index % 14 === 4)
    rules.push({ operation: "prices", fault: "badRow", row: 9, put: { totalPricePerKWh: 99 }, repeat: true, ...once });
  if (index % 14 === 8)
    rules.push({ operation: "consumption", fault: "badRow", row: 5, put: { energyKWh: "much" }, ...once });
  if (index % 14 === 11) rules.push({ operation: "addresses", fault: "badRow", row: 0, put: { label: 7 }, ...once });
  if (index % 12 === 5)
    rules.push({ operation: "*", fault: "headers", headers: IMPOSSIBLE[index % IMPOSSIBLE.length] ?? {}, ...once });
  if (index % 20 === 7)
    rules.push({
      operation: "*",
      fault: "html",
      status: [401, 403, 429, 200][index % 4] ?? 401,
      from: at(0, 13),
      to: at(0, 13.5),
    });
  if (index === OTHER_ACCOUNT_DAY) rules.push({ operation: "*", fault: "otherAccount", from: at(0, 4), to: at(1, 4) });
  return rules;
}

/** Returns the rows of one day that are withdrawn, prices that are corrected after weeks, and prices that cannot be right. */
function changesOf(start: EpochMs, index: number, daysLeft: number): FaultRule[] {
  const day = calendar.day(calendar.add("day", start, index));
  const at = (days: number, hours: number) => calendar.add("day", day.start, days) + hours * HOUR_MS;
  const rows = { rowsFrom: day.start, rowsTo: day.end };
  const [series] = SUMS[index % SUMS.length] ?? SUMS[0];
  const rules: FaultRule[] = [];
  if (index % 13 === 5)
    rules.push({ operation: "prices", fault: "lateRows", rowsFrom: at(0, 15), rowsTo: at(0, 16), from: at(1, 9) });
  if (index % 9 === 4 && daysLeft > MAX_LATE_DAYS + OPEN_DAYS)
    rules.push({ operation: series, fault: "lateRows", rowsFrom: at(0, 10), rowsTo: at(0, 12), from: at(9, 9) });
  if (index % 17 === 7 && daysLeft > MAX_LATE_PRICE_DAYS + OPEN_DAYS)
    rules.push({ operation: "prices", fault: "wrongRows", ...rows, factor: 1.2, to: at(10 + (index % 50), 9) });
  if (index % 25 === 12)
    rules.push({ operation: "prices", fault: "wrongRows", ...rows, factor: 100, to: at(-1, 15.5) });
  return rules;
}

/** Maximum days until prices are right, with the days until the next recheck of days that old. */
const MAX_LATE_PRICE_DAYS = 60 + 28;

/** Headers of one answer that cannot be true. */
const IMPOSSIBLE = [
  { "X-RateLimit-Limit-Day": "1", "X-RateLimit-Remaining-Day": "0" },
  { "X-RateLimit-Reset-Day": "99999999999", "X-RateLimit-Remaining-Day": "0" },
  { "X-RateLimit-Limit-Day": "1" },
] as const;
/** Day on which the key belongs to another account. */
const OTHER_ACCOUNT_DAY = 200;
/** Maximum days until late or wrong readings are right, with the days until the next weekly recheck. */
const MAX_LATE_DAYS = 31 + 8;
/** Last days of the run, whose readings may still be estimates. */
const OPEN_DAYS = 8;

function faultsAt(day: number, from: EpochMs): FaultRule[] {
  const all = { operation: "*", from } as const;
  switch (day % 8) {
    case 0:
      return [{ ...all, to: from + 3 * HOUR_MS, fault: "lostConnection" }];
    case 1:
      return [{ ...all, to: from + 6 * HOUR_MS, times: 1, fault: "status", status: 429, retryAfterSec: 120 }];
    case 2:
      return [{ ...all, to: from + HOUR_MS, fault: "status", status: 503 }];
    case 3:
      return [{ ...all, to: from + 6 * HOUR_MS, times: 3, fault: "status", status: 500 }];
    case 4:
      return [{ ...all, to: from + 8 * HOUR_MS, times: 2, fault: "brokenJson" }];
    case 5:
      return [{ ...all, operation: "prices", to: from + 4 * HOUR_MS, fault: "empty" }];
    case 6:
      return [{ ...all, operation: "forecastPrices", to: from + 12 * HOUR_MS, fault: "status", status: 502 }];
    default:
      return [{ ...all, to: from + 5 * HOUR_MS, times: 2, fault: "cutOff" }];
  }
}
