import { describe, expect, test } from "vitest";
import { sundayRecheck, usageDaysUntil } from "../../../../src/core/fetching/usage-schedule.ts";
import { contains, DAY_MS } from "../../../../src/core/time/interval.ts";
import {
  calendar,
  FetchScheduleModel,
  local,
  type Richness,
  type Service,
  targetOf,
} from "../../../support/service/fetch-schedule-model.ts";

const USAGE = ["consumption", "consumptionCosts", "solarExport", "solarExportRevenue"] as const;
const OTHERS = USAGE.slice(1);

/** Returns a model with complete usage before Tuesday 10 March. Its log starts at midnight of that day. */
function model(service: Service, operations: readonly string[] = USAGE, historyDays = 0): FetchScheduleModel {
  const known: Service = (operation, day, now) =>
    calendar.dateOf(day) < "2026-03-09" ? "whole" : service(operation, day, now);
  const it = new FetchScheduleModel({
    start: local("2026-03-09 08:00"),
    service: known,
    targets: [targetOf(operations)],
    historyDays,
  });
  it.run(local("2026-03-10 00:00"));
  it.log = [];
  return it;
}

/** Returns a service that completes yesterday's data at a time of day for each operation. */
function comesAt(times: Partial<Record<string, string>>, otherwise: Richness = "none"): Service {
  return (operation, day, now) => {
    const time = times[operation];
    const tomorrow = calendar.add("day", day, 1);
    return time !== undefined && now >= local(`${calendar.dateOf(tomorrow)} ${time}`) ? "whole" : otherwise;
  };
}

const all = (time: string) => comesAt(Object.fromEntries(USAGE.map((operation) => [operation, time])));

describe("yesterday's usage", () => {
  test("yesterday's usage is requested at 07:00 and not again after it has arrived", () => {
    const it = model(all("06:00")).run(local("2026-03-11 00:00"));
    for (const operation of USAGE) expect(it.times(operation)).toEqual(["07:00"]);
    expect(it.dates("consumption")).toEqual(["2026-03-09..2026-03-09"]);
  });

  test("yesterday's usage is requested for consumption first; the other series follow when it has arrived", () => {
    const it = model(all("11:00")).run(local("2026-03-11 00:00"));
    expect(it.times("consumption")).toEqual(["07:00", "12:00"]);
    for (const operation of OTHERS) expect(it.times(operation)).toEqual(["12:00"]);
  });

  test("yesterday's usage is requested at 07:00, 12:00 and 18:00 for each incomplete series", () => {
    const it = model(comesAt({ consumption: "06:00", solarExport: "11:00" }, "short")).run(local("2026-03-11 00:00"));
    expect(it.times("consumption")).toEqual(["07:00"]);
    expect(it.times("consumptionCosts")).toEqual(["07:00", "12:00", "18:00"]);
    expect(it.times("solarExport")).toEqual(["07:00", "12:00"]);
  });

  test("yesterday's usage is requested for the other series at 18:00 only while consumption has a permanent gap", () => {
    const it = model(comesAt({ consumptionCosts: "06:00" }, "short")).run(local("2026-03-12 00:00"));
    expect(it.times("consumption")).toEqual(["07:00", "12:00", "18:00", "07:00", "12:00", "18:00"]);
    expect(it.times("consumptionCosts")).toEqual(["18:00", "18:00"]);
  });

  test("starts with another series in a home without a consumption meter", () => {
    const it = model(all("11:00"), ["solarExport", "solarExportRevenue"]).run(local("2026-03-11 00:00"));
    expect([it.times("solarExport"), it.times("solarExportRevenue")]).toEqual([["07:00", "12:00"], ["12:00"]]);
    expect(it.times("consumption")).toEqual([]);
  });

  test("yesterday's usage includes missed days, up to a week back", () => {
    const it = model(all("06:00"));
    it.now = local("2026-03-13 07:30");
    it.run(local("2026-03-13 08:00"));
    expect(it.dates("consumption")).toEqual(["2026-03-09..2026-03-12"]);
    it.now = local("2026-04-20 03:00");
    it.run(local("2026-04-20 03:01"));
    // The second one is the missed recheck of Sunday.
    expect(it.dates("consumption").slice(-2)).toEqual(["2026-04-13..2026-04-19", "2026-03-02..2026-04-19"]);
  });

  test("yesterday's usage is requested immediately after an installation, for a week", () => {
    const it = new FetchScheduleModel({
      start: local("2026-03-10 02:00"),
      targets: [targetOf(USAGE)],
      service: () => "none",
    });
    it.run(local("2026-03-10 06:00"));
    for (const operation of USAGE) {
      expect(it.times(operation)).toEqual(["02:00"]);
      expect(it.dates(operation)).toEqual(["2026-03-03..2026-03-09"]);
    }
  });

  test("yesterday's usage is requested immediately although a LAN client just requested last year", () => {
    const it = new FetchScheduleModel({ start: local("2026-03-10 02:00"), targets: [targetOf(["consumption"])] });
    const [place, unit] = [it.targets[0]?.addressId ?? "", "hour"] as const;
    it.store.keep(
      { account: "consumer", place, operation: "consumption", unit },
      [local("2025-03-10")],
      () => "whole",
      it.now,
    );
    expect(it.run(it.now + 1).times("consumption")).toEqual(["02:00"]);
  });

  test("yesterday's usage is requested at 07:00 although back-fill was just stored", () => {
    const it = model(all("06:00")).run(local("2026-03-10 06:59"));
    it.now = local("2026-03-10 07:01");
    const [place, unit] = [it.targets[0]?.addressId ?? "", "hour"] as const;
    it.store.keep(
      { account: "consumer", place, operation: "consumption", unit },
      [local("2025-03-10")],
      () => "whole",
      it.now,
    );
    expect(it.run(local("2026-03-10 08:00")).times("consumption")).toEqual(["07:01"]);
  });
});

