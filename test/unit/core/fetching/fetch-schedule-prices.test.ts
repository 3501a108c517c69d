import { describe, expect, test } from "vitest";
import { priceNeed } from "../../../../src/core/fetching/fetch-schedule.ts";
import type { SeriesState } from "../../../../src/core/fetching/fetch-types.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import {
  calendar,
  datesOf,
  FetchScheduleModel,
  type FetchScheduleModelOptions,
  local,
  type Service,
  targetOf,
} from "../../../support/service/fetch-schedule-model.ts";

const TUESDAY = "2026-03-10";
const EVENING = [
  ...["13:02", "13:07", "13:12", "13:17", "13:32"],
  ...["13:52", "14:12", "14:32", "14:52", "15:12", "15:32", "15:52", "16:12", "16:32", "16:52", "17:12"],
  ...["17:42", "18:12", "19:12", "20:30", "23:30"],
];

/**
 * Returns a service that has the prices of all days before `date`. It publishes later days at the mapped instants, or
 * never.
 */
function published(comes: Readonly<Record<string, string>>, otherwise: "whole" | "none" = "none"): Service {
  return (_operation, day, now) => {
    const date = calendar.dateOf(day);
    if (comes[date] !== undefined) return now >= local(comes[date]) ? "whole" : "none";
    return date <= TUESDAY ? "whole" : otherwise;
  };
}

/** Returns a model with price series only that has today's prices. Its log starts at 10:00. */
function model(service: Service, options: Partial<FetchScheduleModelOptions> = {}): FetchScheduleModel {
  const it = new FetchScheduleModel({
    start: local(`${TUESDAY} 09:00`),
    service,
    targets: [targetOf(["prices"])],
    ...options,
  });
  it.run(local(`${TUESDAY} 10:00`));
  it.log = [];
  return it;
}

describe("the requests that missing prices may still need today", () => {
  const today = calendar.day(local(`${TUESDAY} 12:00`));
  /** Returns the need of one address, last asked at a time of the day, that has today's prices or not. */
  const needAt = (time: string, asked: string | null, hasToday: boolean) => {
    const askedAt = () => (asked === null ? null : local(`${TUESDAY} ${asked}`));
    const complete = { complete: true, estimated: false };
    const chunk = (start: number) => (hasToday && start === today.start ? complete : null);
    const state: SeriesState = { answeredAt: askedAt(), askedAt, chunk, newestGap: () => null };
    return priceNeed({ now: local(`${TUESDAY} ${time}`), calendar, offsetMs: 0 }, [state]).count;
  };

  test.each([
    ["00:10", "00:06", false, 5 + EVENING.length],
    ["03:40", "00:06", false, 1 + 3 + EVENING.length],
    ["03:40", "03:36", false, 3 + EVENING.length],
    ["12:40", null, true, EVENING.length],
    ["13:03", null, true, 1 + EVENING.length - 1],
    ["13:03", "13:02", true, EVENING.length - 1],
    ["23:40", "23:31", true, 0],
  ])("at %s, asked at %s, with today's prices: %s, are %i", (time, asked, hasToday, count) => {
    expect(needAt(time, asked, hasToday)).toBe(count);
  });
});

