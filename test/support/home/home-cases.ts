/** Devices of every kind, with all optional data and with none, for tests of tables and documents. */

import { exportTimeline } from "../../../src/core/prices/export-price.ts";
import { type HomeSnapshot, homeSnapshot } from "../../../src/core/prices/home-snapshot.ts";
import { type MonthFigures, monthFigures } from "../../../src/core/prices/month-figures.ts";
import { type PlaceSnapshot, placePoints, placeSnapshot } from "../../../src/core/prices/place-snapshot.ts";
import { joinForecast } from "../../../src/core/prices/timeline.ts";
import { type DayUsage, type HomeUsage, NO_USAGE, usageFigures } from "../../../src/core/prices/usage.ts";
import type { HourUsage } from "../../../src/core/prices/usage-amounts.ts";
import { type EpochMs, HOUR_MS } from "../../../src/core/time/interval.ts";
import type { RetainedMessage } from "../../../src/mqtt/client/message.ts";
import { announce, type DiscoveryOptions } from "../../../src/mqtt/homeassistant/discovery.ts";
import { type Device, stateMessages } from "../../../src/mqtt/homeassistant/entity.ts";
import type { HomeState } from "../../../src/mqtt/homeassistant/home-entities.ts";
import type { DaemonView } from "../../../src/mqtt/topics/daemon-topics.ts";
import { at, calendar, daysOf, HOME, points, timelineOf } from "./price-days.ts";

const NOW = at("2026-03-10T13:07:00Z");
export const OPTIONS: DiscoveryOptions = { baseTopic: "elbro", prefix: "homeassistant", version: "1.2.3" };

/** Price with the maximum number of digits of a double. */
const LONG_PRICE = 0.12345678901234566;

/** Returns a home with all data: prices, forecast, variable charges and 30-day figures. */
export function fullHome(now: EpochMs = NOW, home = HOME): HomeSnapshot {
  const confirmed = points(daysOf("2026-03-07", "2026-03-11"), (i) => LONG_PRICE + ((i * 37) % 96) / 50 - 0.2).map(
    (point) => ({
      ...point,
      variableCharges: 0.1,
    }),
  );
  const estimates = points(daysOf("2026-03-12", "2026-03-18"), (i) => (i % 24) / 10, { unit: "hour", estimate: true });
  return homeSnapshot({
    home,
    timeline: timelineOf(joinForecast(confirmed, estimates)),
    now,
    calendar,
    last30Days: [0.5, 1, 2],
    publishedAt: () => at("2026-03-10T12:04:00Z"),
  });
}

/** Returns the figures of a month with a peak of 4.5 kW each evening. */
function fullMonth(): MonthFigures {
  const hours = calendar
    .intervals("hour", daysOf("2026-02-15", "2026-03-09"))
    .map(({ start }) => ({ start, value: calendar.minuteOfDay(start) === 1_080 ? 4.5 : 0.5 }));
  const month = { start: at("2026-02-28T23:00:00Z"), end: at("2026-03-31T22:00:00Z") };
  const { start, values } = hourValues(hours, month.end);
  return monthFigures({ start, costs: values, consumption: values, priceAt: () => Number.NaN, calendar }, month, NOW);
}

/** Returns amounts of hours as `MonthData` has them. `start` is that of the first hour. */
export function hourValues(hours: readonly HourUsage[], end: EpochMs, start = hours[0]?.start ?? end) {
  const values = new Float64Array((end - start) / HOUR_MS).fill(Number.NaN);
  for (const hour of hours) values[(hour.start - start) / HOUR_MS] = hour.value;
  return { start, values };
}

/** Returns the state of a home. It exports if its usage has revenue. */
export function homeState(prices = fullHome(), usage = fullUsage()): HomeState {
  const timeline = { points: [...prices.today, ...prices.tomorrow], currency: "DKK", vatIncluded: true };
  const exported = usage.solarExportRevenue && exportTimeline(timeline, [], { calendar });
  const sold = exported && homeSnapshot({ home: prices.home, timeline: exported, now: prices.now, calendar });
  const month = usage.consumption && fullMonth();
  return { prices, sold, usage, month, away: "off" };
}

