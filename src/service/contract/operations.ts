/**
 * Both interfaces of the service as data: one row per operation. The client, the mirror and the simulator are made
 * from this table, and so is the OpenAPI document. Source: service interface, part 4.
 */
import type * as z from "zod/mini";
import type { Rows } from "../../core/series/series.ts";
import type { RangeCap } from "./limits.ts";
import { rangeCaps } from "./limits.ts";
import type { ParameterValues } from "./parameters.ts";
import * as resource from "./resources.ts";

export type InterfaceName = "consumer" | "thirdParty";

type Schema = z.ZodMiniType;

/** What an answer holds: one document, a bare list of rows, or an envelope around rows in `data`. */
type ResponseShape =
  | { readonly shape: "document"; readonly schema: Schema }
  | { readonly shape: "list"; readonly row: Schema }
  | { readonly shape: "series"; readonly envelope: Schema; readonly row: Schema };

type Kind = keyof ParameterValues;

interface Operation {
  readonly interface: InterfaceName;
  readonly path: string;
  readonly summary: string;
  readonly inPath: Readonly<Record<string, Kind>>;
  /** A kind with a question mark may be left out; every other is required. */
  readonly inQuery: Readonly<Record<string, Kind | `${Kind}?`>>;
  /** Name of the parameter that gives the unit of the range, and the caps by its values. */
  readonly range?: {
    readonly unitFrom: "aggregation" | "resolution";
    readonly caps: Readonly<Record<string, RangeCap | null>>;
  };
  readonly capability?: resource.Capability;
  readonly response: ResponseShape;
}

const ofAddress = { addressId: "uuid" } as const;
const aggregated = { from: "instant", to: "instant", aggregation: "aggregation" } as const;
const at = { latitude: "latitude", longitude: "longitude" } as const;

