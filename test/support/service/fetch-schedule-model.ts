/** Models the fetch schedule with an in-memory store and a service that is a function of the test. */

import { nextFetch } from "../../../src/core/fetching/fetch-schedule.ts";
import {
  type AccountTarget,
  type AddressSeries,
  type ChunkState,
  type CollectTarget,
  type FetchRequest,
  type FetchScheduleInput,
  isKnown,
  type SeriesState,
} from "../../../src/core/fetching/fetch-types.ts";
import { type SeriesKey, seriesName } from "../../../src/core/series/series.ts";
import type { EpochMs, Interval } from "../../../src/core/time/interval.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";

export const calendar = serviceCalendar();
const ACCOUNT = "consumer";
export const ADDRESS = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const ALL_OPERATIONS: readonly string[] = [
  ...["prices", "forecastPrices", "consumption", "consumptionCosts", "solarExport", "solarExportRevenue"],
];

/** Completeness of a day at the service. */
export const richness = ["none", "short", "estimate", "whole"] as const;
export type Richness = (typeof richness)[number];

/** Returns the completeness of the day that starts at `day`, at the time `now`; null if the request fails. */
export type Service = (operation: string, day: EpochMs, now: EpochMs) => Richness | null;

/** Request and its time. */
export type Asked = { readonly at: EpochMs; readonly step: FetchRequest };

/** Maximum number of requests at one instant. More indicate an endless loop. */
const MAX_AT_ONCE = 100;

/** Returns the instant of a local time such as "2026-03-10 13:02". */
export function local(text: string): EpochMs {
  const [date, time = "00:00"] = text.split(" ");
  const [hours, minutes] = time.split(":").map(Number);
  return calendar.timeOnDay(Date.parse(`${date}T12:00:00Z`), (hours ?? 0) * 60 + (minutes ?? 0));
}

