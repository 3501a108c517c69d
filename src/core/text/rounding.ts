/** Decimals of published figures. Smaller fractions of a krone or a kWh are floating-point noise. */
const DECIMALS = 6;

/** Rounds a published figure, never with an exponent, so that arrays have a maximum length. -0 becomes 0. */
export function rounded(value: number): number {
  // Most figures have few decimals, and `toFixed` takes a fifth of a microsecond.
  const isRound = Math.round(value * 10 ** DECIMALS) / 10 ** DECIMALS === value;
  return (isRound ? value : Number(value.toFixed(DECIMALS))) + 0;
}

/** Formats an amount of money with two decimals. -0.00 becomes 0.00. */
export function twoDecimals(value: number): string {
  const text = value.toFixed(2);
  return text === "-0.00" ? "0.00" : text;
}
