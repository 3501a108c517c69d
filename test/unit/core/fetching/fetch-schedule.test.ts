import { describe, expect, test } from "vitest";
import {
  type AccountPoll,
  type AccountTarget,
  type FetchScheduleInput,
  isKnown,
} from "../../../../src/core/fetching/fetch-types.ts";
import type { SeriesKey } from "../../../../src/core/series/series.ts";
import { contains, HOUR_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import {
  calendar,
  datesOf,
  FetchScheduleModel,
  local,
  type Service,
  targetOf,
  usual,
} from "../../../support/service/fetch-schedule-model.ts";

const TUESDAY = "2026-03-10";
const MORNING = ["06:20", "09:20"];
const EVENING = ["15:20", "18:20", "21:20"];

test.each([
  [null, null, false],
  [{ complete: true, estimated: false }, null, true],
  [{ complete: true, estimated: true }, 1, true],
  [{ complete: false, estimated: false }, null, true],
  [{ complete: false, estimated: false }, 9, false],
  [{ complete: false, estimated: false }, 10, true],
])(
  "nothing more can be learned about the chunk %o that was asked for at %j and ends at 10: %j",
  (chunk, askedAt, known) => {
    expect(isKnown(chunk, askedAt, 10)).toBe(known);
  },
);

describe("the forecast", () => {
  const model = (service: Service = usual) => {
    const it = new FetchScheduleModel({
      start: local(`${TUESDAY} 14:00`),
      service,
      targets: [targetOf(["prices", "forecastPrices"])],
    }).run(local("2026-03-11 00:00"));
    it.log = [];
    return it;
  };

  test("the forecast is requested every three hours of the day, and once after tomorrow's prices arrive", () => {
    const times = model().run(local("2026-03-12 00:00")).times("forecastPrices");
    expect(times).toEqual([...MORNING, "13:07", ...EVENING]);
  });

  test("the forecast is also requested after prices that arrive late", () => {
    const late: Service = (operation, day, now) =>
      operation === "prices" && calendar.dateOf(day) === "2026-03-12" && now < local("2026-03-11 16:10")
        ? "none"
        : usual(operation, day, now);
    const times = model(late).run(local("2026-03-12 00:00")).times("forecastPrices");
    expect(times).toEqual([...MORNING, "13:50", "15:20", "16:12", "18:20", "21:20"]);
  });

  test("the forecast is not requested in the morning while today's prices are missing", () => {
    const none: Service = (_operation, day) => (calendar.dateOf(day) <= TUESDAY ? "whole" : "none");
    const times = model(none).run(local("2026-03-12 00:00")).times("forecastPrices");
    expect(times).toEqual(EVENING);
  });

  test("the forecast is requested every three hours of the day for an address without prices", () => {
    const it = new FetchScheduleModel({ start: local(`${TUESDAY} 00:00`), targets: [targetOf(["forecastPrices"])] });
    const times = it.run(local("2026-03-11 00:00")).times("forecastPrices");
    expect(times).toEqual(["00:00", ...MORNING, "13:50", ...EVENING]);
  });

  test("the forecast is requested at local times on days of clock changes", () => {
    for (const day of ["2026-03-29", "2026-10-25"]) {
      const start = local(`${day} 00:00`);
      const it = new FetchScheduleModel({ start: start - HOUR_MS, service: () => "whole" }).run(start);
      it.log = [];
      it.run(calendar.add("day", start, 1));
      expect(it.times("forecastPrices")).toEqual([...MORNING, "13:02", ...EVENING]);
    }
  });
});

describe("the list of addresses", () => {
  test("the list of addresses is requested first, then once a day", () => {
    const it = new FetchScheduleModel({ start: local(`${TUESDAY} 09:00`), targets: [] }).run(local("2026-03-13 00:00"));
    expect(it.times("addresses")).toEqual(["09:00", "04:10", "04:10"]);
    expect(it.log.map(({ step }) => step.priority)).toEqual(["today", "account", "account"]);
  });
});

const REGION: SeriesKey = { account: "consumer", place: '{"region":"DK1"}', operation: "regionPrices", unit: "latest" };

function place(poll: AccountPoll, reaches: number | null): AccountTarget {
  return { series: REGION, poll, reaches };
}

describe("places", () => {
  const reaching = (reaches: (now: number) => number | null) =>
    new FetchScheduleModel({
      start: local(`${TUESDAY} 09:00`),
      targets: [],
      accountTargets: (now) => [place("placePrices", reaches(now))],
    });

  test("places are requested for prices until these reach the end of tomorrow, and once more in the evening", () => {
    const it = reaching((now) => {
      const published = calendar.timeOnDay(now, 13 * 60 + 10);
      const asked = it.of("regionPrices").some(({ at }) => at >= published && at >= calendar.startOf("day", now));
      return calendar.add("day", calendar.startOf("day", now), asked ? 2 : 1);
    });
    it.run(local("2026-03-12 00:00"));
    const daily = ["13:02", "13:07", "13:17", "20:02"];
    expect(it.times("regionPrices")).toEqual(["09:00", ...daily, ...daily]);
    expect(it.log.map(({ step }) => step.priority)).toEqual(["today", ...Array(8).fill("tomorrow")]);
  });

  test("without prices are requested eight times a day, first after midnight", () => {
    const it = reaching(() => null).run(local("2026-03-11 00:00"));
    it.log = [];
    it.run(local("2026-03-12 00:00"));
    expect(it.times("regionPrices")).toEqual([
      ...["00:20", "13:02", "13:07", "13:17", "14:02", "15:02", "17:02", "20:02"],
    ]);
  });

  test("by address are searched first, as part of their prices, before the statistics of the account", () => {
    const of = (operation: string, poll: AccountPoll): AccountTarget => ({
      ...{ poll, reaches: null },
      series: { account: "third_party", place: operation, operation, unit: "latest" },
    });
    const it = new FetchScheduleModel({
      start: local(`${TUESDAY} 09:00`),
      targets: [],
      accountTargets: () => [
        of("requestCounts", "daily"),
        of("charges", "once"),
        of("addressSuggestions", "addressSearch"),
      ],
    }).run(local("2026-03-13 00:00"));
    expect(it.log.map(({ step }) => [step.series.operation, step.priority]).slice(0, 3)).toEqual([
      ["addressSuggestions", "today"],
      ["requestCounts", "account"],
      ["charges", "account"],
    ]);
    expect(it.times("addressSuggestions")).toEqual(["09:00"]);
  });

  test("places are requested once for constant data, and once a day for data that may change", () => {
    const times = (poll: AccountPoll) =>
      new FetchScheduleModel({
        start: local(`${TUESDAY} 09:00`),
        targets: [],
        accountTargets: () => [place(poll, null)],
      })
        .run(local("2026-03-13 00:00"))
        .times("regionPrices");
    expect(times("once")).toEqual(["09:00"]);
    expect(times("daily")).toEqual(["09:00", "05:10", "05:10"]);
  });
});

describe("history", () => {
  test("history is filled from the newest day back to the configured start, in the largest accepted ranges up to 200 days", () => {
    const it = new FetchScheduleModel({ start: local(`${TUESDAY} 09:00`), historyDays: 500 }).run(
      local(`${TUESDAY} 10:00`),
    );
    const filled = (operation: "prices" | "consumption") =>
      it.of(operation).flatMap(({ step }) => (step.priority === "backfill" ? datesOf(step.range) : []));
    expect(filled("consumption")).toEqual([
      "2025-08-15..2026-03-02",
      "2025-01-27..2025-08-14",
      "2024-10-26..2025-01-26",
    ]);
    expect(filled("prices")).toEqual([
      ...["2025-12-07..2026-03-06", "2025-09-08..2025-12-06", "2025-06-10..2025-09-07"],
      ...["2025-03-12..2025-06-09", "2024-12-12..2025-03-11", "2024-10-26..2024-12-11"],
    ]);
    it.log = [];
    it.run(local("2026-03-20 00:00"));
    expect(it.log.filter(({ step }) => step.priority === "backfill")).toEqual([]);
  });

  test("history is requested last", () => {
    const it = new FetchScheduleModel({ start: local(`${TUESDAY} 09:00`), historyDays: 500 }).run(
      local(`${TUESDAY} 09:01`),
    );
    const kinds = it.log.map(({ step }) => step.priority);
    expect(kinds.indexOf("backfill")).toBe(kinds.length - kinds.filter((kind) => kind === "backfill").length);
  });

  test("history continues where it stopped", () => {
    let open = false;
    const notBefore: FetchScheduleInput["notBefore"] = ({ priority }) =>
      priority === "backfill" && !open ? Number.POSITIVE_INFINITY : 0;
    const it = new FetchScheduleModel({ start: local(`${TUESDAY} 09:00`), historyDays: 500, notBefore });
    it.targets = [targetOf(["consumption"])];
    it.run(local("2026-03-15 09:00"));
    expect(it.log.some(({ step }) => step.priority === "backfill")).toBe(false);
    open = true;
    it.log = [];
    it.run(it.now + 1);
    expect(it.dates("consumption")).toEqual([
      "2025-08-15..2026-03-02",
      "2025-01-27..2025-08-14",
      "2024-10-31..2025-01-26",
    ]);
  });

  test("history that waits is not reported as held, but other due requests are, until the last of them may be sent", () => {
    const start = local(`${TUESDAY} 09:00`);
    const heldUntil = (waits: FetchScheduleInput["notBefore"]) => {
      const it = new FetchScheduleModel({ start, historyDays: 40, notBefore: waits });
      it.run(start + 1);
      const next = it.next();
      return next.kind === "sleep" ? next.heldUntil : "nothing sleeps";
    };
    expect(heldUntil(({ priority }) => (priority === "backfill" ? start + HOUR_MS : 0))).toBeNull();
    const waits = { prices: start + 20 * MINUTE_MS, consumption: start + 40 * MINUTE_MS };
    expect(heldUntil(({ series }) => waits[series.operation as keyof typeof waits] ?? 0)).toBe(waits.consumption);
  });

  test("history fills the days of a long absence, after the requests with regular times", () => {
    const it = new FetchScheduleModel({
      start: local(`${TUESDAY} 09:00`),
      historyDays: 40,
      targets: [targetOf(["consumption"])],
    });
    it.run(local(`${TUESDAY} 10:00`));
    it.log = [];
    it.now = local("2026-03-30 09:00");
    it.run(it.now + 1);
    // The second one is the missed recheck of Sunday.
    expect(it.dates("consumption")).toEqual(["2026-03-23..2026-03-29", "2026-01-29..2026-03-29"]);
  });

  test("history includes days that were requested before they had ended, such as the current month", () => {
    const it = new FetchScheduleModel({
      start: local(`${TUESDAY} 09:00`),
      historyDays: 40,
      targets: [targetOf(["consumption", "prices"])],
    });
    it.run(local(`${TUESDAY} 10:00`));
    const month = calendar.intervals("day", { start: local("2026-03-01"), end: local("2026-04-01") });
    for (const { series } of it.targets[0]?.series ?? [])
      it.store.keep(
        series,
        month.map(({ start }) => start),
        (day) => usual(series.operation, day, it.now) ?? "none",
        it.now,
      );
    it.log = [];
    it.now = local("2026-04-02 09:00");
    it.run(it.now + 1);
    for (const operation of ["consumption", "prices"])
      for (const { start } of month.filter((day) => day.start > local(TUESDAY)))
        expect(it.of(operation).some(({ step }) => step.range && contains(step.range, start))).toBe(true);
    it.log = [];
    it.run(local("2026-04-02 10:00"));
    expect(it.log.filter(({ step }) => step.priority === "backfill")).toEqual([]);
  });

  test("history is not requested for zero days", () => {
    const it = new FetchScheduleModel({ start: local(`${TUESDAY} 09:00`), historyDays: 0 }).run(
      local(`${TUESDAY} 10:00`),
    );
    expect(it.log.some(({ step }) => step.priority === "backfill")).toBe(false);
  });
});

test("requests are made in the order of their priority", () => {
  const it = new FetchScheduleModel({ start: local(`${TUESDAY} 09:00`), historyDays: 30 });
  it.run(it.now + 1);
  expect([...new Set(it.log.map(({ step }) => step.priority))]).toEqual(["today", "usage", "forecast", "backfill"]);
});

test("tomorrow's prices are requested before the list of addresses and yesterday's usage", () => {
  const it = new FetchScheduleModel({ start: local(`${TUESDAY} 02:00`), service: () => "none", targets: [targetOf()] });
  it.run(local(`${TUESDAY} 03:00`));
  const known: Service = (operation) => (operation === "prices" ? "whole" : "none");
  it.service = known;
  it.run(local("2026-03-11 03:00"));
  it.service = () => "none";
  it.log = [];
  it.now = local("2026-03-11 13:03");
  it.run(it.now + 1);
  expect([...new Set(it.log.map(({ step }) => step.priority))]).toEqual(["tomorrow", "account", "usage", "forecast"]);
});

test("operations without data at an address are never requested", () => {
  const operations = ["prices", "solarExport"] as const;
  const it = new FetchScheduleModel({
    start: local(`${TUESDAY} 09:00`),
    targets: [targetOf(operations)],
    historyDays: 100,
  });
  it.run(local("2026-03-20 00:00"));
  const asked = new Set(it.log.map(({ step }) => step.series.operation));
  expect(asked).toEqual(new Set(["addresses", ...operations]));
});

describe("time of a request", () => {
  test("time of a request is postponed for one series until the time from the error policy", () => {
    const until = local(`${TUESDAY} 14:47`);
    const it = new FetchScheduleModel({
      start: local(`${TUESDAY} 09:00`),
      service: (operation) => (operation === "prices" ? "whole" : "none"),
      notBefore: ({ series }) => (series.operation === "prices" ? until : 0),
    }).run(local(`${TUESDAY} 15:00`));
    expect(it.times("prices")).toEqual(["14:47"]);
    expect(it.times("consumption")).toEqual(["09:00", "12:00"]);
  });

  test("time of a request is repeated after a failure at the times from the error policy", () => {
    let wait = 0;
    const it = new FetchScheduleModel({
      start: local(`${TUESDAY} 09:00`),
      targets: [targetOf(["prices"])],
      service: (operation) => {
        if (operation === "prices") wait = it.now + 7 * MINUTE_MS;
        return operation === "prices" && it.now < local(`${TUESDAY} 09:15`) ? null : "whole";
      },
      notBefore: ({ series }) => (series.operation === "prices" ? wait : 0),
    });
    it.run(local(`${TUESDAY} 10:00`));
    expect(it.times("prices")).toEqual(["09:00", "09:07", "09:14", "09:21"]);
  });

  test("time of a request for tomorrow's prices is one of their slots, also in the pause of an outage", () => {
    const failedAt = local(`${TUESDAY} 12:50`);
    const it: FetchScheduleModel = new FetchScheduleModel({
      start: local(`${TUESDAY} 09:00`),
      notBefore: ({ priority }, ownTime) =>
        it.now < failedAt || priority === "today" ? 0 : Math.min(failedAt + HOUR_MS, ownTime?.(it.now - 1) ?? Infinity),
    });
    it.run(local(`${TUESDAY} 13:49`));
    expect(it.times("prices")).toEqual(["09:00", "13:02", "13:07"]);
    expect(it.times("forecastPrices").filter((time) => time > "12:50")).toEqual([]);
  });

  test("time of a request sleeps at most one hour, and never until a time in the past", () => {
    for (let at = local(`${TUESDAY} 09:00`); at < local("2026-03-11 09:00"); at += 7 * MINUTE_MS) {
      const it = new FetchScheduleModel({ start: at, service: () => "whole" });
      it.run(at + 1);
      const step = it.next();
      expect(step.kind === "sleep" && step.until > it.now && step.until <= it.now + HOUR_MS).toBe(true);
    }
  });

  test("time of a request does not request existing data again after the clock was set back an hour", () => {
    const it = new FetchScheduleModel({ start: local(`${TUESDAY} 09:00`), service: () => "whole" });
    it.run(local(`${TUESDAY} 10:30`));
    it.log = [];
    it.now -= HOUR_MS;
    it.run(local(`${TUESDAY} 12:00`));
    expect(it.log.map(({ step }) => step.series.operation)).toEqual([]);
  });

  test("time of a request requests missing data once after a clock that was years ahead is corrected", () => {
    const it = new FetchScheduleModel({ start: local("2069-01-01 10:00"), service: () => "none" }).run(
      local("2069-01-01 10:30"),
    );
    it.service = () => "whole";
    it.log = [];
    it.now = local(`${TUESDAY} 09:00`);
    it.run(local(`${TUESDAY} 09:10`));
    const asked = it.log.map(({ step }) => step.series.operation);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked).toContain("prices");
  });
});
