import { expect, test } from "vitest";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { Charges } from "../../../src/simulator/market/charges.ts";

const calendar = serviceCalendar();
const charges = new Charges(calendar);
const totalAt = (text: string) =>
  charges
    .at("DK1", Date.parse(text))
    .filter(({ kind }) => kind === "tariff")
    .reduce((sum, { price }) => sum + price, 0);

test("the winter net tariff is low at night, high by day and highest from 17:00 to 21:00 local time", () => {
  const byHour = charges.tariffsByHour("DK1", calendar.day(Date.UTC(2025, 0, 15)));
  expect(byHour).toHaveLength(24);
  expect(byHour[3]).toBeLessThan(byHour[10] ?? 0);
  expect(byHour[17]).toBeGreaterThan(byHour[16] ?? 0);
  expect(byHour[20]).toBe(byHour[17]);
  expect(byHour[21]).toBe(byHour[10]);
});

test("the summer peak is lower than the winter peak", () => {
  expect(totalAt("2025-07-01T16:00:00Z")).toBeLessThan(totalAt("2025-01-15T17:00:00Z"));
});

test("the season changes at local midnight", () => {
  expect(totalAt("2025-09-30T21:59:59Z")).toBeCloseTo(totalAt("2025-09-30T20:00:00Z"), 9);
  const summer = charges.at("DK1", Date.parse("2025-09-30T15:30:00Z")).find(({ hours }) => hours);
  const winter = charges.at("DK1", Date.parse("2025-09-30T22:00:00Z")).find(({ hours }) => hours);
  expect(summer?.end).toBe(Date.parse("2025-09-30T22:00:00Z"));
  expect(winter?.start).toBe(summer?.end);
});

test("exactly one band of a time-dependent tariff is valid at any instant", () => {
  for (let hour = 0; hour < 24; hour++) {
    const bands = charges.at("DK2", Date.UTC(2025, 4, 5, hour)).filter(({ hours }) => hours);
    expect(bands).toHaveLength(1);
  }
});

test("every region has its own charges", () => {
  const owners = (["DK1", "DK2", "SE4", "NO2"] as const).map((region) =>
    charges
      .at(region, Date.UTC(2025, 4, 5))
      .map(({ ownerName }) => ownerName)
      .join(),
  );
  expect(new Set(owners).size).toBe(4);
});
