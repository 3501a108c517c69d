import { expect, test } from "vitest";
import { upcomingOnly, upcomingStart } from "../../../../src/api/mirror/upcoming-rows.ts";
import { formatInstant, HOUR_MS } from "../../../../src/core/time/interval.ts";
import type { OperationId, ParamsOf } from "../../../../src/service/contract/operations.ts";
import { seriesOf } from "../../../../src/service/contract/series-mapping.ts";
import { SeriesRepository } from "../../../../src/state/series-repository.ts";
import { openDatabase } from "../../../../src/storage/database.ts";
import { ADDRESS_ID as addressId } from "../../../fixtures/answers.ts";
import { foundAt } from "../../../support/service/mirror-server.ts";
import { calendar, dayOf, rowsOf } from "../../../support/storage/store-on-disk.ts";

const today = dayOf("2026-06-10");
const NOW = today.start + 9.5 * HOUR_MS;
const HOUR = today.start + 9 * HOUR_MS;

test("third-party lists start with the current hour, forecasts after the latest confirmed price", () => {
  const repository = new SeriesRepository(openDatabase(":memory:"), calendar, () => NOW);
  const startOf = (...[account, operation, params]: [string, OperationId, ParamsOf<OperationId>]) =>
    upcomingStart(repository, { account, operation, params }, NOW);
  const forecastFrom = () => startOf("consumer", "forecastPrices", { addressId });
  expect(startOf("thirdParty", "regionPrices", { region: "DK1" })).toBe(HOUR);
  expect(forecastFrom()).toBe(HOUR);
  const params = { addressId, from: today.start, to: today.end, resolution: "fifteenMinutes" } as const;
  repository.store.store(seriesOf("consumer", "prices", params), today, rowsOf("fifteenMinutes", today), {});
  expect(forecastFrom()).toBe(today.end);
  expect(startOf("thirdParty", "addressPrices", { addressId })).toBe(HOUR);
});

test("past rows are omitted, in a list and in a series; rows without a time are kept", () => {
  const rows = [8, 9, 10].map((hour) => ({ date: formatInstant(today.start + hour * HOUR_MS), price: hour }));
  const cut = (text: string, operation: "regionPrices" | "forecastPrices" | "charges") => {
    const found = upcomingOnly(foundAt(NOW, true, text), operation, () => HOUR);
    return { version: found.version, body: JSON.parse(found.read().toString()) };
  };
  expect(cut(JSON.stringify(rows), "regionPrices")).toEqual({ version: `1 ${HOUR}`, body: rows.slice(1) });
  const series = { currency: "DKK", data: [...rows.map(({ date: start, price }) => ({ start, price })), { odd: 1 }] };
  expect(cut(JSON.stringify(series), "forecastPrices").body).toEqual({ currency: "DKK", data: series.data.slice(1) });
  expect(cut(JSON.stringify(rows), "charges")).toEqual({ version: 1, body: rows });
});
