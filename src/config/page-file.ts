/** `page.yaml` in the data directory: the plans and plugs that were saved over HTTP where the owner's file is read-only. */
import { slugOf } from "../core/text/slug.ts";
import type { ConfigMistake } from "./config-error.ts";
import { type EntryList, entryLists, PAGE_FILE } from "./entry-list.ts";
import { planIds } from "./plan-schema.ts";
import { plugId } from "./plug-schema.ts";
import type { Tree } from "./tree.ts";
import { readYaml } from "./yaml-text.ts";

/** The ids of a list as it is written. Shape: as the list; empty for an entry without a name, which is a mistake of its own. */
export function writtenIds(list: EntryList, entries: readonly unknown[]): string[] {
  const named = entries.map((entry) => {
    const { id, name } = isTree(entry) ? entry : {};
    return { name: typeof name === "string" ? name : "", ...(typeof id === "string" ? { id } : {}) };
  });
  return list === "plans" ? planIds(named) : named.map((each) => plugId({ ...each, id: each.id }));
}

/** The id that an entry gets where it has none. */
export function idOfName(name: unknown): string {
  return slugOf(typeof name === "string" ? name : "");
}

/** The entries of a list in a text; empty where it has none. */
export function entriesIn(text: string | null, list: EntryList): readonly unknown[] {
  const reading = text === null ? null : readYaml(text);
  const tree = reading?.kind === "value" && isTree(reading.value) ? reading.value : {};
  const entries = tree[list];
  return Array.isArray(entries) ? entries : [];
}

/** How many entries of each list are the owner's; those of the page come behind them. */
export type OwnCounts = Readonly<Record<EntryList, number>>;

/** Adds the entries of the page to a configuration. An id that the owner's file has as well is that file's. */
export function addPage(tree: Tree, text: string, mistakes: ConfigMistake[]): OwnCounts {
  const counts = { plans: 0, plugs: 0 };
  const reading = readYaml(text);
  if (reading.kind === "mistake")
    mistakes.push({ path: PAGE_FILE, text: [reading.where, reading.text].filter(Boolean).join(": ") });
  for (const list of entryLists) {
    const own = tree[list] ?? [];
    if (!Array.isArray(own)) continue;
    counts[list] = own.length;
    const taken = new Set(writtenIds(list, own));
    const entries = entriesIn(text, list);
    const ids = writtenIds(list, entries);
    const more = entries.filter((_, i) => !taken.has(ids[i] ?? ""));
    if (more.length > 0) tree[list] = [...own, ...more];
  }
  return counts;
}

/** A mistake in an entry of the page names its file; it has no line of the owner's. */
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
