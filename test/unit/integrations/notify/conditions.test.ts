import { expect, test } from "vitest";
import type { Language } from "../../../../src/core/language/language.ts";
import { message } from "../../../../src/core/language/text.ts";
import type { PlanSnapshot } from "../../../../src/core/planning/snapshot/plan-snapshot.ts";
import { homeSnapshot } from "../../../../src/core/prices/home-snapshot.ts";
import { type ProblemFound, Problems } from "../../../../src/core/status/problem.ts";
import { type EpochMs, HOUR_MS } from "../../../../src/core/time/interval.ts";
import { conditionsIn, type Observed } from "../../../../src/integrations/notify/conditions.ts";
import { at, calendar, daysOf, HOME, timelineOf } from "../../../support/home/price-days.ts";
import { definitionOf, planOf, WASHER } from "../../../support/plans/shown-plans.ts";

const NOON = at("2026-03-10T11:00:00Z");
const NOTHING: Observed = { homes: [], plans: [], problems: [], yesterday: [], calendar, now: NOON, language: "en" };

/** Returns a home with hourly prices from `first` to `last`. `price` gets the index of the hour. */
function homeWith(first: string, last: string, price: (hour: number) => number, now: EpochMs = NOON) {
  const { start, end } = daysOf(first, last);
  const points = Array.from({ length: (end - start) / HOUR_MS }, (_, i) => ({
    ...{ start: start + i * HOUR_MS, end: start + (i + 1) * HOUR_MS, price: price(i), estimate: false },
  }));
  return homeSnapshot({ home: HOME, timeline: timelineOf(points), now, calendar });
}

function problem(found: Omit<ProblemFound, "since">) {
  const problems = new Problems(() => undefined);
  problems.start({ ...found, since: NOON });
  return problems.list();
}

test("tomorrow's prices are a condition when they are complete, in the configured language", () => {
  const home = homeWith("2026-03-10", "2026-03-11", (hour) => (hour === 27 ? 0.25 : hour === 42 ? 3 : 1));
  const [english, ...others] = conditionsIn({ ...NOTHING, homes: [home] });
  expect(others).toEqual([]);
  expect(english).toEqual({
    id: "tomorrow home 2026-03-11",
    event: "tomorrow",
    patience: "none",
    note: {
      ...{ title: "Home: tomorrow's prices", priority: 3, tags: ["zap"] },
      message: "1.05 DKK/kWh on average. Lowest 0.25 DKK/kWh at 03:00, highest 3.00 DKK/kWh at 18:00.",
    },
  });
  const [danish] = conditionsIn({ ...NOTHING, homes: [home], language: "da" });
  expect(danish?.note).toMatchObject({
    title: "Home: morgendagens priser",
    message: "1,05 DKK/kWh i gennemsnit. Lavest 0,25 DKK/kWh kl. 03.00, højest 3,00 DKK/kWh kl. 18.00.",
  });
  expect(conditionsIn({ ...NOTHING, homes: [homeWith("2026-03-10", "2026-03-10", () => 1)] })).toEqual([]);
});

test("future negative prices are listed in ranges, and keep their id on the next day", () => {
  const isNegative = (hour: number) => [1, 2, 25, 26, 27, 30].includes(hour);
  const price = (hour: number) => (isNegative(hour) ? -hour / 100 : 1);
  const negativeAt = (now: EpochMs) =>
    conditionsIn({ ...NOTHING, now, homes: [homeWith("2026-03-10", "2026-03-11", price, now)] }).filter(
      ({ event }) => event === "negative_prices",
    );
  expect(negativeAt(NOON)).toMatchObject([
    {
      id: "negative home 2026-03-11",
      note: { title: "Home: negative prices", message: "Tomorrow 01:00-04:00, 06:00-07:00, down to -0.30 DKK/kWh." },
    },
  ]);
  expect(negativeAt(at("2026-03-11T02:30:00Z"))).toMatchObject([
    { id: "negative home 2026-03-11", note: { message: "Today 03:00-04:00, 06:00-07:00, down to -0.30 DKK/kWh." } },
  ]);
});

