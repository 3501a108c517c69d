const LETTERS: Readonly<Record<string, string>> = { æ: "ae", ø: "oe", å: "aa", ä: "ae", ö: "oe", ü: "ue", ß: "ss" };

/** Converts a name for topics and entity ids: a-z, 0-9 and underscores, Nordic letters transliterated; else `home`. */
export function slugOf(name: string): string {
  const written = name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[æøåäöüß]/g, (letter) => LETTERS[letter] ?? "");
  const plain = written.normalize("NFKD").replace(/\p{M}/gu, "");
  return plain.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "") || "home";
}

/** Topics of the daemon itself, directly below the base topic: no home or place may have such an id. */
export const RESERVED_IDS: ReadonlySet<string> = new Set([
  ...["status", "info", "problems", "refused_command", "state", "event", "command", "plug"],
]);
/** Maximum length of an id that is made from a name, because brokers limit topics. */
const MAX_ID_LENGTH = 64;

/** Returns an id for topics, made from a slug, that is neither in `used` nor reserved. */
export function freeId(slug: string, used: ReadonlySet<string>): string {
  return freeSlug(slug.slice(0, MAX_ID_LENGTH).replace(/_+$/, ""), new Set([...used, ...RESERVED_IDS]));
}

/** Returns the first of `slug`, `slug_2`, `slug_3` … that is not in `used`. */
export function freeSlug(slug: string, used: ReadonlySet<string>): string {
  if (!used.has(slug)) return slug;
  for (let n = 2; ; n++) if (!used.has(`${slug}_${n}`)) return `${slug}_${n}`;
}
