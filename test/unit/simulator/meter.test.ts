import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/core/time/interval.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { Meter } from "../../../src/simulator/meter.ts";

const calendar = serviceCalendar();
const meter = new Meter(demoHomes.danish, 1, calendar);
const year = calendar.intervals("day", { start: Date.UTC(2025, 0, 1), end: Date.UTC(2025, 11, 31) });
const LATER = Date.UTC(2027, 0, 1);

function kwhBetween(flow: "consumption" | "solarExport", from: number, to: number): number {
  const days = calendar.intervals("day", { start: from, end: to });
  const hours = days.flatMap((day) => meter.hoursOn(flow, day, LATER));
  return hours.reduce((sum, { wh }) => sum + wh, 0) / 1_000 / days.length;
}

test("single hours are missing, and sometimes a whole day", () => {
  const lengths = year.map((day) => meter.hoursOn("consumption", day, LATER).length);
  expect(lengths.filter((length) => length === 0).length).toBeGreaterThanOrEqual(1);
  expect(lengths.filter((length) => length === 0).length).toBeLessThan(15);
  expect(lengths.filter((length) => length > 0 && length < 24).length).toBeGreaterThan(10);
});

test("winter consumes more than summer, and summer exports more than winter", () => {
  const [summer, winter] = [Date.UTC(2025, 5, 1), Date.UTC(2025, 0, 1)];
  expect(kwhBetween("consumption", winter, winter + 30 * DAY_MS)).toBeGreaterThan(
    2 * kwhBetween("consumption", summer, summer + 30 * DAY_MS),
  );
  expect(kwhBetween("solarExport", summer, summer + 30 * DAY_MS)).toBeGreaterThan(
    5 * kwhBetween("solarExport", winter, winter + 30 * DAY_MS),
  );
});

test("a year has 2,000 to 8,000 kWh consumption, 1,000 to 5,000 kWh export, and no export at night", () => {
  const [start, end] = [Date.UTC(2025, 0, 1), Date.UTC(2025, 11, 31)];
  expect(kwhBetween("consumption", start, end) * 365).toBeGreaterThan(2_000);
  expect(kwhBetween("consumption", start, end) * 365).toBeLessThan(8_000);
  expect(kwhBetween("solarExport", start, end) * 365).toBeGreaterThan(1_000);
  expect(kwhBetween("solarExport", start, end) * 365).toBeLessThan(5_000);
  for (const day of year) {
    for (const { start: at, wh } of meter.hoursOn("solarExport", day, LATER)) {
      if (at < day.start + 2 * HOUR_MS) expect(wh).toBe(0);
    }
  }
});

test("what further appliances use is part of what the meter of the home counts", () => {
  const night = { start: Date.UTC(2025, 11, 9, 23), end: Date.UTC(2025, 11, 10, 5) };
  const [plain, loaded] = [0, 7_000].map((wh) =>
    new Meter(demoHomes.danish, 1, calendar, () => wh).hoursOn("consumption", night, LATER),
  );
  expect(loaded).toEqual(plain?.map((hour) => ({ ...hour, wh: hour.wh + 7_000 })));
});
