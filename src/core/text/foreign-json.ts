/** Size limits of JSON from other systems, checked before parsing, which may need 60 bytes per byte of nested lists. */

/** Responses of the service and of Home Assistant have six levels. */
const MAX_DEPTH = 32;
/** One year of quarter-hours with nine fields has 320,000 values. */
const MAX_VALUES = 500_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns why a text must not be parsed, as the end of a sentence; null if its size is acceptable. */
export function flawOf(utf8: Uint8Array): string | null {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < utf8.length; i++) {
    const byte = utf8[i];
    if (byte === QUOTE) {
      while (++i < utf8.length && utf8[i] !== QUOTE) if (utf8[i] === BACKSLASH) i++;
    } else if (byte === COMMA) values++;
    else if (byte === LIST || byte === OBJECT) {
      values++;
      if (++depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} deep`;
    } else if (byte === LIST_END || byte === OBJECT_END) depth--;
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
  }
  return null;
}

/** Parses JSON; undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
