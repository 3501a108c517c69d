/**
 * Schemas of the service's responses. Source: service interface, part 2.
 *
 * All objects are loose: unknown fields are kept and returned. Promised fields are required; fields that appear only
 * in some examples are optional.
 */
import * as z from "zod/mini";

const instant = z.iso.datetime({ offset: true });
const interval = { start: instant, end: instant };
const energyKwh = z.number();

/** ISO 8601 date or date-time; the third-party interface does not document which one it uses. */
const isoDate = z.string().check(
  z.refine((text) => /^\d{4}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)), "expected an ISO 8601 date"),
  z.describe("ISO 8601"),
);

export const currency = z.enum(["DKK", "SEK", "NOK"]);
export type Currency = z.infer<typeof currency>;

export const aggregations = ["hour", "day", "month", "year"] as const;
export type Aggregation = (typeof aggregations)[number];
export const aggregation = z.enum(aggregations);

export const resolutions = ["hour", "fifteenMinutes"] as const;
export type Resolution = (typeof resolutions)[number];
export const resolution = z.enum(resolutions);

const capabilityFlags = {
  consumption: z.boolean(),
  solarExport: z.boolean(),
  consumptionCosts: z.boolean(),
  solarExportRevenue: z.boolean(),
  prices: z.boolean(),
  forecastPrices: z.boolean(),
};
export const capabilities = z.looseObject(capabilityFlags);
export type Capability = keyof typeof capabilityFlags;
/** Capabilities in the order of the service's description. */
export const capabilityNames = Object.keys(capabilityFlags) as readonly Capability[];

export const address = z.looseObject({
  id: z.guid(),
  label: z.string(),
  formattedAddress: z.string(),
  region: z.string(),
  timeZone: z.string(),
  gridOperatorName: z.nullish(z.string()),
  supplierName: z.nullish(z.string()),
  capabilities,
});
export type Address = z.infer<typeof address>;
export const addressList = z.looseObject({});

const rangeEnvelope = { addressId: z.guid(), from: instant, to: instant, timeZone: z.string() };
const aggregationEnvelope = { ...rangeEnvelope, aggregation };

export const consumptionRow = z.looseObject({ ...interval, energyKWh: energyKwh, isEstimate: z.optional(z.boolean()) });
export const consumptionEnvelope = z.partial(z.looseObject(aggregationEnvelope));

export const consumptionCostsRow = z.looseObject({
  ...interval,
  energyKWh: z.optional(energyKwh),
  totalPricePerKWh: z.nullish(z.number()),
  fixedFeesForInterval: z.optional(z.number()),
  totalCost: z.optional(z.number()),
  isEstimate: z.optional(z.boolean()),
});
export const consumptionCostsEnvelope = z.looseObject({
  from: instant,
  to: instant,
  aggregation,
  timeZone: z.string(),
  currency,
});

export const solarExportRow = z.looseObject({ ...interval, energyKWh: energyKwh, isEstimate: z.boolean() });
export const solarExportEnvelope = z.looseObject(aggregationEnvelope);

export const solarExportRevenueRow = z.looseObject({
  ...interval,
  energyKWh: energyKwh,
  totalPricePerKWh: z.nullable(z.number()),
  fixedFeesForInterval: z.number(),
  netRevenue: z.number(),
  isEstimate: z.boolean(),
});
export const solarExportRevenueEnvelope = z.looseObject({ ...aggregationEnvelope, currency, vatIncluded: z.boolean() });

/** Price of one interval. Unit: `totalPricePerKWh` in currency per kWh, with all charges. */
export const priceRow = z.looseObject({
  ...interval,
  totalPricePerKWh: z.number(),
  /** Null in the service's examples. The type of a value is not documented, so any value is kept. */
  variableChargesPerKWh: z.optional(z.unknown()),
});
export type PriceRow = z.infer<typeof priceRow>;

export const pricesEnvelope = z.looseObject({ ...rangeEnvelope, resolution, currency, vatIncluded: z.boolean() });
export const forecastPricesEnvelope = z.looseObject({
  addressId: z.guid(),
  resolution: z.literal("hour"),
  isEstimate: z.boolean(),
  timeZone: z.string(),
  currency,
  vatIncluded: z.boolean(),
});

export const pricePoint = z.looseObject({
  date: isoDate,
  price: z.number(),
  charges: z.optional(z.number()),
  /** Null: a colour that elbro does not know. */
  color: z.nullish(z.enum(["green", "yellow", "red"])),
});

export const addressSuggestion = z.looseObject({
  id: z.string(),
  suggestion: z.string(),
  streetName: z.optional(z.string()),
  streetNumber: z.optional(z.string()),
  floor: z.optional(z.string()),
  door: z.optional(z.string()),
  zipCode: z.optional(z.string()),
  city: z.optional(z.string()),
});
export type AddressSuggestion = z.infer<typeof addressSuggestion>;

export const chargeItem = z.looseObject({ name: z.string(), ownerName: z.string(), price: z.number() });
export const chargesAtDate = z.looseObject({
  date: isoDate,
  address: z.optional(z.string()),
  subscriptions: z.array(chargeItem),
  tariffs: z.array(chargeItem),
});

/** Charge over time. `price` is `{ static: { price } }` in the examples; other forms are undocumented and kept. */
export const chargeValidity = z.looseObject({
  name: z.string(),
  ownerName: z.string(),
  from: isoDate,
  price: z.looseObject({ static: z.optional(z.looseObject({ price: z.number() })) }),
});
export const chargesHistory = z.looseObject({
  from: isoDate,
  to: z.optional(isoDate),
  tariffs: z.array(chargeValidity),
  subscriptions: z.array(chargeValidity),
});

export const requestCount = z.looseObject({ date: isoDate, requestCount: z.int() });
