/** Texts that are to be shown to strangers: without secrets, and without where anybody lives. */

/** What must not be seen, and what stands in its place. */
export interface RedactedText {
  readonly text: string;
  readonly standIn: string;
  /** A name is found as words, in any case, or as a whole where it is short: "Lind" is not taken out of "Lindt". A secret is taken out of anything. */
  readonly kind: "name" | "secret";
}

/** Names of homes that say nothing of where they are. */
const HARMLESS = new Set(
  "apartment cabin cottage flat hem hjem home house hus huset hytte hytten kontor lejlighed office sommerhus stuga stugan summerhouse".split(
    " ",
  ),
);
/** Enough of an identifier to see which two are the same. */
const SHOWN_OF_ID = 8;
const UUID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** A decimal that is exact enough to be a place, and no part of an IP address or a time. */
const EXACT_DECIMAL = /(?<![\d.:])-?\d{1,3}\.\d{3,}(?![\d.])/g;
const COORDINATES = new Set(["latitude", "longitude"]);
/** Their values are the program's own words, which a home or a plan may have for a name: "waiting", "prices". */
const OWN_WORDS = new Set(["code", "state", "kind", "basis", "family"]);

/** Whether a name of a home or place tells where it is. */
export function tellsPlace(name: string): boolean {
  return name !== "" && !HARMLESS.has(name.toLowerCase());
}

/**
 * Plain JSON without what must not be seen, wherever among its values that stands. Its keys are the program's own words and
 * stay. Identifiers and coordinates are shortened, whether or not they are among `hidden`.
 */
export function redact(json: unknown, hidden: readonly RedactedText[]): unknown {
  const rules = [...hidden]
    .filter(({ text }) => text !== "")
    .sort((a, b) => b.text.length - a.text.length)
    .map((each) => [ruleOf(each), each.standIn] as const);
  const shown = (text: string) =>
    rules
      .reduce((rest, [rule, standIn]) => rest.replace(rule, () => standIn), text)
      .replace(UUID, (_all, start: string) => `${start.slice(0, SHOWN_OF_ID)}…`)
      .replace(EXACT_DECIMAL, (number) => shortened(Number(number)));
  return walk(json, shown);
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

/** Ten kilometres: which region it is, not which house. */
function shortened(degrees: number): string {
  return degrees.toFixed(1);
}

/** A name this short is part of any sentence: it is hidden where nothing else is said. */
const MIN_WORD_LENGTH = 3;

/** What does not begin or end as a word does is found anywhere. */
function ruleOf({ text, kind }: RedactedText): RegExp {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  if (kind === "secret") return new RegExp(escaped, "gu");
  if (text.length < MIN_WORD_LENGTH) return new RegExp(`^${escaped}$`, "iu");
  const word = "[\\p{L}\\p{N}]";
  const before = /^[\p{L}\p{N}]/u.test(text) ? `(?<!${word})` : "";
  const after = /[\p{L}\p{N}]$/u.test(text) ? `(?!${word})` : "";
  return new RegExp(`${before}${escaped}${after}`, "giu");
}