describe("estimates", () => {
  const estimatedUntil =
    (final: string): Service =>
    (_operation, day, now) =>
      calendar.dateOf(day) >= "2026-03-09" && now < local(final) ? "estimate" : "whole";

  test("estimates are requested again every morning until they are final", () => {
    const it = model(estimatedUntil("2026-03-12 09:00"), ["consumption"]).run(local("2026-03-15 00:00"));
    expect(it.times("consumption")).toEqual(["07:00", "07:00", "07:00", "07:00", "07:00"]);
    expect(it.dates("consumption")).toEqual([
      ...["2026-03-09..2026-03-09", "2026-03-09..2026-03-10", "2026-03-09..2026-03-11", "2026-03-09..2026-03-12"],
      "2026-03-13..2026-03-13",
    ]);
  });

  test("estimates are requested for a week", () => {
    const it = model(
      (_operation, day) => (calendar.dateOf(day) === "2026-03-09" ? "estimate" : "whole"),
      ["consumption"],
    );
    it.run(local("2026-03-18 00:00"));
    const back = it.dates("consumption").filter((dates) => dates.startsWith("2026-03-09"));
    expect(back).toHaveLength(7);
  });
});

describe("the weekly recheck", () => {
  /** Returns a model with complete consumption that ran for five months. */
  const fiveMonths = () =>
    new FetchScheduleModel({
      start: local("2025-12-31 08:00"),
      service: all("06:00"),
      targets: [targetOf(["consumption"])],
      historyDays: 130,
    }).run(local("2026-06-08 00:00"));

  test("a day is requested again with growing distance, and once more after three months", () => {
    const it = fiveMonths();
    for (let day = local("2026-01-05"); day < local("2026-02-02"); day = calendar.add("day", day, 1)) {
      const asked = it.of("consumption").filter(({ step }) => step.range && contains(step.range, day));
      const ages = asked.map(({ at }) => (at - day) / DAY_MS).filter((age) => age > 1.5);
      const distances = ages.slice(1).map((age, i) => Math.round(age - (ages[i] ?? 0)));
      const date = calendar.dateOf(day);
      expect(new Set([...distances, 7, 14, 21, 28]), date).toEqual(new Set([7, 14, 21, 28]));
      expect(
        [...distances].sort((a, b) => a - b),
        date,
      ).toEqual(distances);
      expect(ages.length, date).toBeGreaterThanOrEqual(5);
      expect(ages.length, date).toBeLessThanOrEqual(8);
      expect(ages.at(-1), date).toBeGreaterThan(92);
    }
  });

  test("a recheck is one request a week for a series, and mostly short", () => {
    const rechecks = fiveMonths().log.filter(
      ({ at }) => new Date(at).getUTCDay() === 0 && [10, 11].includes(new Date(at).getUTCHours()),
    );
    expect(rechecks).toHaveLength(23);
    const days = rechecks.map(({ step }) => ((step.range?.end ?? 0) - (step.range?.start ?? 0)) / DAY_MS);
    expect(Math.max(...days)).toBeLessThanOrEqual(121);
    expect(days.reduce((sum, each) => sum + each, 0) / days.length).toBeLessThan(50);
  });

  test("the weekly recheck is made up for once if it was missed", () => {
    const it = model(all("06:00"), USAGE, 400);
    it.run(local("2026-03-15 11:00"));
    it.log = [];
    it.now = local("2026-03-17 09:00");
    it.run(local("2026-03-20 00:00"));
    expect(it.dates("consumption").filter((dates) => dates.startsWith("2025-11-17"))).toHaveLength(1);
    expect(it.times("consumption")).toEqual(["09:00", "07:00", "07:00"]);
  });

  test("the weekly recheck runs at local noon on days of clock changes", () => {
    for (const sunday of ["2026-03-29", "2026-10-25"]) {
      const it = new FetchScheduleModel({ start: local(`${sunday} 08:00`), targets: [targetOf(["consumption"])] });
      it.run(local(`${sunday} 23:00`));
      expect(it.times("consumption")).toEqual(["08:00", "12:00"]);
    }
  });

  test("the weekly recheck waits for the first Sunday after an installation", () => {
    const it = new FetchScheduleModel({
      start: local("2026-03-11 08:00"),
      targets: [targetOf(["consumption"])],
      historyDays: 30,
    });
    it.run(local("2026-03-15 11:00"));
    expect(it.dates("consumption").filter((dates) => dates.startsWith("2026-02-25"))).toEqual([]);
  });

  test("the weekly recheck completes readings that arrive up to 90 days late, without more requests a day", () => {
    const late: Service = (_operation, day, now) => {
      const daysLate = (Math.round(day / DAY_MS) * 13) % 90;
      return now >= calendar.add("day", day, 1 + daysLate) ? "whole" : "short";
    };
    const it = new FetchScheduleModel({
      start: local("2026-01-06 08:00"),
      service: late,
      targets: [targetOf(["consumption"])],
      historyDays: 20,
    });
    it.run(local("2026-07-06 00:00"));
    const [{ series } = {}] = it.targets[0]?.series ?? [];
    if (!series) throw new Error("no series");
    const state = it.store.stateOf(series, it.now);
    for (let day = local("2026-01-06"); day < local("2026-03-28"); day = calendar.add("day", day, 1))
      expect([calendar.dateOf(day), state.chunk(day)?.complete]).toEqual([calendar.dateOf(day), true]);
    expect(it.log.length).toBeLessThan(181 * 4);
  });
});

test.each([
  ["no request since the last recheck", "03-01", "03-01", "03-08 12:01", "03-08 12:00"],
  ["an answer", "03-08 12:02", "03-08 12:02", "03-08 12:03", null],
  ["a request that was given up", "03-08 12:02", "03-01", "03-08 12:03", "03-08 18:00"],
  ["two requests that were given up", "03-08 18:02", "03-01", "03-08 18:03", "03-09 07:00"],
  ["nothing but requests that were given up, for a day", "03-09 07:02", "03-01", "03-09 12:01", null],
])("after %s, the next recheck of a Sunday is due as expected", (_, asked, received, now, due) => {
  const at = (text: string) => local(`2026-${text.includes(" ") ? text : `${text} 12:01`}`);
  const clock = { now: at(now), calendar, offsetMs: 0 };
  const state = {
    answeredAt: at(received),
    askedAt: () => at(asked),
    receivedAt: () => at(received),
    chunk: () => ({ complete: true, estimated: false }),
    newestGap: () => null,
  };
  const reach = usageDaysUntil(calendar.day(clock.now).start, calendar);
  expect(sundayRecheck(clock, state, reach)?.dueAt ?? null).toBe(due && at(due));
});
