/** Decimals of published figures. Smaller fractions of a krone or a kWh are floating-point noise. */
const DECIMALS = 6;

/**
 * Rounds a figure for publication. The result is never written with an exponent, so an array of prices has a known
 * maximum length. Minus zero becomes zero.
 */
export function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS)) + 0;
}

/** Rounds a figure for publication; null stays null. */
export function roundedOrNull(value: number | null): number | null {
  return value === null ? null : rounded(value);
}
