/**
 * `page.yaml` in the data directory: what was saved over HTTP. It is laid over the owner's configuration, which elbro
 * never changes. Order: environment and `…_file` keys, page.yaml, the owner's file, defaults.
 */
import { stringify } from "yaml";
import { message } from "../core/language/text.ts";
import { PAGE_FILE } from "../core/runtime/data-files.ts";
import { connectionSections } from "./connections.ts";
import { type EntryList, entryId, entryLists } from "./entry-list.ts";
import type { ConfigMistake } from "./mistake.ts";
import { configSchema } from "./schema.ts";
import { FILE_SUFFIX, shapeOf } from "./schema-nodes.ts";
import { settingNames } from "./setting-names.ts";
import { isTree, type Tree } from "./tree.ts";
import { readYaml, saidOf } from "./yaml-text.ts";

/** Entries by id, without the key `id`. Null removes the entry of the owner's file. */
export type PageEntries = Readonly<Record<string, Tree | null>>;

export interface PageFile extends Readonly<Record<EntryList, PageEntries>> {
  /** Keys as in the configuration. Null removes a key of the owner's file. */
  readonly settings: Tree;
}

export const EMPTY_PAGE: PageFile = { settings: {}, plans: {}, plugs: {} };
/** Top-level keys of the configuration that page.yaml may set. The set-up sets the homes and the broker's users. */
const PAGE_KEYS: ReadonlySet<string> = new Set([...settingNames, ...connectionSections, "homes", "broker"]);
const VERSION = 2;
const ABOUT = ` What was saved on elbro's page. It is laid over the owner's configuration, see docs/configuration.md.
 It may hold secrets: keep it private.`;

/**
 * Returns the ids of a list's entries, in their order. An entry without a name, which is a mistake, has an id as well.
 */
export function writtenIds(entries: readonly unknown[]): string[] {
  return entries.map((entry) => {
    const { id, name } = isTree(entry) ? entry : {};
    return entryId({ name: typeof name === "string" ? name : "", ...(typeof id === "string" ? { id } : {}) });
  });
}

/** Returns the entries of a list in the owner's configuration; empty without entries. */
export function entriesIn(tree: Tree, list: EntryList): readonly unknown[] {
  const entries = tree[list];
  return Array.isArray(entries) ? entries : [];
}

/**
 * Reads the text of the file. In its first version it was a list of entries, of which those in the owner's
 * configuration were not used; they are left out. Nothing is used of a file of a newer version.
 */
export function readPageFile(text: string | null, owner: Tree): { page: PageFile; mistake: ConfigMistake | null } {
  const reading = readYaml(text ?? "");
  if (reading.kind === "mistake") return { page: EMPTY_PAGE, mistake: { path: PAGE_FILE, ...saidOf(reading) } };
  const tree = isTree(reading.value) ? reading.value : {};
  const { version } = tree;
  if (typeof version === "number" && version > VERSION)
    return {
      page: EMPTY_PAGE,
      mistake: { path: PAGE_FILE, ...message("mistake.newer_file", { version, known: VERSION }) },
    };
  const [plans, plugs] = entryLists.map((list) => pageEntries(tree[list], writtenIds(entriesIn(owner, list))));
  const page = { settings: isTree(tree.settings) ? tree.settings : {}, plans: plans ?? {}, plugs: plugs ?? {} };
  return { page, mistake: null };
}

function pageEntries(list: unknown, owned: readonly string[]): PageEntries {
  if (Array.isArray(list)) {
    const ids = writtenIds(list);
    const own = list.flatMap((entry, i) => (owned.includes(ids[i] ?? "") ? [] : [[ids[i] ?? "", entry] as const]));
    return Object.fromEntries(own.filter(([, entry]) => isTree(entry)));
  }
  const entries = Object.entries(isTree(list) ? list : {});
  return Object.fromEntries(
    entries.filter((each): each is [string, Tree | null] => each[1] === null || isTree(each[1])),
  );
}

/** Returns the text of the file. */
export function pageText({ settings, plans, plugs }: PageFile): string {
  const body = stringify({ version: VERSION, settings, plans, plugs }, { lineWidth: 0, version: "1.1" });
  return `${ABOUT.replace(/^/gm, "#")}\n${body}`;
}

/** What the page's file did to a configuration. */
export interface Laid {
  /** Paths of the owner's keys that page.yaml overrides, such as `notify.topic_url` or `plans.car`. */
  readonly overridden: readonly string[];
  /** Paths of page.yaml that are not used, because the environment or another file sets them. */
  readonly unused: readonly string[];
  /** Ids that page.yaml removes and that do not exist any more. */
  readonly gone: readonly string[];
  /** Paths of page.yaml that are used. */
  readonly used: readonly string[];
  /** Path of page.yaml by path of the configuration, of everything that it sets. */
  readonly places: ReadonlyMap<string, string>;
}

export const NOTHING_LAID: Laid = { overridden: [], unused: [], gone: [], used: [], places: new Map() };

/** A configuration over which the page's file is laid, and what became of it so far. */
interface Laying {
  readonly tree: Tree;
  readonly page: PageFile;
  /** Returns whether the environment sets a key. */
  readonly isOutside: (path: string) => boolean;
  /** Paths of page.yaml that are not used. */
  readonly without: ReadonlySet<string>;
  readonly laid: Record<"overridden" | "unused" | "gone" | "used", string[]> & { readonly places: Map<string, string> };
}