/** Returns the local time of an instant, such as "13:02". */
function clockTime(at: EpochMs): string {
  const minute = calendar.minuteOfDay(at);
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** Returns the first and last local date of a range, such as "2026-03-10..2026-03-11". */
export function datesOf(range: Interval | undefined): string {
  return range ? `${calendar.dateOf(range.start)}..${calendar.dateOf(range.end - 1)}` : "";
}

export function targetOf(operations: readonly string[] = ALL_OPERATIONS): CollectTarget {
  return { account: ACCOUNT, addressId: ADDRESS, resolution: "fifteenMinutes", series: operations.map(seriesOf) };
}

function seriesOf(operation: string): AddressSeries {
  const series = { account: ACCOUNT, place: ADDRESS, operation };
  switch (operation) {
    case "prices":
      return { series: { ...series, unit: "fifteenMinutes" }, poll: "prices", maxRangeDays: 90 };
    case "forecastPrices":
      return { series: { ...series, unit: "latest" }, poll: "forecast", maxRangeDays: 366 };
    default:
      return { series: { ...series, unit: "hour" }, poll: "usage", maxRangeDays: 366 };
  }
}

const ADDRESSES: AccountTarget = {
  series: { account: ACCOUNT, place: "", operation: "addresses", unit: "latest" },
  poll: "addresses",
  reaches: null,
};

/** Normal day: prices at 13:04 of the day before, usage at 06:00 of the day after. */
export const usual: Service = (operation, day, now) => {
  const yesterday = calendar.add("day", day, -1);
  if (operation === "prices") return now >= calendar.timeOnDay(yesterday, 13 * 60 + 4) ? "whole" : "none";
  return now >= calendar.add("day", day, 1) + 6 * 3_600_000 ? "whole" : "none";
};

class ModelStore {
  readonly #series = new Map<string, { chunks: Map<EpochMs, Richness>; askedAt: Map<EpochMs, EpochMs> }>();
  readonly #answeredAt = new Map<string, EpochMs>();

  /** Stores a response. A less complete response does not replace a more complete one. */
  keep(series: SeriesKey, days: readonly EpochMs[], answer: (day: EpochMs) => Richness, at: EpochMs): void {
    const name = seriesName(series);
    const known = this.#series.get(name) ?? { chunks: new Map(), askedAt: new Map() };
    this.#series.set(name, known);
    this.#answeredAt.set(name, at);
    for (const day of days) {
      const before = richness.indexOf(known.chunks.get(day) ?? "none");
      const came = richness.indexOf(answer(day));
      known.chunks.set(day, richness[Math.max(before, came)] ?? "none");
      known.askedAt.set(day, at);
    }
  }

  stateOf(series: SeriesKey, now: EpochMs): SeriesState {
    const name = seriesName(series);
    const known = this.#series.get(name);
    const notAhead = (at: EpochMs | undefined) => (at !== undefined && at <= now ? at : null);
    return {
      answeredAt: notAhead(this.#answeredAt.get(name)),
      askedAt: (start) => notAhead(known?.askedAt.get(start)),
      chunk: (start) => stateOfChunk(known?.chunks.get(start)),
      hasRows: (start) => (known?.chunks.get(start) ?? "none") !== "none",
      newestGap: (within) =>
        newestGap(within, (day) =>
          isKnown(stateOfChunk(known?.chunks.get(day)), known?.askedAt.get(day) ?? null, calendar.add("day", day, 1)),
        ),
    };
  }
}

function stateOfChunk(there: Richness | undefined): ChunkState | null {
  if (there === undefined) return null;
  return { complete: there === "whole" || there === "estimate", estimated: there === "estimate" };
}

function newestGap({ start, end }: Interval, asked: (day: EpochMs) => boolean): Interval | null {
  let last = calendar.add("day", end, -1);
  while (last >= start && asked(last)) last = calendar.add("day", last, -1);
  if (last < start) return null;
  let first = last;
  while (first > start && !asked(calendar.add("day", first, -1))) first = calendar.add("day", first, -1);
  return { start: first, end: calendar.add("day", last, 1) };
}

export interface FetchScheduleModelOptions {
  readonly start: EpochMs;
  readonly service?: Service;
  readonly targets?: readonly CollectTarget[];
  readonly accountTargets?: (now: EpochMs) => readonly AccountTarget[];
  readonly offsetMs?: number;
  readonly historyDays?: number;
  readonly notBefore?: FetchScheduleInput["notBefore"];
}

/** Runs the fetch schedule of one account. Time advances from one request to the next. */
export class FetchScheduleModel {
  readonly store = new ModelStore();
  /** All requests, oldest first. */
  log: Asked[] = [];
  now: EpochMs;
  service: Service;
  targets: readonly CollectTarget[];
  readonly #options: FetchScheduleModelOptions;

  constructor(options: FetchScheduleModelOptions) {
    this.now = options.start;
    this.service = options.service ?? usual;
    this.targets = options.targets ?? [targetOf()];
    this.#options = options;
  }

  next(): ReturnType<typeof nextFetch> {
    const { offsetMs = 0, historyDays = 0, notBefore, accountTargets } = this.#options;
    const today = calendar.startOf("day", this.now);
    return nextFetch({
      now: this.now,
      calendar,
      targets: this.targets,
      accountTargets: accountTargets?.(this.now) ?? [ADDRESSES],
      stateOf: (series) => this.store.stateOf(series, this.now),
      notBefore: notBefore ?? (() => this.now),
      offsetMs,
      historyFrom: calendar.add("day", today, -historyDays),
    });
  }

  /** Makes every request that is due until `until`. Throws on an endless loop or a wake-up in the past. */
  run(until: EpochMs): this {
    for (let atOnce = 0; this.now < until; atOnce++) {
      const step = this.next();
      if (step.kind === "request") {
        if (atOnce > MAX_AT_ONCE) throw new Error(`spins with ${step.series.operation} at ${clockTime(this.now)}`);
        this.#ask(step);
        continue;
      }
      if (!(step.until > this.now)) throw new Error(`sleeps into the past at ${clockTime(this.now)}`);
      this.now = Math.min(until, step.until);
      atOnce = 0;
    }
    return this;
  }

  /** Returns the local times of the requests for an operation. */
  times(operation: string): string[] {
    return this.of(operation).map(({ at }) => clockTime(at));
  }

  /** Returns the date ranges of the requests for an operation. */
  dates(operation: string): string[] {
    return this.of(operation).map(({ step }) => datesOf(step.range));
  }

  /** Returns the requests for an operation. */
  of(operation: string): Asked[] {
    return this.log.filter(({ step }) => step.series.operation === operation);
  }

  #ask(step: FetchRequest): void {
    const { series, range } = step;
    this.log.push({ at: this.now, step });
    const days = range ? calendar.intervals("day", range).map(({ start }) => start) : [0];
    const answers = new Map(days.map((day) => [day, this.service(series.operation, day, this.now)]));
    if ([...answers.values()].includes(null)) return;
    this.store.keep(series, days, (day) => answers.get(day) ?? "none", this.now);
  }
}
