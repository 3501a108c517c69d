import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { PublicationTimes } from "../../../src/simulator/market/publication.ts";

const calendar = serviceCalendar();
const days = calendar.intervals("day", { start: Date.UTC(2024, 0, 1), end: Date.UTC(2026, 11, 31) });

test("prices of a day are published at about 13:00 local time on the day before, in summer and winter", () => {
  const publication = new PublicationTimes(1, calendar);
  const ordinary = days
    .map((day) => publication.publishedAt(day))
    .filter((at) => calendar.minuteOfDay(at) < 13 * 60 + 30);
  for (const at of ordinary) expect(Math.abs(calendar.minuteOfDay(at) - 13 * 60)).toBeLessThanOrEqual(15);
  expect(ordinary.length / days.length).toBeGreaterThan(0.85);
});

test("some prices are published one to six hours late, but never after midnight", () => {
  const publication = new PublicationTimes(1, calendar);
  const late = days.filter((day) => calendar.minuteOfDay(publication.publishedAt(day)) >= 13 * 60 + 30);
  expect(late.length / days.length).toBeGreaterThan(0.04);
  expect(late.length / days.length).toBeLessThan(0.15);
  for (const day of late) {
    const minutes = calendar.minuteOfDay(publication.publishedAt(day)) - 13 * 60;
    expect(minutes).toBeGreaterThanOrEqual(60);
    expect(minutes).toBeLessThanOrEqual(360);
    expect(publication.publishedAt(day)).toBeLessThan(day.start);
  }
});

test("a delayed day also delays all later days", () => {
  const held = new PublicationTimes(1, calendar, (date) => (date === "2026-06-11" ? 2 * 24 * 60 : undefined));
  const noon = Date.UTC(2026, 5, 10, 10);
  expect(held.publishedUntil(noon + 4 * HOUR_MS)).toBe(Date.UTC(2026, 5, 10, 22));
  expect(held.publishedUntil(noon + DAY_MS)).toBe(Date.UTC(2026, 5, 10, 22));
  expect(held.publishedUntil(Date.UTC(2026, 5, 12, 11) + MINUTE_MS)).toBe(Date.UTC(2026, 5, 12, 22));
});
