import { expect, test } from "vitest";
import { greeting, houseText } from "../../../src/cli/greeting.ts";
import { VERSION } from "../../../src/core/status/version.ts";
import type { PriceOfHome } from "../../../src/plans/house-overview.ts";
import { at, calendar } from "../../support/home/price-days.ts";

const NOW = at("2026-03-10T18:20:00Z");
const HOME: PriceOfHome = {
  ...{ name: "Home", price: 1.4249, currency: "DKK", until: at("2026-03-10T18:30:00Z") },
  ...{ level: "very_cheap", estimate: false },
};

test("the greeting has the version, the dashboard's URL and the broker", () => {
  expect(greeting("http://192.168.1.5:8080/", "192.168.1.10:1883")).toBe(
    `elbro ${VERSION}\n  dashboard    http://192.168.1.5:8080/\n  MQTT         192.168.1.10:1883\n`,
  );
});

test("the overview has current prices and runs in local time", () => {
  const runs = [
    { plan: "Car", on: true, start: at("2026-03-10T18:00:00Z"), end: at("2026-03-10T19:00:00Z") },
    { plan: "Dishwasher", on: false, start: at("2026-03-10T20:15:00Z"), end: at("2026-03-10T22:15:00Z") },
    { plan: "Floor", on: false, start: at("2026-03-11T01:00:00Z"), end: at("2026-03-11T02:00:00Z") },
  ];
  const cabin = { ...HOME, name: "Cabin", price: null, until: null };
  const guess = { ...HOME, name: "Flat", estimate: true, level: null, currency: null };
  expect(houseText({ prices: [HOME, cabin, guess], runs }, calendar, NOW).split("\n")).toEqual([
    "  Home         1.42 DKK/kWh until 19:30, very cheap",
    "  Cabin        current price not known",
    "  Flat         1.42 until 19:30, an estimate",
    "  Car          runs until 20:00",
    "  Dishwasher   runs 21:15-23:15",
    "  Floor        runs 2026-03-11 02:00-03:00",
    "",
  ]);
});

test("the overview is empty without a home", () => {
  expect(houseText({ prices: [], runs: [] }, calendar, NOW)).toBe("");
});
