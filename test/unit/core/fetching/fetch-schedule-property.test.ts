import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import {
  ADDRESS,
  type Asked,
  calendar,
  FetchScheduleModel,
  local,
  type Richness,
  type Service,
} from "../../../support/service/fetch-schedule-model.ts";

const RUNS = Number(process.env.ELBRO_TIMETABLE_RUNS ?? 60);
const DAYS = 6;
const WORST_DAY = 44;
const USUAL_DAY = 17;
const USAGE = ["consumption", "consumptionCosts", "solarExport", "solarExportRevenue"] as const;

/** Times at which a day of a series first has data, and is complete. Unit: minutes after it can first be requested. */
type Arrival = { readonly first: Richness; readonly afterMinutes: number; readonly wholeAfterMinutes: number };

const arrival: fc.Arbitrary<Arrival> = fc.record({
  first: fc.constantFrom("short", "estimate"),
  afterMinutes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 * 60 })),
  wholeAfterMinutes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 * 60 }), fc.constant(1e9)),
});

/** Start near the clock changes and in summer. */
const start = fc
  .tuple(fc.constantFrom("2026-03-25", "2026-06-09", "2026-10-21"), fc.integer({ min: 0, max: 3 * 24 * 60 }))
  .map(([date, minutes]) => local(date) + minutes * MINUTE_MS);

const model = fc.record({
  start,
  offsetMs: fc.integer({ min: 0, max: 8 * MINUTE_MS }),
  historyDays: fc.integer({ min: 0, max: 20 }),
  /** Arrivals by operation and day, used in rotation. */
  arrivals: fc.array(arrival, { minLength: 1, maxLength: 40 }),
});

/** Returns a service with these arrivals. Minutes count from the first time at which the day can have data. */
function serviceOf(arrivals: readonly Arrival[]): Service {
  return (operation, day, now) => {
    const turn = Math.round(day / DAY_MS) * 5 + ["prices", ...USAGE].indexOf(operation);
    if (day === 0) return "whole";
    const { first, afterMinutes, wholeAfterMinutes } = arrivals[turn % arrivals.length] as Arrival;
    const minutes = (now - earliestOf(operation, day)) / MINUTE_MS;
    if (minutes < afterMinutes) return "none";
    if (minutes >= afterMinutes + wholeAfterMinutes) return "whole";
    return operation === "prices" ? "short" : first;
  };
}

function earliestOf(operation: string, day: EpochMs): EpochMs {
  if (operation !== "prices") return calendar.add("day", day, 1);
  return calendar.timeOnDay(calendar.add("day", day, -1), 13 * 60);
}

/** Returns the number of requests of each whole day, counted from `first`, without back-fill. */
function perDay(log: readonly Asked[], first: EpochMs, next: (at: EpochMs) => EpochMs): number[] {
  const counts: number[] = [];
  const timed = log.filter(({ step }) => step.priority !== "backfill");
  for (let from = first; from < (log.at(-1)?.at ?? 0); from = next(from))
    counts.push(timed.filter(({ at }) => at >= from && at < next(from)).length);
  return counts;
}

const nextDay = (at: EpochMs) => calendar.add("day", at, 1);

test(`for any responses, a day has at most ${WORST_DAY} requests, without duplicates at one instant`, () => {
  fc.assert(
    fc.property(model, ({ arrivals, ...options }) => {
      const it = new FetchScheduleModel({ ...options, service: serviceOf(arrivals) });
      it.run(options.start + DAYS * DAY_MS);
      const counts = perDay(it.log, nextDay(calendar.startOf("day", options.start)), nextDay);
      expect(Math.max(...counts)).toBeLessThanOrEqual(WORST_DAY);
      const seen = it.log.map(({ at, step }) => `${at} ${step.series.operation} ${step.range?.start}`);
      expect(new Set(seen).size).toBe(seen.length);
    }),
    { numRuns: RUNS },
  );
});

test("the worst possible responses reach that bound and do not exceed it", () => {
  const sunday = "2026-06-14";
  const worst: Service = (operation, day, now) => {
    const date = calendar.dateOf(day);
    if (operation === "prices") {
      if (date === sunday) return now >= local(`${sunday} 03:30`) ? "whole" : "none";
      return date < sunday || now >= local(`${sunday} 23:20`) ? "whole" : "none";
    }
    return date < "2026-06-13" || operation === "consumption" ? "whole" : "short";
  };
  const it = new FetchScheduleModel({ start: local("2026-06-13 09:00"), service: worst }).run(
    local("2026-06-15 00:00"),
  );
  const [count] = perDay(it.log, local(sunday), nextDay);
  expect(count).toBe(WORST_DAY);
});

test(`in normal operation the median day has at most ${USUAL_DAY} requests`, () => {
  const minutes = fc.array(fc.integer({ min: -3, max: 30 }), { minLength: 30, maxLength: 30 });
  fc.assert(
    fc.property(minutes, fc.integer({ min: 0, max: 8 * MINUTE_MS }), (delays, offsetMs) => {
      const service: Service = (operation, day, now) => {
        const index = Math.abs(Math.round(day / DAY_MS));
        const delay = (delays[index % delays.length] ?? 0) * MINUTE_MS;
        const since = now - earliestOf(operation, day);
        if (operation === "prices") return since >= delay ? "whole" : "none";
        if (since < 6 * HOUR_MS) return "none";
        return index % 3 === 0 && since < 2 * DAY_MS ? "estimate" : "whole";
      };
      const it = new FetchScheduleModel({ start: local("2026-10-10 09:00"), service, offsetMs, historyDays: 20 });
      it.run(local("2026-11-05 00:00"));
      const counts = perDay(it.log, local("2026-10-11"), nextDay).sort((a, b) => a - b);
      expect(counts[Math.floor(counts.length / 2)]).toBeLessThanOrEqual(USUAL_DAY);
    }),
    { numRuns: Math.ceil(RUNS / 10) },
  );
});

test("missing data is requested until it is complete, for any earlier responses", () => {
  fc.assert(
    fc.property(model, fc.integer({ min: 0, max: 3 * 24 * 60 }), ({ arrivals, ...options }, troubleMinutes) => {
      const recovered = options.start + troubleMinutes * MINUTE_MS;
      const before = serviceOf(arrivals);
      const it = new FetchScheduleModel({
        ...options,
        service: (operation, day, now) =>
          now < recovered ? before(operation, day, now) : wholeWhenOver(operation, day, now),
      });
      const end = calendar.timeOnDay(recovered + 9 * DAY_MS, 19 * 60);
      it.run(end);
      const today = calendar.startOf("day", end);
      const chunk = (operation: "prices" | (typeof USAGE)[number], day: EpochMs) =>
        it.store
          .stateOf(
            {
              account: "consumer",
              place: ADDRESS,
              operation,
              unit: operation === "prices" ? "fifteenMinutes" : "hour",
            },
            end,
          )
          .chunk(day);
      for (let back = 1; back <= 12; back++) {
        const day = calendar.add("day", today, -back);
        if (back <= 11) expect(chunk("prices", day)).toEqual({ complete: true, estimated: false });
        for (const operation of USAGE) expect(chunk(operation, day)).toEqual({ complete: true, estimated: false });
      }
      for (let back = options.historyDays; back > 0; back--)
        expect(chunk("prices", calendar.add("day", today, -back))).not.toBeNull();
    }),
    { numRuns: Math.ceil(RUNS / 3) },
  );
});

function wholeWhenOver(operation: string, day: EpochMs, now: EpochMs): Richness {
  return now >= earliestOf(operation, day) ? "whole" : "none";
}
