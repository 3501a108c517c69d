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

/**
 * Returns a function that makes the JSON of one kind of message once for an object, which is the same during a day, and
 * another value.
 */
export function textMemo(): (of: object, also: unknown, make: () => object) => string {
  const texts = new WeakMap<object, { readonly also: unknown; readonly text: string }>();
  return (of, also, make) => {
    const known = texts.get(of);
    if (known && known.also === also) return known.text;
    const text = JSON.stringify(make());
    texts.set(of, { also, text });
    return text;
  };
}
