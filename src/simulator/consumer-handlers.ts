import { SERVICE_ZONE } from "../core/time/calendar.ts";
import { type EpochMs, formatInstant } from "../core/time/interval.ts";
import type { RequestContext, ServerHandlers } from "../http/operation-routes.ts";
import { type ContractError, contractError } from "../service/contract/errors.ts";
import { type OperationIdOf, operationOf, type ParamsOf } from "../service/contract/operations.ts";
import type { SimulatedHome } from "./homes.ts";
import { forecastRows } from "./market/forecast.ts";
import { type Region, regions } from "./regions.ts";
import { costsRow, energyRow, revenueRow, type Total, totals } from "./series.ts";
import type { UsageSeries, World } from "./world.ts";

type HomesOf = (context: Pick<RequestContext, "headers" | "now">) => readonly SimulatedHome[];

/** Handlers of the consumer interface for a simulated world. */
export function consumerHandlers(
  world: World,
  homesOf: HomesOf = () => world.homes,
): Pick<ServerHandlers, OperationIdOf<"consumer">> {
  const none = () => ({});
  const revenue = (home: SimulatedHome) => ({ ...currencyOf(home), vatIncluded: false });
  return {
    addresses: async (_, context) => ({ kind: "ok", body: { data: homesOf(context).map(({ address }) => address) } }),
    consumption: usageHandler(world, homesOf, "consumption", { rowOf: energyRow, more: none }),
    consumptionCosts: usageHandler(world, homesOf, "consumptionCosts", { rowOf: costsRow, more: currencyOf }),
    solarExport: usageHandler(world, homesOf, "solarExport", { rowOf: energyRow, more: none }),
    solarExportRevenue: usageHandler(world, homesOf, "solarExportRevenue", { rowOf: revenueRow, more: revenue }),
    prices: async (params, context) =>
      answerFor(homesOf(context), params, "prices", (home) => {
        const range = { start: params.from, end: params.to };
        return {
          ...rangeEnvelope(params),
          resolution: params.resolution,
          ...currencyOf(home),
          vatIncluded: true,
          data: world.prices.confirmed(home.region, params.resolution, range, context.now).map(({ row }) => row),
        };
      }),
    forecastPrices: async (params, context) =>
      answerFor(homesOf(context), params, "forecastPrices", (home) => ({
        addressId: params.addressId,
        resolution: "hour" as const,
        isEstimate: true,
        timeZone: SERVICE_ZONE,
        ...currencyOf(home),
        vatIncluded: true,
        data: forecastRows(world.prices, home.region, world.seed, context.now),
      })),
  };
}

function answerFor<Body>(
  homes: readonly SimulatedHome[],
  { addressId }: { readonly addressId: string },
  operation: OperationIdOf<"consumer">,
  body: (home: SimulatedHome) => Body,
): { readonly kind: "ok"; readonly body: Body } | ContractError {
  const home = homes.find(({ address }) => address.id === addressId);
  if (!home) return contractError("resource_not_found", `this account has no address ${addressId}`);
  const { capability } = operationOf(operation);
  if (!capability || home.address.capabilities[capability]) return { kind: "ok", body: body(home) };
  const reason = `${capability} is not available for the address ${home.address.label}`;
  return contractError("feature_unavailable", reason);
}

/** Creates the handler of a meter series; `more` is added to the envelope. */
function usageHandler<Row, More>(
  world: World,
  homesOf: HomesOf,
  series: UsageSeries,
  { rowOf, more }: { readonly rowOf: (total: Total) => Row; readonly more: (home: SimulatedHome) => More },
) {
  return async (params: ParamsOf<UsageSeries>, context: RequestContext) =>
    answerFor(homesOf(context), params, series, (home) => {
      const { calendar } = world;
      const { now } = context;
      const range = { start: params.from, end: params.to };
      const hoursOn = (day: typeof range) => world.hoursOn(series, home, day, now);
      return {
        ...rangeEnvelope(params),
        aggregation: params.aggregation,
        ...more(home),
        data: totals(range, params.aggregation, hoursOn, { calendar, now }).map(rowOf),
      };
    });
}

function rangeEnvelope({ addressId, from, to }: { addressId: string; from: EpochMs; to: EpochMs }) {
  return { addressId, from: formatInstant(from), to: formatInstant(to), timeZone: SERVICE_ZONE };
}

function currencyOf({ region }: { readonly region: Region }) {
  return { currency: regions[region].currency };
}
