/** The longest range one request may cover, counted in calendar units of the service's zone from the normalised `from`. */
export interface RangeCap {
  readonly unit: "day" | "year";
  readonly count: number;
}

/** Caps of the operations. Source: service interface, part 8.1. */
export const DAYS_366: RangeCap = { unit: "day", count: 366 };
export const DAYS_90: RangeCap = { unit: "day", count: 90 };
export const FIVE_YEARS: RangeCap = { unit: "year", count: 5 };

/** What the client asks at most where the service names no cap. Source: design, decisions. */
export const UNCAPPED_CLIENT_RANGE: RangeCap = { unit: "day", count: 366 };

/** The two fixed UTC windows in which the consumer interface counts attempts. Source: service interface, part 8.2. */
export const quotaWindows = ["minute", "day"] as const;
export type QuotaWindow = (typeof quotaWindows)[number];

/** Limits the service shows as illustrations of its headers. */
export const ILLUSTRATED_LIMITS = { minute: 60, day: 2000 } as const satisfies Record<QuotaWindow, number>;
