import { DAY_MS, type EpochMs, formatInstant, HOUR_MS, stepStart } from "../core/time/interval.ts";
import type { ServerHandlers } from "../http/operation-routes.ts";
import { contractError } from "../service/contract/errors.ts";
import type { OperationIdOf } from "../service/contract/operations.ts";
import { type ChargeValidity, VAT_FACTOR } from "./market/charges.ts";
import { round6 } from "./market/market.ts";
import type { ConsumerPrice } from "./market/prices.ts";
import { isRegion, type Region, regionAt, regions } from "./regions.ts";
import { regionOfRegisterId, suggestAddresses } from "./streets.ts";
import type { World } from "./world.ts";

const MAX_SUGGESTIONS = 10;

/** Handlers of the third-party interface for a simulated world. `requestsByDay` returns the requests by UTC day. */
export function thirdPartyHandlers(
  world: World,
  requestsByDay: () => ReadonlyMap<EpochMs, number>,
): Pick<ServerHandlers, OperationIdOf<"thirdParty">> {
  const pricesWithCharges = (region: Region, now: EpochMs) => ({
    kind: "ok" as const,
    body: isDanish(region)
      ? chargedPoints(upcoming(world, region, now))
      : spotPoints(upcoming(world, region, now), region),
  });
  return {
    regionPrices: async ({ region }, { now }) => {
      if (!isRegion(region)) return contractError("resource_not_found", `unknown region ${region}`);
      return { kind: "ok", body: spotPoints(upcoming(world, region, now), region) };
    },
    locationPrices: async ({ latitude, longitude }, { now }) => {
      const region = regionAt(latitude, longitude);
      return region ? pricesWithCharges(region, now) : nowhere(latitude, longitude);
    },
    addressSuggestions: async ({ query }) => ({ kind: "ok", body: [...suggestAddresses(query, MAX_SUGGESTIONS)] }),
    addressPrices: async ({ addressId }, { now }) => {
      const found = regionOfRegisterId(addressId);
      if (!found) return contractError("resource_not_found", `unknown address ${addressId}`);
      const { region, isKnown } = found;
      return isKnown
        ? pricesWithCharges(region, now)
        : { kind: "ok", body: spotPoints(upcoming(world, region, now), region) };
    },
    charges: async ({ latitude, longitude, date }) => {
      const region = regionAt(latitude, longitude);
      if (!region || !isDanish(region)) return nowhere(latitude, longitude);
      const valid = byKind(world.charges.at(region, date), (price) => ({ price }));
      return { kind: "ok", body: { date: formatInstant(date), ...valid } };
    },
    chargesHistory: async ({ latitude, longitude, fromDate, toDate }, { now }) => {
      const region = regionAt(latitude, longitude);
      if (!region || !isDanish(region)) return nowhere(latitude, longitude);
      const range = { start: fromDate, end: toDate ?? now };
      if (range.end <= range.start) return contractError("invalid_range", "toDate is not after fromDate");
      const valid = byKind(world.charges.during(region, range), (price, start) => {
        return { from: formatInstant(start), price: { static: { price } } };
      });
      return { kind: "ok", body: { from: formatInstant(range.start), to: formatInstant(range.end), ...valid } };
    },
    requestCounts: async () => ({
      kind: "ok",
      body: [...requestsByDay()].map(([day, requestCount]) => ({ date: formatInstant(day), requestCount })),
    }),
  };
}

/** Returns the published hours from the current one on. */
function upcoming(world: World, region: Region, now: EpochMs): ConsumerPrice[] {
  const start = stepStart(now, HOUR_MS);
  return world.prices.confirmed(region, "hour", { start, end: start + 3 * DAY_MS }, now);
}

/** Returns spot prices without charges and VAT. Unit: DKK per kWh. */
function spotPoints(prices: readonly ConsumerPrice[], region: Region) {
  const { perDkk } = regions[region];
  return prices.map(({ row, spotPerKwh }) => ({ date: row.start, price: round6(spotPerKwh / perDkk) }));
}

/** Returns prices with all charges and VAT, and a colour for each third of the sorted prices. Unit: DKK per kWh. */
function chargedPoints(prices: readonly ConsumerPrice[]) {
  const sorted = prices.map(({ totalPerKwh }) => totalPerKwh).sort((a, b) => a - b);
  const third = sorted[Math.floor(sorted.length / 3)] ?? 0;
  const twoThirds = sorted[Math.floor((sorted.length * 2) / 3)] ?? 0;
  return prices.map(({ row, totalPerKwh, chargesPerKwh }) => ({
    date: row.start,
    price: totalPerKwh,
    charges: chargesPerKwh,
    color: totalPerKwh < third ? ("green" as const) : totalPerKwh < twoThirds ? ("yellow" as const) : ("red" as const),
  }));
}

function byKind<Item>(charges: readonly ChargeValidity[], itemOf: (price: number, start: EpochMs) => Item) {
  const { subscription = [], tariff = [] } = Object.groupBy(charges, ({ kind }) => kind);
  const itemsOf = (each: ChargeValidity[]) =>
    each.map(({ name, ownerName, price, start }) => ({
      name,
      ownerName,
      ...itemOf(round6(price * VAT_FACTOR), start),
    }));
  return { subscriptions: itemsOf(subscription), tariffs: itemsOf(tariff) };
}

function isDanish(region: Region): boolean {
  return regions[region].currency === "DKK";
}

function nowhere(latitude: number, longitude: number) {
  return contractError("resource_not_found", `no data for ${latitude}, ${longitude}`);
}
