/** What a caller takes and what it has, read from its headers. Source: RFC 9110, 12.5.3 and 13.1.2. */

/** How an answer may be coded on its way; the smaller first. */
const codings = ["br", "gzip", "identity"] as const;
export type Coding = (typeof codings)[number];

const AS_IT_IS: readonly Coding[] = ["identity"];
/** Longer headers name more than anyone has; they are read as if they were not there. */
const MAX_HEADER_CHARS = 4_096;
const WEIGHTED = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * The codings a caller takes. Shape: the best first, by its weights, then by size; never empty. A caller that takes
 * none of them is given the answer as it is: the service knows no error for that.
 */
export function codingsFor(acceptEncoding: string | undefined): readonly Coding[] {
  if (acceptEncoding === undefined || acceptEncoding.length > MAX_HEADER_CHARS) return AS_IT_IS;
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [, name, weight = "1"] = WEIGHTED.exec(part.trim()) ?? [];
    if (name !== undefined) weights.set(name === "x-gzip" ? "gzip" : name, Number(weight));
  }
  const others = weights.get("*");
  const weightOf = (coding: Coding): number => {
    const named = weights.get(coding) ?? others;
    // What is not named is not taken, but for the answer as it is: that comes after all that is named.
    return named ?? (coding === "identity" ? Number.MIN_VALUE : 0);
  };
  const taken = codings.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  return taken.length > 0 ? taken : AS_IT_IS;
}

/** Each coding of a body is a representation of its own, byte for byte, and has a strong tag of its own. */
export function tagOf(plain: string, coding: Coding): string {
  return coding === "identity" ? plain : `${plain.slice(0, -1)}-${coding}"`;
}

/**
 * Whether a caller has an answer of this tag already. The comparison is the weak one: a tag that something on the way
 * marked as weak is the same.
 */
export function holdsTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.length > MAX_HEADER_CHARS) return false;
  if (ifNoneMatch.trim() === "*") return true;
  for (const [, opaque] of ifNoneMatch.matchAll(ENTITY_TAG)) if (opaque === tag) return true;
  return false;
}