describe("tomorrow's prices", () => {
  test("tomorrow's prices are requested from 13:02 until they arrive: first every 5 min, then every 20 min, then less often", () => {
    const it = model(published({})).run(local("2026-03-11 00:00"));
    expect(it.times("prices")).toEqual(EVENING);
    expect(new Set(it.dates("prices"))).toEqual(new Set(["2026-03-10..2026-03-11"]));
    expect(new Set(it.of("prices").map(({ step }) => step.priority))).toEqual(new Set(["tomorrow"]));
  });

  test("prices are requested once more in the evening with the last days, and today's in the morning, because the service may correct them", () => {
    const it = model(published({ "2026-03-11": "2026-03-10 13:04" })).run(local("2026-03-11 13:00"));
    expect(it.times("prices")).toEqual(["13:02", "13:07", "21:20", "08:40"]);
    expect(it.dates("prices").slice(-2)).toEqual(["2026-03-07..2026-03-11", "2026-03-11..2026-03-11"]);
    expect(it.of("prices").at(-1)?.step.priority).toBe("usage");
  });

  test("prices of a day are requested again after one to two weeks and after four to twelve, with other requests", () => {
    const it = model((_operation, day, now) => (now >= calendar.add("day", day, -1) + 13 * HOUR_MS ? "whole" : "none"));
    it.run(local("2026-07-01 00:00"));
    const day = local("2026-04-01");
    const ages = it.of("prices").flatMap(({ at, step: { range } }) => {
      const age = Math.floor((at - day) / DAY_MS);
      return range && range.start <= day && day < range.end && age > 3 ? age : [];
    });
    expect(ages.filter((age) => age >= 7 && age <= 14)).not.toEqual([]);
    expect(ages.filter((age) => age >= 28 && age <= 84)).not.toEqual([]);
    // Three a day, tomorrow's prices and two rechecks, and a few on the day of the clock change.
    expect(it.of("prices").length).toBeLessThanOrEqual(3 * 113 + 6);
  });

  test("tomorrow's prices are not requested once more if they arrive after that", () => {
    const it = model(published({ "2026-03-11": "2026-03-10 23:00" })).run(local("2026-03-11 08:00"));
    expect(it.times("prices")).toEqual(EVENING);
  });

  test("tomorrow's prices are requested again if they are incomplete", () => {
    const short: Service = (_operation, day, now) =>
      calendar.dateOf(day) <= TUESDAY || now >= local(`${TUESDAY} 13:15`) ? "whole" : "short";
    expect(model(short).run(local("2026-03-10 21:00")).times("prices")).toEqual(["13:02", "13:07", "13:12", "13:17"]);
  });

  test("tomorrow's prices that stay incomplete are requested ten times, from the part of the quota for polling", () => {
    const short: Service = (_operation, day, now) => {
      if (calendar.dateOf(day) <= TUESDAY) return "whole";
      return now < local(`${TUESDAY} 13:00`) ? "none" : "short";
    };
    const it = model(short).run(local("2026-03-11 00:00"));
    const times = ["13:02", "13:07", "13:12", "13:17", "13:32", "14:32", "15:32", "17:12", "19:12", "23:30"];
    expect(it.times("prices").filter((time) => time !== "21:20")).toEqual(times);
    expect(it.of("prices").filter(({ step }) => step.priority === "tomorrow").length).toBe(1);
  });

  test.each([0, 90_000, 8 * MINUTE_MS])(
    "tomorrow's prices are requested %d ms later with this installation offset",
    (offsetMs) => {
      const it = model(published({}), { offsetMs }).run(local("2026-03-11 00:00"));
      expect(it.of("prices").map(({ at }) => at - offsetMs)).toEqual(
        EVENING.map((time) => local(`${TUESDAY} ${time}`)),
      );
    },
  );

  test("tomorrow's prices are requested from 13:02 on their own day, not at yesterday's times", () => {
    const it = model(published({ "2026-03-11": "2026-03-10 13:00" })).run(local("2026-03-11 13:05"));
    const times = ["2026-03-10 13:02", "2026-03-10 21:20", "2026-03-11 08:40", "2026-03-11 13:02"];
    expect(it.of("prices").map(({ at }) => at)).toEqual(times.map(local));
  });

  test("tomorrow's prices are requested on time although prices of other days were just stored", () => {
    const it = model(published({}));
    it.run(local(`${TUESDAY} 13:01`));
    const { series } =
      new FetchScheduleModel({ start: it.now, targets: it.targets }).run(it.now + 1).log[1]?.step ?? {};
    if (!series) throw new Error("nothing was asked");
    const longAgo = local("2025-03-10");
    it.now = local(`${TUESDAY} 13:03`);
    it.store.keep(series, [longAgo], () => "whole", it.now);
    it.run(local(`${TUESDAY} 13:06`));
    expect(it.times("prices")).toEqual(["13:03"]);
  });

  test("tomorrow's prices are requested together with earlier incomplete days, so that a filled gap is noticed", () => {
    const gap: Service = (_operation, day, now) => {
      const date = calendar.dateOf(day);
      if (date === "2026-03-09") return now >= local("2026-03-11 12:00") ? "whole" : "short";
      return usualPrices(date, now);
    };
    const it = model(gap).run(local("2026-03-12 14:00"));
    const due = it.of("prices").filter(({ step }) => step.priority === "tomorrow");
    expect(due.map(({ step }) => datesOf(step.range))).toEqual([
      ...["2026-03-09..2026-03-11", "2026-03-09..2026-03-12", "2026-03-12..2026-03-13"],
    ]);
  });
});

function usualPrices(date: string, now: number): "whole" | "none" {
  return now >= local(date) - 11 * 60 * MINUTE_MS ? "whole" : "none";
}

