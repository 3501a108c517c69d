/** One retained state of the house. Shape: an empty payload means that there is no value, and takes the topic away. */
export interface Message {
  readonly topic: string;
  readonly payload: string;
  /** Sent again at every edge although unchanged: its readers take silence for the death of the daemon. */
  readonly heartbeat?: true;
  /** Sent before everything that is not: automations and plugs wait for it. */
  readonly urgent?: true;
}

/** Below this, a number of electricity is noise; plain decimals go no further. */
const MAX_DECIMALS = 12;

/** A number as a plain decimal with a point, never with an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return value.toFixed(MAX_DECIMALS).replace(/\.?0+$/, "");
}
