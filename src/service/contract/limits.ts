/** Longest range of one request, in calendar units of the service's zone, counted from the normalised `from`. */
export type RangeCap = { readonly unit: "day" | "year"; readonly count: number };

/** Range caps of the operations. Source: service interface, part 8.1. */
export const DAYS_366: RangeCap = { unit: "day", count: 366 };
export const DAYS_90: RangeCap = { unit: "day", count: 90 };
export const FIVE_YEARS: RangeCap = { unit: "year", count: 5 };

/** Longest range that the client requests if the service has no cap. Source: design, decisions. */
export const UNCAPPED_CLIENT_RANGE: RangeCap = { unit: "day", count: 366 };

/** Fixed UTC windows in which the consumer interface counts attempts. Source: service interface, part 8.2. */
export const quotaWindows = ["minute", "day"] as const;
export type QuotaWindow = (typeof quotaWindows)[number];

/** Example limits in the service's description of its headers. */
export const ILLUSTRATED_LIMITS = { minute: 60, day: 2000 } as const satisfies Record<QuotaWindow, number>;