describe("today's missing prices", () => {
  test("today's missing prices are requested after midnight, at night and in the morning, and from 13:02 together with tomorrow's", () => {
    const it = model(published({})).run(local("2026-03-11 00:00"));
    it.log = [];
    it.run(local("2026-03-12 00:00"));
    expect(it.times("prices")).toEqual(["00:05", "01:05", "03:35", "06:35", "09:35", "12:35", ...EVENING]);
    expect(new Set(it.dates("prices"))).toEqual(new Set(["2026-03-11..2026-03-12"]));
    expect(new Set(it.of("prices").map(({ step }) => step.priority))).toEqual(new Set(["today"]));
  });

  test("today's missing prices are not requested after they have arrived; tomorrow's then follow their own times", () => {
    const comes = { "2026-03-11": "2026-03-11 03:00", "2026-03-12": "2026-03-11 13:05" };
    const it = model(published(comes)).run(local("2026-03-11 00:00"));
    it.log = [];
    it.run(local("2026-03-12 00:00"));
    expect(it.times("prices")).toEqual(["00:05", "01:05", "03:35", "08:40", "13:02", "13:07", "21:20"]);
  });

  test("today's missing prices are requested alone if tomorrow's are complete", () => {
    const hole: Service = (_operation, day) => (calendar.dateOf(day) === TUESDAY ? "short" : "whole");
    const it = model(hole).run(local(`${TUESDAY} 13:10`));
    expect(it.dates("prices")).toEqual(["2026-03-10..2026-03-10", "2026-03-10..2026-03-10", "2026-03-10..2026-03-10"]);
  });

  test("today's missing prices are requested immediately after an installation, with the three days before and tomorrow", () => {
    const it = new FetchScheduleModel({ start: local(`${TUESDAY} 03:00`), targets: [targetOf(["prices"])] });
    it.run(local(`${TUESDAY} 12:00`));
    expect(it.times("prices")).toEqual(["03:00", "08:40"]);
    expect(it.dates("prices")[0]).toBe("2026-03-07..2026-03-11");
  });

  test("today's missing prices are requested immediately although history was requested just before", () => {
    const it = new FetchScheduleModel({ start: local(`${TUESDAY} 03:00`), targets: [targetOf(["prices"])] });
    const series = {
      ...{ account: "consumer", place: it.targets[0]?.addressId ?? "" },
      ...({ operation: "prices", unit: "fifteenMinutes" } as const),
    };
    it.store.keep(series, [local("2025-03-10")], () => "whole", it.now - 1);
    it.run(it.now + 1);
    expect(it.times("prices")).toEqual(["03:00"]);
  });
});

describe("after a pause", () => {
  test("a restart does not repeat requests", () => {
    const it = model(published({})).run(local(`${TUESDAY} 15:13`));
    it.log = [];
    const again = new FetchScheduleModel({ start: it.now, service: published({}), targets: it.targets });
    Object.assign(again, { store: it.store });
    again.run(local(`${TUESDAY} 15:31`));
    expect(again.times("prices")).toEqual([]);
    expect(again.run(local(`${TUESDAY} 15:33`)).times("prices")).toEqual(["15:32"]);
  });

  test.each(["2026-03-10 18:47", "2026-03-11 11:00", "2026-03-14 02:10", "2026-04-20 22:00"])(
    "after a pause requests missed until %s are made up for with one request",
    (wakes) => {
      const it = model(published({}));
      it.now = local(wakes);
      it.run(it.now + 4 * MINUTE_MS);
      expect(it.of("prices")).toHaveLength(1);
    },
  );
});

describe("clock changes", () => {
  test.each([
    ["2026-03-28", "2026-03-29", "2026-03-30", 23],
    ["2026-10-24", "2026-10-25", "2026-10-26", 25],
  ])("on the evening of %s all of %s is requested, at local times", (before, day, after, hours) => {
    const none: Service = (_operation, start) => (calendar.dateOf(start) <= before ? "whole" : "none");
    const it = new FetchScheduleModel({
      start: local(`${before} 10:00`),
      service: none,
      targets: [targetOf(["prices"])],
    });
    it.run(local(`${before} 11:00`));
    it.log = [];
    it.run(local(`${day} 00:00`));
    expect(it.times("prices")).toEqual(EVENING);
    const range = it.of("prices")[0]?.step.range;
    expect(range && (range.end - range.start) / (60 * MINUTE_MS) - 24).toBe(hours);
    it.log = [];
    it.run(local(`${after} 00:00`));
    expect(it.times("prices")).toEqual(["00:05", "01:05", "03:35", "06:35", "09:35", "12:35", ...EVENING]);
  });
});
