/** Redaction of texts that are shown to strangers: removes secrets, names and locations. */

/** Text to remove, and its replacement. */
export interface RedactedText {
  readonly text: string;
  readonly standIn: string;
  /** A name matches whole words in any case, a short name only whole values; a secret matches anywhere. */
  readonly kind: "name" | "secret";
}

/** Names of homes that do not reveal a location. */
const HARMLESS = new Set(
  "apartment cabin cottage flat hem hjem home house hus huset hytte hytten kontor lejlighed office sommerhus stuga stugan summerhouse".split(
    " ",
  ),
);
/** Characters kept of an identifier: enough to compare two. */
const SHOWN_OF_ID = 8;
const UUID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** Decimal that is precise enough to be a coordinate and is not part of an IP address or a time. */
const EXACT_DECIMAL = /(?<![\d.:])-?\d{1,3}\.\d{3,}(?![\d.])/g;
const COORDINATES = new Set(["latitude", "longitude"]);
/** Keys whose values are fixed words of the program. A home or plan may have the same name: "waiting", "prices". */
const OWN_WORDS = new Set(["code", "state", "kind", "basis", "family"]);

/** Returns true if the name of a home or place may reveal where it is. */
export function revealsPlace(name: string): boolean {
  return name !== "" && !HARMLESS.has(name.toLowerCase());
}

/** Returns plain JSON with the `hidden` texts replaced in all values. Ids and coordinates are always shortened. */
export function redact(json: unknown, hidden: readonly RedactedText[]): unknown {
  const rules = [...hidden]
    .filter(({ text }) => text !== "")
    .sort((a, b) => b.text.length - a.text.length)
    .map((each) => [ruleOf(each), each.standIn] as const);
  const redacted = (text: string) =>
    rules
      .reduce((rest, [rule, standIn]) => rest.replace(rule, () => standIn), text)
      .replace(UUID, (_all, start: string) => `${start.slice(0, SHOWN_OF_ID)}…`)
      .replace(EXACT_DECIMAL, (number) => shortened(Number(number)));
  return walk(json, redacted);
}

function walk(json: unknown, shown: (text: string) => string): unknown {
  if (typeof json === "string") return shown(json);
  if (Array.isArray(json)) return json.map((item) => walk(item, shown));
  if (typeof json !== "object" || json === null) return json;
  const fields = Object.entries(json).map(([key, value]) => {
    if (COORDINATES.has(key) && typeof value === "number") return [key, Number(shortened(value))];
    return [key, OWN_WORDS.has(key) && typeof value === "string" ? value : walk(value, shown)];
  });
  return Object.fromEntries(fields);
}

/** Keeps one decimal: about 10 km, which identifies the region but not the home. */
function shortened(degrees: number): string {
  return degrees.toFixed(1);
}

/** Shorter names occur inside any sentence, so they are replaced only where they are the whole value. */
const MIN_WORD_LENGTH = 3;

/** Matches at word boundaries, except where the text itself starts or ends with another character. */
function ruleOf({ text, kind }: RedactedText): RegExp {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  if (kind === "secret") return new RegExp(escaped, "gu");
  if (text.length < MIN_WORD_LENGTH) return new RegExp(`^${escaped}$`, "iu");
  const word = "[\\p{L}\\p{N}]";
  const before = /^[\p{L}\p{N}]/u.test(text) ? `(?<!${word})` : "";
  const after = /[\p{L}\p{N}]$/u.test(text) ? `(?!${word})` : "";
  return new RegExp(`${before}${escaped}${after}`, "giu");
}
