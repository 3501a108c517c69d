/**
 * Simulates months of a daemon in minutes: a service with faults, and a clock that jumps to the next scheduled action.
 */
import { Calendar, SERVICE_ZONE } from "../../../src/core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import type { FaultRule } from "../../../src/service/simulator/fault-rules.ts";
import { Publication } from "../../../src/service/simulator/publication.ts";
import { type Simulator, startSimulator } from "../../../src/service/simulator/simulator.ts";
import { TopicWatcher } from "../broker/topic-watcher.ts";
import { ForkedDaemon } from "./forked-daemon.ts";
import { TempDir } from "./temp-dir.ts";
import { configFor } from "./test-config.ts";

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
const calendar = new Calendar(SERVICE_ZONE);

/** Runs a daemon from local midnight of `from` for `days` days. Calls `onMonth` after each 30 days. */
export async function runDays(from: EpochMs, days: number, onMonth: (month: number) => void): Promise<YearFigures> {
  const start = calendar.startOf("day", from);
  let now = start;
  const service = { homes: ["danish"], limits: LIMITS, seed: SEED, faults: faultsOf(start, days) } as const;
  await using simulator = await startSimulator({ ...service, now: () => now });
  using dir = new TempDir();
  await using daemon = await ForkedDaemon.start(start, configFor(simulator, dir.path), (at) => {
    now = at;
  });
  await using watcher = await TopicWatcher.on(daemon.brokerPort);
  const publication = new Publication(SEED, calendar);
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
  const { minute, day } = simulator.attempts();
  const requests = [...day].filter(([at]) => at > start + FIRST_DAYS * DAY_MS).map(([, count]) => count);
  requests.sort((a, b) => a - b);
  return {
    denied: beyond(minute.values(), LIMITS.minute) + beyond(day.values(), LIMITS.day),
    onTime: 1 - late.length / days,
    requestsMedian: requests[Math.floor(requests.length / 2)] ?? 0,
    requestsMax: requests.at(-1) ?? 0,
    busiest: busiestDays(simulator),
    late,
    rssMb,
  };
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

/** Returns one fault every third day, at hours that move through the day. Each of the 8 kinds occurs every 24 days. */
function faultsOf(start: EpochMs, days: number): FaultRule[] {
  const rules: FaultRule[] = [];
  for (let day = 4; day < days; day += 3) {
    const from = start + day * DAY_MS + ((day * 7) % 24) * HOUR_MS;
    rules.push(...faultsAt(day, from));
  }
  return rules;
}

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
