/** One retained state message. An empty payload means that there is no value; it deletes the retained message. */
export interface RetainedMessage {
  readonly topic: string;
  readonly payload: string;
  /** Published again at every interval boundary although unchanged: readers take silence as a dead daemon. */
  readonly heartbeat?: true;
  /** Sent before messages that are not urgent, because automations and plugs wait for it. */
  readonly urgent?: true;
}

/** Maximum decimals of a number; smaller amounts of energy or money are noise. */
const MAX_DECIMALS = 12;

/** Returns a number as a plain decimal with a point, without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return value.toFixed(MAX_DECIMALS).replace(/\.?0+$/, "");
}