test("an impossible plan has its reason, and an id per day", () => {
  const plan = planOf({ ...WASHER, maxPrice: -5 });
  expect(conditionsIn({ ...NOTHING, plans: [plan] })).toMatchObject([
    {
      id: "plan washer impossible 2026-03-10",
      event: "plan",
      note: {
        title: "Washer cannot run as planned",
        message: expect.stringMatching(/^Prices are above the maximum of -5\.00 DKK\/kWh: .*\.$/),
      },
    },
  ]);
  expect(conditionsIn({ ...NOTHING, plans: [planOf(WASHER)] })).not.toContainEqual(
    expect.objectContaining({ event: "plan" }),
  );
});

test.each([
  ["en", "Tonight 01:30-04:30, 1.46 DKK cheaper than at 22:00."],
  ["da", "I nat 01.30–04.30, 1,46 DKK billigere end kl. 22.00."],
] as const)("a plan that nothing can move any more is a condition, in %s", (language, text) => {
  const of = (plan: PlanSnapshot) =>
    conditionsIn({ ...NOTHING, language, plans: [plan] }).filter(({ event }) => event === "planned");
  const night = { start: at("2026-03-11T00:30:00Z"), end: at("2026-03-11T03:30:00Z") };
  const saving = { againstNow: null, againstWindowStart: 1.456, againstMean: null };
  const runs = [{ ...night, basis: "prices" as const, begun: false }];
  const plan: PlanSnapshot = { ...planOf(WASHER), runs, nextStart: night.start, saving };
  expect(of(plan)).toMatchObject([{ id: "planned washer 2026-03-11", note: { message: text } }]);
  expect([of({ ...plan, provisional: true }), of({ ...plan, state: "running" })]).toEqual([[], []]);
});

test("what the plans saved yesterday is a condition in the morning", () => {
  const run = { start: 0, end: 1, basis: "prices", meanPrice: 1, windowPrice: 2, kwh: 10 } as const;
  const result = (id: string, windowStartPrice: number | null) => ({
    ...{ definition: { ...definitionOf(WASHER, id), name: id }, currency: "DKK", run: { ...run, windowStartPrice } },
  });
  const yesterday = [result("Car", 4.25), result("Washer", 1.3), result("Car", null)];
  const at = (now: EpochMs, runs = yesterday, language: Language = "en") =>
    conditionsIn({ ...NOTHING, now, language, yesterday: runs }).map(({ note }) => note.message);
  expect(at(NOON)).toEqual(["Yesterday elbro saved 35.50 DKK, most of it with Car."]);
  expect(at(NOON, yesterday.slice(1, 2), "da")).toEqual(["I går sparede elbro 3,00 DKK."]);
  const equal = ["Car", "Washer", "Dryer"].map((id) => result(id, 1.3));
  expect(at(NOON, equal)).toEqual(["Yesterday elbro saved 9.00 DKK."]);
  expect([at(NOON - 7 * HOUR_MS), at(NOON + 9 * HOUR_MS), at(NOON, [result("Car", 1)])]).toEqual([[], [], []]);
});

test("an unresponsive plug has the event plug, every other problem the event problem", () => {
  const silent = problem({
    ...{ code: "plug_silent", subject: "plug heater", names: { name: "Heater" } },
    detail: message("found.plug_offline", { state: message("word.on") }),
  });
  expect(conditionsIn({ ...NOTHING, problems: silent, language: "nb" })).toMatchObject([
    {
      ...{ id: "problem plug_silent plug heater", event: "plug", patience: "some" },
      note: {
        title: "En smartplugg svarer ikke",
        message: expect.stringMatching(/^Smartpluggen Heater svarer ikke; .*\.\nhar ikke svart på 4 kommandoer \(PÅ\)/),
      },
    },
  ]);
  const full = problem({ code: "disk_full", subject: "database", detail: "database or disk is full" });
  expect(conditionsIn({ ...NOTHING, problems: full })).toMatchObject([{ event: "problem" }]);
  const own = problem({ code: "notifications_failed", subject: "notifications", detail: "-" });
  expect(conditionsIn({ ...NOTHING, problems: own })).toEqual([]);
});
