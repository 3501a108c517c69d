/** Values that the daemon accepts. A page cannot load the daemon's own constants, so a test compares them with these. */

/** Names of keys. */
export const KEY_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} _.-]{0,38}[\p{L}\p{N}_.-])?$/u;
/** Unit: kWh. */
export const MAX_ENERGY_KWH = 24_000;
/** Unit: currency per kWh. */
export const MAX_PRICE_LIMITS = { min: -10, max: 100 } as const;
