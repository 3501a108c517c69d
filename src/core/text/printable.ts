/** Texts of other programs that are printed: they must not control the terminal or the order of its characters. */

/** Control characters, line separators and marks that change the direction of a text. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Returns a text with U+FFFD in place of each character that is not printed. Line breaks count, too. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, "\ufffd");
}

/** Returns plain JSON with all its texts made printable. */
export function printableJson<Json>(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (_, value) => (typeof value === "string" ? printable(value) : value)) as Json;
}
