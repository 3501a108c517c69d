import fc from "fast-check";
import { expect, test } from "vitest";
import { homeSnapshot } from "../../../../src/core/prices/home-snapshot.ts";
import { judgedPoints } from "../../../../src/core/prices/price-comparison.ts";
import { joinForecast } from "../../../../src/core/prices/timeline.ts";
import { calendar, dayOf, daysOf, HOME, points, timelineOf } from "../../../support/home/price-days.ts";

const days = daysOf("2026-10-22", "2026-10-26");

test("judgedPoints gives every price the level of the home at that time, also on the 25-hour day", () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.integer({ min: -50, max: 400 })), (stream) => {
      const all = points(days, () => Number(stream.next().value) / 100);
      const today = dayOf("2026-10-25");
      const judged = judgedPoints(all, today, calendar);
      expect(judged.length).toBe(100);
      for (const point of judged.filter((_, i) => i % 7 === 0)) {
        const { level, rank, rankOf, percentile } = homeSnapshot({
          home: HOME,
          timeline: timelineOf(all.filter(({ start }) => start < today.end)),
          now: point.start,
          calendar,
        });
        expect(point).toMatchObject({ level, rank, rankOf, percentile });
      }
    }),
    { numRuns: 20 },
  );
});

test("an estimate has a level but no rank; an incomplete day has no ranks", () => {
  const confirmed = points(daysOf("2026-10-22", "2026-10-24"), (i) => i % 96);
  const half = [...confirmed, ...points(dayOf("2026-10-25"), (i) => i).slice(0, 40)];
  const estimates = points(dayOf("2026-10-26"), () => 1, { unit: "hour", estimate: true });
  const judged = judgedPoints(joinForecast(half, estimates), daysOf("2026-10-24", "2026-10-26"), calendar);
  expect(judged[0]).toMatchObject({ level: "very_cheap", rank: 1, rankOf: 96, percentile: 0 });
  expect(judged[96]).toMatchObject({ rank: null, rankOf: null, percentile: null, level: "very_cheap" });
  expect(judged.at(-1)).toMatchObject({ estimate: true, rank: null, level: "very_cheap" });
});

test("the first known hours have no level without a reference", () => {
  const evening = points(dayOf("2026-06-10"), (i) => i).slice(80);
  expect(judgedPoints(evening, dayOf("2026-06-10"), calendar)[0]).toMatchObject({ level: null, rank: null });
});

test("a day after a few known hours is compared with itself, after it is complete", () => {
  // Hours of a new place: two of today at 1, tomorrow at 4.
  const two = points(dayOf("2026-06-10"), () => 1, { unit: "hour" }).slice(22);
  const tomorrow = points(dayOf("2026-06-11"), () => 4, { unit: "hour" });
  const levelsOf = (all: typeof two) => [
    ...new Set(judgedPoints(all, dayOf("2026-06-11"), calendar).map(({ level }) => level)),
  ];
  expect(levelsOf([...two, ...tomorrow])).toEqual(["normal"]);
  expect(levelsOf([...two, ...tomorrow.slice(0, 12)])).toEqual([null]);
  const today = points(dayOf("2026-06-10"), () => 1, { unit: "hour" });
  expect(levelsOf([...today, ...tomorrow])).toEqual(["very_expensive"]);
});

test("a price that overlaps the range is included", () => {
  const all = points(dayOf("2026-06-10"), (i) => i, { unit: "hour" });
  const { start } = dayOf("2026-06-10");
  const judged = judgedPoints(all, { start: start + 90 * 60_000, end: start + 150 * 60_000 }, calendar);
  expect(judged.map(({ price }) => price)).toEqual([1, 2]);
});
