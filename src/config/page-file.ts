/**
 * `page.yaml` in the data directory: plans and plugs that were saved over HTTP while the owner's file was read-only.
 */
import { placed } from "../core/language/text.ts";
import { slugOf } from "../core/text/slug.ts";
import { type EntryList, entryId, entryLists, PAGE_FILE } from "./entry-list.ts";
import type { ConfigMistake } from "./mistake.ts";
import type { Tree } from "./tree.ts";
import { readYaml } from "./yaml-text.ts";

/**
 * Returns the ids of a list's entries, in their order. An entry without a name, which is a mistake, has an id as well.
 */
export function writtenIds(entries: readonly unknown[]): string[] {
  return entries.map((entry) => {
    const { id, name } = isTree(entry) ? entry : {};
    return entryId({ name: typeof name === "string" ? name : "", ...(typeof id === "string" ? { id } : {}) });
  });
}

/** Returns the id that is made from an entry's name. */
export function idOfName(name: unknown): string {
  return slugOf(typeof name === "string" ? name : "");
}

/** Returns the entries of a list in a text; empty without entries. */
export function entriesIn(text: string | null, list: EntryList): readonly unknown[] {
  const reading = text === null ? null : readYaml(text);
  const tree = reading?.kind === "value" && isTree(reading.value) ? reading.value : {};
  const entries = tree[list];
  return Array.isArray(entries) ? entries : [];
}

/** Number of entries of each list in the owner's file. The entries of the page's file follow them. */
export type OwnCounts = Readonly<Record<EntryList, number>>;

/** Adds the entries of the page's file to a configuration. If both files have an id, the owner's entry is used. */
export function addPage(tree: Tree, text: string, mistakes: ConfigMistake[]): OwnCounts {
  const counts = { plans: 0, plugs: 0 };
  const reading = readYaml(text);
  if (reading.kind === "mistake")
    mistakes.push({ path: PAGE_FILE, ...placed(reading.where ?? "the file", reading.said) });
  for (const list of entryLists) {
    const own = tree[list] ?? [];
    if (!Array.isArray(own)) continue;
    counts[list] = own.length;
    const taken = new Set(writtenIds(own));
    const entries = entriesIn(text, list);
    const ids = writtenIds(entries);
    const more = entries.filter((_, i) => !taken.has(ids[i] ?? ""));
    if (more.length > 0) tree[list] = [...own, ...more];
  }
  return counts;
}

/**
 * Adds the name of the page's file to a mistake in one of its entries, and removes the line number, which refers to the
 * owner's file.
 */
export function inPage(mistake: ConfigMistake, counts: OwnCounts): ConfigMistake {
  const [, list, index, rest = ""] = /^(plans|plugs)\[(\d+)\](.*)$/.exec(mistake.path) ?? [];
  const own = counts[list as EntryList] ?? Number.POSITIVE_INFINITY;
  if (Number(index ?? 0) < own) return mistake;
  const { line: _, ...given } = mistake;
  return { ...given, path: `${PAGE_FILE}: ${list}[${Number(index) - own}]${rest}` };
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
