/** Table of the operations of both interfaces, the source of all else. Source: service interface, part 4. */
import type * as z from "zod/mini";
import type { AccountPoll, AddressPoll } from "../../core/fetching/fetch-types.ts";
import type { Rows } from "../../core/series/series.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time/interval.ts";
import { DAYS_90, DAYS_366, FIVE_YEARS, type RangeCap } from "./limits.ts";
import type { ParameterValues } from "./parameters.ts";
import * as resource from "./resources.ts";

export type InterfaceName = "consumer" | "thirdParty";

type Schema = z.ZodMiniType;

/** Shape of a response: one document, a list of rows, or an envelope with rows in `data`. */
type ResponseShape =
  | { readonly shape: "document"; readonly schema: Schema }
  | { readonly shape: "list"; readonly row: Schema }
  | { readonly shape: "series"; readonly envelope: Schema; readonly row: Schema };

type Kind = keyof ParameterValues;

/**
 * Storage and polling of responses. For `freshForMs`, the mirror returns a stored response that may still change
 * without a request. `label` names an address series in MQTT topics and in the daemon's state.
 */
type Keep =
  | { readonly label: string; readonly freshForMs: number; readonly poll: AddressPoll }
  | { readonly freshForMs: number; readonly poll: AccountPoll };

interface Operation {
  readonly interface: InterfaceName;
  readonly path: string;
  readonly summary: string;
  readonly inPath: Readonly<Record<string, Kind>>;
  /** Query parameters; a kind with a question mark is optional. */
  readonly inQuery: Readonly<Record<string, Kind | `${Kind}?`>>;
  /** Name of the parameter with the unit of the range, and the caps by its values. */
  readonly range?: {
    readonly unitFrom: "aggregation" | "resolution";
    readonly caps: Readonly<Record<string, RangeCap | null>>;
  };
  readonly capability?: resource.Capability;
  readonly response: ResponseShape;
  readonly keep: Keep;
}

const ofAddress = { addressId: "uuid" } as const;
const usage = {
  interface: "consumer",
  inPath: ofAddress,
  inQuery: { from: "instant", to: "instant", aggregation: "aggregation" },
} as const;
const thirdParty = { interface: "thirdParty", inPath: {}, inQuery: {} } as const;
const uncapped = { hour: null, day: null, month: null, year: null } as const;
const of366Days = { hour: DAYS_366, day: DAYS_366, month: DAYS_366, year: DAYS_366 } as const;
const FRESH_MS = 15 * MINUTE_MS;
const at = { latitude: "latitude", longitude: "longitude" } as const;

