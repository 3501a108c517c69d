import { SERVICE_ZONE } from "../../core/time/calendar.ts";
import { type EpochMs, formatInstant, type Interval } from "../../core/time/interval.ts";
import { type ContractError, contractError } from "../contract/errors.ts";
import { type OperationIdOf, operationOf } from "../contract/operations.ts";
import type { Aggregation } from "../contract/resources.ts";
import type { ServerHandlers } from "../serve/mount.ts";
import { costsRow, energyRow, revenueRow } from "./energy-rows.ts";
import { forecastRows } from "./forecast.ts";
import type { Home } from "./homes.ts";
import { regions } from "./regions.ts";
import { type PricedHour, type Total, totals } from "./series.ts";
import type { World } from "./world.ts";

interface RangeParams {
  readonly addressId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** The consumer interface over an invented world. */
export function consumerHandlers(world: World): Pick<ServerHandlers, OperationIdOf<"consumer">> {
  const answerFor = homeFinder(world);
  return {
    addresses: async () => ({ kind: "ok", body: { data: world.homes.map(({ address }) => address) } }),
    consumption: async (params, { now }) =>
      answerFor(params, "consumption", (home) => ({
        ...aggregationEnvelope(params),
        data: totalsOf(world, params, now, (day) => world.consumptionOn(home, day, now)).map(energyRow),
      })),
    consumptionCosts: async (params, { now }) =>
      answerFor(params, "consumptionCosts", (home) => ({
        ...aggregationEnvelope(params),
        currency: regions[home.region].currency,
        data: totalsOf(world, params, now, (day) => world.costsOn(home, day, now)).map(costsRow),
      })),
    solarExport: async (params, { now }) =>
      answerFor(params, "solarExport", (home) => ({
        ...aggregationEnvelope(params),
        data: totalsOf(world, params, now, (day) => world.exportOn(home, day, now)).map(energyRow),
      })),
    solarExportRevenue: async (params, { now }) =>
      answerFor(params, "solarExportRevenue", (home) => ({
        ...aggregationEnvelope(params),
        currency: regions[home.region].currency,
        vatIncluded: false,
        data: totalsOf(world, params, now, (day) => world.revenueOn(home, day, now)).map(revenueRow),
      })),
    prices: async (params, { now }) =>
      answerFor(params, "prices", ({ region }) => ({
        ...rangeEnvelope(params),
        resolution: params.resolution,
        currency: regions[region].currency,
        vatIncluded: true,
        data: world.prices.confirmed(region, params.resolution, rangeOf(params), now).map(({ row }) => row),
      })),
    forecastPrices: async (params, { now }) =>
      answerFor(params, "forecastPrices", ({ region }) => ({
        addressId: params.addressId,
        resolution: "hour" as const,
        isEstimate: true,
        timeZone: SERVICE_ZONE,
        currency: regions[region].currency,
        vatIncluded: true,
        data: forecastRows(world.prices, region, world.seed, now),
      })),
  };
}

function homeFinder(world: World) {
  return <Body>(
    { addressId }: { readonly addressId: string },
    operation: OperationIdOf<"consumer">,
    body: (home: Home) => Body,
  ): { readonly kind: "ok"; readonly body: Body } | ContractError => {
    const home = world.home(addressId);
    if (!home) return contractError("resource_not_found", `this account has no address ${addressId}`);
    const capability = operationOf(operation).capability;
    if (capability && !home.address.capabilities[capability])
      return contractError(
        "feature_unavailable",
        `${capability} is not available for the address ${home.address.label}`,
      );
    return { kind: "ok", body: body(home) };
  };
}

function totalsOf(
  world: World,
  params: RangeParams & { readonly aggregation: Aggregation },
  now: EpochMs,
  hoursOn: (day: Interval) => readonly PricedHour[],
): Total[] {
  return totals(rangeOf(params), params.aggregation, hoursOn, { calendar: world.calendar, now });
}

function rangeEnvelope({ addressId, from, to }: RangeParams) {
  return { addressId, from: formatInstant(from), to: formatInstant(to), timeZone: SERVICE_ZONE };
}

function aggregationEnvelope(params: RangeParams & { readonly aggregation: Aggregation }) {
  return { ...rangeEnvelope(params), aggregation: params.aggregation };
}

function rangeOf({ from, to }: RangeParams): Interval {
  return { start: from, end: to };
}
