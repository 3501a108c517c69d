import { expect, test } from "vitest";
import { operationIds } from "../../../../src/service/contract/operations.ts";
import {
  accountTarget,
  addressSeries,
  byCapability,
  consumerTargets,
  seriesLabel,
} from "../../../../src/service/contract/polled-series.ts";
import { operationIdOf, seriesOf } from "../../../../src/service/contract/series-mapping.ts";
import { demoHomes } from "../../../../src/simulator/homes.ts";

const ACCOUNT = "consumer";

test("an address with all capabilities has six series, in the order of the operations", () => {
  const series = addressSeries(ACCOUNT, demoHomes.danish.address, "fifteenMinutes");
  expect(series.map((each) => [each.series.operation, each.series.unit, each.poll, each.maxRangeDays])).toEqual([
    ["consumption", "hour", "usage", 366],
    ["consumptionCosts", "hour", "usage", 366],
    ["solarExport", "hour", "usage", 366],
    ["solarExportRevenue", "hour", "usage", 366],
    ["prices", "fifteenMinutes", "prices", 90],
    ["forecastPrices", "latest", "forecast", 366],
  ]);
});

test("the first usage series is consumption, for which the others wait", () => {
  const usage = addressSeries(ACCOUNT, demoHomes.danish.address, "hour").filter(({ poll }) => poll === "usage");
  expect(usage[0]?.series.operation).toBe("consumption");
});

test("byCapability sorts series by capability flags: export before costs", () => {
  const series = addressSeries(ACCOUNT, demoHomes.danish.address, "hour").map((each) => each.series);
  expect(series.toSorted(byCapability).map((each) => seriesLabel(operationIdOf(each)))).toEqual([
    "consumption",
    "export",
    "costs",
    "revenue",
    "prices",
    "forecast",
  ]);
});

test("an address has no series for a missing capability", () => {
  const names = addressSeries(ACCOUNT, demoHomes.norwegian.address, "hour").map(({ series }) => series.operation);
  expect(names).toEqual(["prices"]);
});

test("prices are polled in the resolution of the home, with its maximum range", () => {
  const [prices] = addressSeries(ACCOUNT, demoHomes.norwegian.address, "hour");
  expect(prices).toMatchObject({ series: { unit: "hour" }, maxRangeDays: 366 });
});

test("of a consumer account, only the list of addresses is polled", () => {
  expect(consumerTargets(ACCOUNT)).toEqual([
    { series: seriesOf(ACCOUNT, "addresses", {}), poll: "addresses", reaches: null },
  ]);
});

test("a series of a place is polled as its operation defines", () => {
  const series = seriesOf("third_party", "regionPrices", { region: "DK1" });
  expect(accountTarget(series, 7)).toEqual({ series, poll: "placePrices", reaches: 7 });
  expect(accountTarget(seriesOf("third_party", "requestCounts", {})).poll).toBe("daily");
});

test("accountTarget rejects a series of an address", () => {
  const [series] = addressSeries(ACCOUNT, demoHomes.norwegian.address, "hour");
  expect(() => series && accountTarget(series.series)).toThrow("prices is polled for each address");
});

test("every label is unique", () => {
  const labels = operationIds.map(seriesLabel);
  expect(new Set(labels).size).toBe(labels.length);
  expect(seriesLabel("consumptionCosts")).toBe("costs");
});

test("operationIdOf throws for an unknown operation", () => {
  const series = { account: ACCOUNT, place: "", operation: "weather", unit: "latest" } as const;
  expect(() => operationIdOf(series)).toThrow("the service has no operation weather");
});
