/** Limits of the settings of plans. The dashboard uses them too. */

/** Maximum power of a plan. Unit: kW. */
export const MAX_POWER_KW = 1_000;
/** Range of `max_price`: all hourly prices so far. A higher number is one in øre or cents. Unit: currency per kWh. */
export const MAX_PRICE_LIMITS = { min: -10, max: 25 } as const;

/** Maximum energy of one round: that of the strongest appliance in a day. Unit: kWh. */
export const MAX_ENERGY_KWH = 24 * MAX_POWER_KW;
