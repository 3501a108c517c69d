/** Decimals of published figures. Smaller fractions of a krone or a kWh are floating-point noise. */
const DECIMALS = 6;

/** Rounds a published figure, never with an exponent, so that arrays have a maximum length. -0 becomes 0. */
export function rounded(value: number): number {
  // Most figures have few decimals, and `toFixed` takes a fifth of a microsecond.
  const isRound = Math.round(value * 10 ** DECIMALS) / 10 ** DECIMALS === value;
  return (isRound ? value : Number(value.toFixed(DECIMALS))) + 0;
}
