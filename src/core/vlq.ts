/**
 * Signed whole numbers as few characters: base 64, five bits a character, the sign in the lowest bit, the sixth bit
 * says that more follows. The scheme is the one source maps use.
 */
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < DIGITS.length; i++) VALUES[DIGITS.charCodeAt(i)] = i;

/** A place in a text, moved on by each read. */
export interface VlqReader {
  readonly text: string;
  at: number;
}

/** Writes one number. Unit: whole, within ±2^30. */
export function writeVlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += DIGITS[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}

/** Reads one number and moves on. Errors: throws where the text ends early or has a foreign character. */
export function readVlq(reader: VlqReader): number {
  let value = 0;
  for (let shift = 0; ; shift += 5) {
    const digit = VALUES[reader.text.charCodeAt(reader.at++)] ?? -1;
    if (digit < 0) throw new Error(`a chunk has "${reader.text[reader.at - 1] ?? "its end"}" where a digit belongs`);
    value |= (digit & 31) << shift;
    if ((digit & 32) === 0) return value & 1 ? -(value >>> 1) : value >>> 1;
  }
}
