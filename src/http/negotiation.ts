/** Content negotiation and conditional requests. Source: RFC 9110, 12.5.3 and 13.1.2. */

/** Supported content codings, the smallest result first. */
export const codings = ["br", "gzip", "identity"] as const;
export type Coding = (typeof codings)[number];

const AS_IT_IS: readonly Coding[] = ["identity"];
/** Longest header that is parsed. Longer ones are ignored. */
const MAX_HEADER_CHARS = 4_096;
const WEIGHTED = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Returns the accepted codings, the best first; `identity` if none is, because the service has no error for that. */
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
    // `identity` is accepted unless it is excluded, but comes after all named codings. Others must be named.
    return named ?? (coding === "identity" ? Number.MIN_VALUE : 0);
  };
  const accepted = codings.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  return accepted.length > 0 ? accepted : AS_IT_IS;
}

/** Returns the strong ETag of a coding. Each coding of a body is a representation of its own. */
export function tagOf(plain: string, coding: Coding): string {
  return coding === "identity" ? plain : `${plain.slice(0, -1)}-${coding}"`;
}

/** Returns whether a caller has the response of this tag; weakly, as an intermediary may have weakened its tag. */
export function holdsTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.length > MAX_HEADER_CHARS) return false;
  if (ifNoneMatch.trim() === "*") return true;
  for (const [, opaque] of ifNoneMatch.matchAll(ENTITY_TAG)) if (opaque === tag) return true;
  return false;
}