export const operations = {
  addresses: {
    interface: "consumer",
    path: "/consumer/v1/me/addresses",
    summary: "The user's addresses with capability flags.",
    inPath: {},
    inQuery: {},
    response: { shape: "series", envelope: resource.addressList, row: resource.address },
  },
  consumption: {
    interface: "consumer",
    path: "/consumer/v1/me/addresses/{addressId}/consumption",
    summary: "Consumption of an address, in kWh.",
    inPath: ofAddress,
    inQuery: aggregated,
    range: { unitFrom: "aggregation", caps: rangeCaps.consumption },
    capability: "consumption",
    response: { shape: "series", envelope: resource.consumptionEnvelope, row: resource.consumptionRow },
  },
  consumptionCosts: {
    interface: "consumer",
    path: "/consumer/v1/me/addresses/{addressId}/consumption-costs",
    summary: "Calculated costs including VAT and fixed fees. Danish addresses only.",
    inPath: ofAddress,
    inQuery: aggregated,
    range: { unitFrom: "aggregation", caps: rangeCaps.consumptionCosts },
    capability: "consumptionCosts",
    response: { shape: "series", envelope: resource.consumptionCostsEnvelope, row: resource.consumptionCostsRow },
  },
  solarExport: {
    interface: "consumer",
    path: "/consumer/v1/me/addresses/{addressId}/solar-export",
    summary: "Electricity exported from solar, in kWh.",
    inPath: ofAddress,
    inQuery: aggregated,
    range: { unitFrom: "aggregation", caps: rangeCaps.solarExport },
    capability: "solarExport",
    response: { shape: "series", envelope: resource.solarExportEnvelope, row: resource.solarExportRow },
  },
  solarExportRevenue: {
    interface: "consumer",
    path: "/consumer/v1/me/addresses/{addressId}/solar-export-revenue",
    summary: "Revenue of exported electricity after fixed fees, excluding VAT. Danish addresses only.",
    inPath: ofAddress,
    inQuery: aggregated,
    range: { unitFrom: "aggregation", caps: rangeCaps.solarExportRevenue },
    capability: "solarExportRevenue",
    response: { shape: "series", envelope: resource.solarExportRevenueEnvelope, row: resource.solarExportRevenueRow },
  },
  prices: {
    interface: "consumer",
    path: "/consumer/v1/me/addresses/{addressId}/prices",
    summary: "Confirmed prices with all charges, in currency per kWh.",
    inPath: ofAddress,
    inQuery: { from: "instant", to: "instant", resolution: "resolution" },
    range: { unitFrom: "resolution", caps: rangeCaps.prices },
    capability: "prices",
    response: { shape: "series", envelope: resource.pricesEnvelope, row: resource.priceRow },
  },
  forecastPrices: {
    interface: "consumer",
    path: "/consumer/v1/me/addresses/{addressId}/forecast-prices",
    summary: "Hourly estimates that follow the latest confirmed price.",
    inPath: ofAddress,
    inQuery: {},
    capability: "forecastPrices",
    response: { shape: "series", envelope: resource.forecastPricesEnvelope, row: resource.priceRow },
  },
  regionPrices: {
    interface: "thirdParty",
    path: "/thirdParty/prices/{region}",
    summary: "Future spot prices of a region, without charges.",
    inPath: { region: "text" },
    inQuery: {},
    response: { shape: "list", row: resource.pricePoint },
  },
  locationPrices: {
    interface: "thirdParty",
    path: "/thirdParty/prices/location",
    summary: "Prices including charges at coordinates.",
    inPath: {},
    inQuery: at,
    response: { shape: "list", row: resource.pricePoint },
  },
  addressSuggestions: {
    interface: "thirdParty",
    path: "/thirdParty/prices/addresses/suggestions/{query}",
    summary: "Addresses that match a free text.",
    inPath: { query: "text" },
    inQuery: {},
    response: { shape: "list", row: resource.addressSuggestion },
  },
  addressPrices: {
    interface: "thirdParty",
    path: "/thirdParty/prices/addresses/{addressId}",
    summary: "Prices including charges at an address, best effort.",
    inPath: { addressId: "text" },
    inQuery: {},
    response: { shape: "list", row: resource.pricePoint },
  },
  charges: {
    interface: "thirdParty",
    path: "/thirdParty/prices/charges/location",
    summary: "Charges at coordinates, valid at one time.",
    inPath: {},
    inQuery: { ...at, date: "timestamp" },
    response: { shape: "document", schema: resource.chargesAtDate },
  },
  chargesHistory: {
    interface: "thirdParty",
    path: "/thirdParty/prices/charges/location/history",
    summary: "Charges at coordinates over a time; `toDate` defaults to now.",
    inPath: {},
    inQuery: { ...at, fromDate: "timestamp", toDate: "timestamp?" },
    response: { shape: "document", schema: resource.chargesHistory },
  },
  requestCounts: {
    interface: "thirdParty",
    path: "/thirdParty/currentRequestCount",
    summary: "Requests logged for the account, by day.",
    inPath: {},
    inQuery: {},
    response: { shape: "list", row: resource.requestCount },
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
type Operations = typeof operations;

/** An operation seen without its own types, for code that walks the table. */
export type AnyOperation = Operation;

/** The ids of the table, in its order. */
export const operationIds = Object.keys(operations) as readonly OperationId[];

/** A row of the table by id, seen without its own types. */
export function operationOf(id: OperationId): AnyOperation {
  return operations[id];
}

type Required<Query> = {
  readonly [P in keyof Query as Query[P] extends Kind ? P : never]: Query[P] extends Kind
    ? ParameterValues[Query[P]]
    : never;
};
type Optional<Query> = {
  readonly [P in keyof Query as Query[P] extends `${Kind}?` ? P : never]?: Query[P] extends `${infer K extends Kind}?`
    ? ParameterValues[K]
    : never;
};

/** What an operation is asked with. In a server, `from` and `to` are already normalised. */
export type ParamsOf<Id extends OperationId> = Required<Operations[Id]["inPath"]> &
  Required<Operations[Id]["inQuery"]> &
  Optional<Operations[Id]["inQuery"]>;

/** What an operation answers with. */
export type BodyOf<Id extends OperationId> = Operations[Id]["response"] extends infer Response
  ? Response extends { shape: "document"; schema: infer Document extends Schema }
    ? z.infer<Document>
    : Response extends { shape: "list"; row: infer Row extends Schema }
      ? z.infer<Row>[]
      : Response extends { shape: "series"; envelope: infer Envelope extends Schema; row: infer Row extends Schema }
        ? z.infer<Envelope> & { data: Rows<z.infer<Row>> }
        : never
  : never;

/** An answer of 200. */
export interface Success<Id extends OperationId> {
  readonly kind: "ok";
  readonly body: BodyOf<Id>;
}

/**
 * One function per operation: what the client, the mirror and the simulator each implement. `Otherwise` is what each
 * may give instead of a success, and `Context` what it needs to know of the request beside its parameters.
 */
export type Handlers<Otherwise, Context = void> = {
  readonly [Id in OperationId]: (params: ParamsOf<Id>, context: Context) => Promise<Success<Id> | Otherwise>;
};
