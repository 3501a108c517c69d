/** The longest range one request may cover, counted in calendar units of the service's zone from the normalised `from`. */
export interface RangeCap {
  readonly unit: "day" | "year";
  readonly count: number;
}

const DAYS_366: RangeCap = { unit: "day", count: 366 };
const DAYS_90: RangeCap = { unit: "day", count: 90 };
const FIVE_YEARS: RangeCap = { unit: "year", count: 5 };

/**
 * Range caps by operation and by aggregation or resolution; null where the service names none.
 * Source: service interface, part 8.1.
 */
export const rangeCaps = {
  consumption: { hour: null, day: null, month: null, year: null },
  consumptionCosts: { hour: DAYS_366, day: DAYS_366, month: DAYS_366, year: DAYS_366 },
  solarExport: { hour: DAYS_366, day: FIVE_YEARS, month: FIVE_YEARS, year: FIVE_YEARS },
  solarExportRevenue: { hour: DAYS_366, day: DAYS_366, month: DAYS_366, year: DAYS_366 },
  prices: { hour: DAYS_366, fifteenMinutes: DAYS_90 },
} as const satisfies Record<string, Record<string, RangeCap | null>>;

/** What the client asks at most where the service names no cap. Source: design, decisions. */
export const UNCAPPED_CLIENT_RANGE: RangeCap = DAYS_366;

/** The two fixed UTC windows in which the consumer interface counts attempts. Source: service interface, part 8.2. */
export type QuotaWindow = "minute" | "day";

/** Limits the service shows as illustrations of its headers. */
export const ILLUSTRATED_LIMITS = { minute: 60, day: 2000 } as const satisfies Record<QuotaWindow, number>;