export const operations = {
  addresses: {
    interface: "consumer",
    path: "/consumer/v1/me/addresses",
    summary: "The user's addresses with capability flags.",
    inPath: {},
    inQuery: {},
    response: { shape: "series", envelope: resource.addressList, row: resource.address },
    keep: { freshForMs: 25 * HOUR_MS, poll: "addresses" },
  },
  consumption: {
    ...usage,
    path: "/consumer/v1/me/addresses/{addressId}/consumption",
    summary: "Consumption of an address, in kWh.",
    range: { unitFrom: "aggregation", caps: uncapped },
    capability: "consumption",
    response: { shape: "series", envelope: resource.consumptionEnvelope, row: resource.consumptionRow },
    keep: { label: "consumption", freshForMs: FRESH_MS, poll: "usage" },
  },
  consumptionCosts: {
    ...usage,
    path: "/consumer/v1/me/addresses/{addressId}/consumption-costs",
    summary: "Calculated costs including VAT and fixed fees. Danish addresses only.",
    range: { unitFrom: "aggregation", caps: of366Days },
    capability: "consumptionCosts",
    response: { shape: "series", envelope: resource.consumptionCostsEnvelope, row: resource.consumptionCostsRow },
    keep: { label: "costs", freshForMs: FRESH_MS, poll: "usage" },
  },
  solarExport: {
    ...usage,
    path: "/consumer/v1/me/addresses/{addressId}/solar-export",
    summary: "Electricity exported from solar, in kWh.",
    range: { unitFrom: "aggregation", caps: { hour: DAYS_366, day: FIVE_YEARS, month: FIVE_YEARS, year: FIVE_YEARS } },
    capability: "solarExport",
    response: { shape: "series", envelope: resource.solarExportEnvelope, row: resource.solarExportRow },
    keep: { label: "export", freshForMs: FRESH_MS, poll: "usage" },
  },
  solarExportRevenue: {
    ...usage,
    path: "/consumer/v1/me/addresses/{addressId}/solar-export-revenue",
    summary: "Revenue of exported electricity after fixed fees, excluding VAT. Danish addresses only.",
    range: { unitFrom: "aggregation", caps: of366Days },
    capability: "solarExportRevenue",
    response: { shape: "series", envelope: resource.solarExportRevenueEnvelope, row: resource.solarExportRevenueRow },
    keep: { label: "revenue", freshForMs: FRESH_MS, poll: "usage" },
  },
  prices: {
    interface: "consumer",
    path: "/consumer/v1/me/addresses/{addressId}/prices",
    summary: "Confirmed prices with all charges, in currency per kWh.",
    inPath: ofAddress,
    inQuery: { from: "instant", to: "instant", resolution: "resolution" },
    range: { unitFrom: "resolution", caps: { hour: DAYS_366, fifteenMinutes: DAYS_90 } },
    capability: "prices",
    response: { shape: "series", envelope: resource.pricesEnvelope, row: resource.priceRow },
    keep: { label: "prices", freshForMs: FRESH_MS, poll: "prices" },
  },
  forecastPrices: {
    interface: "consumer",
    path: "/consumer/v1/me/addresses/{addressId}/forecast-prices",
    summary: "Hourly estimates that follow the latest confirmed price.",
    inPath: ofAddress,
    inQuery: {},
    capability: "forecastPrices",
    response: { shape: "series", envelope: resource.forecastPricesEnvelope, row: resource.priceRow },
    keep: { label: "forecast", freshForMs: 4 * HOUR_MS, poll: "forecast" },
  },
  regionPrices: {
    ...thirdParty,
    path: "/thirdParty/prices/{region}",
    summary: "Future spot prices of a region, without charges.",
    inPath: { region: "text" },
    response: { shape: "list", row: resource.pricePoint },
    keep: { freshForMs: FRESH_MS, poll: "placePrices" },
  },
  locationPrices: {
    ...thirdParty,
    path: "/thirdParty/prices/location",
    summary: "Prices including charges at coordinates.",
    inQuery: at,
    response: { shape: "list", row: resource.pricePoint },
    keep: { freshForMs: FRESH_MS, poll: "placePrices" },
  },
  addressSuggestions: {
    ...thirdParty,
    path: "/thirdParty/prices/addresses/suggestions/{query}",
    summary: "Addresses that match a free text.",
    inPath: { query: "text" },
    response: { shape: "list", row: resource.addressSuggestion },
    keep: { freshForMs: 30 * DAY_MS, poll: "addressSearch" },
  },
  addressPrices: {
    ...thirdParty,
    path: "/thirdParty/prices/addresses/{addressId}",
    summary: "Prices including charges at an address, best effort.",
    inPath: { addressId: "text" },
    response: { shape: "list", row: resource.pricePoint },
    keep: { freshForMs: FRESH_MS, poll: "placePrices" },
  },
  charges: {
    ...thirdParty,
    path: "/thirdParty/prices/charges/location",
    summary: "Charges at coordinates, valid at one time.",
    inQuery: { ...at, date: "timestamp" },
    response: { shape: "document", schema: resource.chargesAtDate },
    keep: { freshForMs: DAY_MS, poll: "once" },
  },
  chargesHistory: {
    ...thirdParty,
    path: "/thirdParty/prices/charges/location/history",
    summary: "Charges at coordinates over a time; `toDate` defaults to now.",
    inQuery: { ...at, fromDate: "timestamp", toDate: "timestamp?" },
    response: { shape: "document", schema: resource.chargesHistory },
    keep: { freshForMs: DAY_MS, poll: "daily" },
  },
  requestCounts: {
    ...thirdParty,
    path: "/thirdParty/currentRequestCount",
    summary: "Requests logged for the account, by day.",
    response: { shape: "list", row: resource.requestCount },
    keep: { freshForMs: FRESH_MS, poll: "daily" },
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
type Operations = typeof operations;

/** Operation without its specific types, for code that iterates over the table. */
export type AnyOperation = Operation;

/** Ids in the order of the table. */
export const operationIds = Object.keys(operations) as readonly OperationId[];

/** Returns an operation by id, without its specific types. */
export function operationOf(id: OperationId): AnyOperation {
  return operations[id];
}

/** Returns true for the id of an operation. */
export function isOperationId(name: string): name is OperationId {
  return Object.hasOwn(operations, name);
}

/** Ids of one interface's operations. */
export type OperationIdOf<Name extends InterfaceName> = {
  [Id in OperationId]: Operations[Id]["interface"] extends Name ? Id : never;
}[OperationId];

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

/** Request parameters of an operation. In a server, `from` and `to` are already normalised. */
export type ParamsOf<Id extends OperationId> = Required<Operations[Id]["inPath"]> &
  Required<Operations[Id]["inQuery"]> &
  Optional<Operations[Id]["inQuery"]>;

/** Response body of an operation. */
export type BodyOf<Id extends OperationId> = Operations[Id]["response"] extends infer Response
  ? Response extends { shape: "document"; schema: infer Document extends Schema }
    ? z.infer<Document>
    : Response extends { shape: "list"; row: infer Row extends Schema }
      ? z.infer<Row>[]
      : Response extends { shape: "series"; envelope: infer Envelope extends Schema; row: infer Row extends Schema }
        ? z.infer<Envelope> & { data: Rows<z.infer<Row>> }
        : never
  : never;

/** Parts of a response that do not fit the contract and were left out, or a field of its envelope that was ignored. */
export interface Dropped {
  readonly count: number;
  /** Position and expected value of the first one. */
  readonly why: string;
  readonly ids: readonly string[];
}

/** Response with status 200. */
export interface Success<Id extends OperationId> {
  readonly kind: "ok";
  readonly body: BodyOf<Id>;
  /** Parts of the response that did not fit and are not in `body`; absent or null if everything did. */
  readonly dropped?: Dropped | null;
}
