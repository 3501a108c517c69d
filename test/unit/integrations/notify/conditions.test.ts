import { expect, test } from "vitest";
import { message } from "../../../../src/core/language/text.ts";
import { homeSnapshot } from "../../../../src/core/prices/home-snapshot.ts";
import { type ProblemFound, Problems } from "../../../../src/core/status/problem.ts";
import { type EpochMs, HOUR_MS } from "../../../../src/core/time/interval.ts";
import { conditionsIn, type Observed } from "../../../../src/integrations/notify/conditions.ts";
import { at, calendar, daysOf, HOME, timelineOf } from "../../../support/home/price-days.ts";
import { planOf, WASHER } from "../../../support/plans/shown-plans.ts";

const NOON = at("2026-03-10T11:00:00Z");
const NOTHING: Observed = { homes: [], plans: [], problems: [], calendar, now: NOON, language: "en" };

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
  expect(conditionsIn({ ...NOTHING, plans: [planOf(WASHER)] })).toEqual([]);
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
        message: expect.stringMatching(
          /^Smartpluggen Heater svarer ikke; .*\.\nplug heater: har ikke svart på 4 kommandoer \(PÅ\)/,
        ),
      },
    },
  ]);
  const full = problem({ code: "disk_full", subject: "database", detail: "database or disk is full" });
  expect(conditionsIn({ ...NOTHING, problems: full })).toMatchObject([{ event: "problem" }]);
  const own = problem({ code: "notifications_failed", subject: "notifications", detail: "-" });
  expect(conditionsIn({ ...NOTHING, problems: own })).toEqual([]);
});