/** Returns a home without any data. */
export function emptyHome(now: EpochMs = NOW): HomeSnapshot {
  return homeSnapshot({ home: HOME, timeline: null, now, calendar });
}

/** Returns complete, final days of an hour series. */
export function usageOf(first: string, last: string, valueOn: (index: number) => number): DayUsage[] {
  return calendar.intervals("day", daysOf(first, last)).map((day, i) => ({
    ...day,
    date: calendar.dateOf(day.start),
    value: valueOn(i),
    hours: (day.end - day.start) / 3_600_000,
    complete: true,
    estimate: false,
  }));
}

/** Returns all four series, from 15 February on. */
export function fullUsage(now: EpochMs = NOW): HomeUsage {
  const days = usageOf("2026-02-15", "2026-03-09", (i) => 10.1 + i / 7);
  const figures = (unit: string) => usageFigures(days, unit, now, calendar);
  return {
    consumption: figures("kWh"),
    consumptionCosts: figures("DKK"),
    solarExport: figures("kWh"),
    solarExportRevenue: figures("DKK"),
  };
}

/** Returns consumption and its costs without rows, as after empty responses. */
export function emptyUsage(): HomeUsage {
  const figures = (unit: string) => usageFigures([], unit, NOW, calendar);
  return { ...NO_USAGE, consumption: figures("kWh"), consumptionCosts: figures("DKK") };
}

/** Returns a place with charges and colours, or with spot prices only. */
export function place(kind: "charges" | "spot", now: EpochMs = NOW): PlaceSnapshot {
  const rows = points(daysOf("2026-03-10", "2026-03-11"), (i) => 1 + i / 10, { unit: "hour" }).map(
    ({ start, price }, i) => ({
      date: new Date(start).toISOString(),
      price,
      ...(kind === "charges" ? { charges: 0.8, color: ["green", "yellow", "red"][i % 3] } : {}),
    }),
  );
  const cabin = { id: "cabin", name: "Cabin", region: null, currency: "DKK" };
  return placeSnapshot({ place: cabin, points: placePoints(rows), now, calendar });
}

const UPDATE = { version: "1.10.0", url: "https://example.org/elbro/1.10.0" };

/** Returns a daemon with two accounts, problems and series; or one that has just started. */
export function daemon(kind: "busy" | "new"): DaemonView {
  const base = { version: "1.2.3", startedAt: NOW - 60_000, update: kind === "new" ? null : UPDATE };
  if (kind === "new")
    return { ...base, problems: [], interfaces: [], series: [], backfill: null, refusedCommand: null };
  return {
    ...base,
    problems: [
      {
        code: "plus_required",
        subject: "consumer",
        since: NOW - 1_000,
        advice: "renew Plus in the app",
        detail: "403 plus_required",
        requestId: null,
      },
    ],
    interfaces: [
      {
        account: "consumer",
        interface: "consumer",
        service: "plus_required",
        quota: { minute: { limit: 60, left: 58, resetsAt: null }, day: { limit: 2_000, left: 1_990, resetsAt: null } },
        requestsToday: 10,
      },
      {
        account: "third_party",
        interface: "third_party",
        service: "waiting",
        quota: { minute: null, day: null },
        requestsToday: null,
      },
    ],
    series: [
      { owner: { id: "home", name: "Home" }, account: "consumer", label: "prices", lastSuccessAt: NOW - 5_000 },
      { owner: { id: "cabin", name: "Cabin" }, account: "third_party", label: "prices", lastSuccessAt: null },
    ],
    backfill: { known: 400, wanted: 1_975 },
    refusedCommand: { command: "elbro/home/plan/washer/hours/set", reason: "hours: expected hours", at: NOW - 3_000 },
  };
}

/** Returns all retained messages of a device: states, document and the daemon's `online`. */
export function retained<State>(device: Device<State>, others: readonly RetainedMessage[] = []): RetainedMessage[] {
  const { message } = announce(OPTIONS, device, []);
  return [
    { topic: "elbro/status", payload: "online" },
    ...others,
    ...stateMessages(OPTIONS.baseTopic, device),
    message,
  ];
}
