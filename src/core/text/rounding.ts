/** Decimals of what is published: a millionth of a krone or of a kilowatt-hour is noise of floating point. */
const DECIMALS = 6;

/**
 * A figure as it is published: sums and means without the noise of their last digits. So rounded, a number is never
 * written with an exponent, and an array of prices has a known greatest length. Minus zero becomes zero.
 */
export function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS)) + 0;
}