/** Lays the page's file over a configuration, which is changed. */
export function layOver(
  tree: Tree,
  page: PageFile,
  isOutside: Laying["isOutside"],
  without: Laying["without"] = new Set(),
): Laid {
  const laid: Laying["laid"] = { overridden: [], unused: [], gone: [], used: [], places: new Map() };
  const laying = { tree, page, isOutside, without, laid };
  for (const [name, value] of Object.entries(page.settings)) {
    const isKnown = PAGE_KEYS.has(name);
    if (isKnown) laySetting(laying, { tree, key: name, value, path: name, shape: shapeOf(configSchema) ?? {} });
    else laid.unused.push(name);
  }
  for (const list of entryLists) layEntries(laying, list);
  return laid;
}

interface Setting {
  readonly tree: Tree;
  readonly key: string;
  readonly value: unknown;
  readonly path: string;
  readonly shape: NonNullable<ReturnType<typeof shapeOf>>;
}

function laySetting(laying: Laying, { tree: node, key, value, path, shape }: Setting): void {
  const { laid, isOutside, without } = laying;
  if (without.has(path)) return;
  const file = `${key}${FILE_SUFFIX}`;
  // The page must not read files, and several accounts are a list that only the owner writes.
  const isForeign = key.endsWith(FILE_SUFFIX) || (shapeOf(shape[key]) !== null && Array.isArray(node[key]));
  if (isForeign || isOutside(path) || isOutside(`${path}${FILE_SUFFIX}`) || node[file] !== undefined) {
    laid.unused.push(path);
    return;
  }
  const below = shapeOf(shape[key]);
  if (below && isTree(value)) {
    const section: Tree = isTree(node[key]) ? (node[key] as Tree) : {};
    for (const [name, each] of Object.entries(value))
      laySetting(laying, { tree: section, key: name, value: each, path: `${path}.${name}`, shape: below });
    if (Object.keys(section).length > 0) node[key] = section;
    else delete node[key];
    return;
  }
  if (node[key] !== undefined && node[key] !== null) laid.overridden.push(path);
  laid.used.push(path);
  laid.places.set(path, path);
  if (value === null) delete node[key];
  else node[key] = value;
}

function layEntries({ tree, page, laid, isOutside, without }: Laying, list: EntryList): void {
  const owned = tree[list] ?? [];
  // Something else than a list is a mistake of the owner, which is reported as such.
  if (!Array.isArray(owned)) return;
  const ids = writtenIds(owned);
  const next: unknown[] = [...owned];
  const removed = new Set<number>();
  for (const [id, entry] of Object.entries(page[list])) {
    const path = `${list}.${id}`;
    const at = ids.indexOf(id);
    if (without.has(path)) continue;
    if (at >= 0 && isOutside(list)) laid.unused.push(path);
    else if (at < 0 && entry === null) laid.gone.push(path);
    else {
      laid.used.push(path);
      if (at >= 0) laid.overridden.push(path);
      if (at < 0) next.push({ ...withFiles(entry ?? {}, null), id });
      else if (entry === null) removed.add(at);
      else next[at] = { ...withFiles(entry, owned[at]), id };
    }
  }
  const whole = next.filter((_, i) => !removed.has(i));
  if (whole.length > 0 || tree[list] !== undefined) tree[list] = whole;
  const places = new Set(Object.keys(page[list]).filter((id) => !without.has(`${list}.${id}`)));
  for (const [i, id] of writtenIds(whole).entries())
    if (places.has(id)) laid.places.set(`${list}[${i}]`, `${list}.${id}`);
}

/** Returns an entry with the `…_file` keys of the owner's entry, which always count. */
function withFiles(entry: Tree, owned: unknown): Tree {
  const files = Object.entries(isTree(owned) ? owned : {}).filter(([key]) => key.endsWith(FILE_SUFFIX));
  const hidden = new Set(files.map(([key]) => key.slice(0, -FILE_SUFFIX.length)));
  const kept = Object.entries(entry).filter(([key]) => !hidden.has(key) && !key.endsWith(FILE_SUFFIX));
  return { ...Object.fromEntries(kept), ...Object.fromEntries(files) };
}

/** Returns the place in page.yaml of a path of the configuration, which may be above or below it; or null. */
export function placeIn(places: Laid["places"], path: string): string | null {
  return foundIn(places, path)?.[1] ?? null;
}

function foundIn(places: Laid["places"], path: string): readonly [own: string, place: string] | undefined {
  const isBelow = (above: string, below: string) => below.startsWith(above) && /^[.[]/.test(below.slice(above.length));
  return [...places].find(([own]) => path === own || isBelow(own, path) || isBelow(path, own));
}

/** Returns a mistake with its place in page.yaml, and without a line, which is that of the owner's file. */
export function inPage({ line: _, ...mistake }: ConfigMistake, places: Laid["places"]): ConfigMistake {
  const [own, place] = foundIn(places, mistake.path) ?? [];
  if (own === undefined) return mistake;
  const path = mistake.path.length < own.length ? mistake.path : `${place}${mistake.path.slice(own.length)}`;
  return { ...mistake, path: `${PAGE_FILE}: ${path}` };
}
