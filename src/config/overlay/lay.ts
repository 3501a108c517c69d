/**
 * Lays `page.yaml` over the owner's configuration. Order: environment and files of keys, page.yaml, the owner's file,
 * defaults. A secret of page.yaml is used with the server it was saved for, one of the owner with the server that the
 * owner names, and with no other.
 */
import { message } from "../../core/language/text.ts";
import { OVERLAY_FILE } from "../../core/runtime/data-files.ts";
import { type EntryList, entryLists } from "../entry-list.ts";
import { type ConfigMistake, pathText } from "../reading/mistake.ts";
import { configSchema } from "../schema/schema.ts";
import { FILE_SUFFIX, itemOf, shapeOf } from "../schema/schema-nodes.ts";
import { settingSections } from "../settings.ts";
import { isTree, type Tree, valueAt, withoutKey } from "../tree.ts";
import { type Overlay, type Servers, writtenIds } from "./overlay-file.ts";
import { checkServers, type SecretPlace, secretPlacesIn, serverIn } from "./secret-servers.ts";

/** Top-level keys of the configuration that page.yaml may set. The set-up sets the homes and the broker's users. */
const OVERLAY_KEYS: ReadonlySet<string> = new Set([...settingSections, "homes", "broker"]);

/** A configuration with the page's file, and what the file did to it. */
export interface Laid {
  readonly tree: Tree;
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
  /** Secrets that are not used, because their server is another one now. Their paths are those of `Servers`. */
  readonly lost: readonly ConfigMistake[];
  /** Present servers of the secrets of page.yaml. */
  readonly servers: Servers;
}

export interface LayOptions {
  /** Returns whether the environment or a file of its own sets a key. */
  readonly isOutside: (path: string) => boolean;
  /** Paths of page.yaml that are not used. */
  readonly without: ReadonlySet<string>;
}

export const EVERYTHING: LayOptions = { isOutside: () => false, without: new Set() };

/** Returns the owner's configuration with the page's file over it. Each secret in it has its own server. */
export function lay(owner: Tree, overlay: Overlay, options: LayOptions): Laid {
  const laid = layOwn(owner, overlay, options);
  const owned = byId(owner);
  checkServers(configSchema, byId(laid.tree), [
    { tree: owned, serverOf: ({ server }) => serverIn(configSchema, owned, server) },
    { tree: overlayTree(overlay), serverOf: ({ path }) => (overlay.servers ?? laid.servers)[pathText(path)] },
  ]);
  return laid;
}

function overlayTree({ settings, plans, plugs }: Overlay): Tree {
  return { ...settings, plans, plugs };
}

function layOwn(owner: Tree, overlay: Overlay, options: LayOptions): Laid {
  const laid = layValues(owner, overlay, options);
  const [whole, owned] = [byId(laid.tree), byId(owner)];
  const present = (place: SecretPlace) => serverIn(configSchema, whole, place.server);
  const ofOverlay = secretPlacesIn(configSchema, overlayTree(overlay));
  const servers = Object.fromEntries(ofOverlay.map((place) => [pathText(place.path), present(place)]));
  const lostOfOverlay = ofOverlay.filter((place) => {
    const path = pathText(place.path);
    return overlay.servers !== null && overlay.servers[path] !== servers[path];
  });
  const lostOfOwner = secretPlacesIn(configSchema, owned).filter(
    (place) => serverIn(configSchema, owned, place.server) !== present(place),
  );
  if (lostOfOverlay.length + lostOfOwner.length === 0) return { ...laid, servers };
  const rest = layValues(lostOfOwner.reduce(withoutSecret, owner), withoutLost(overlay, lostOfOverlay), options);
  const left = byId(rest.tree);
  const lost = [...lostOfOverlay, ...lostOfOwner].filter(
    ({ path }) => valueAt(whole, path) !== undefined && valueAt(left, path) === undefined,
  );
  return {
    ...rest,
    tree: withoutLacking(rest.tree, lost),
    places: new Map([...rest.places, ...lost.flatMap(({ path }) => placeAbove(path, overlay, options))]),
    lost: lost.map(neededAgain),
    servers,
  };
}

/** Returns that a secret has to be entered again. */
export function neededAgain({ path, server }: SecretPlace): ConfigMistake {
  return { path: pathText(path), ...message("mistake.needed_again", { moved: pathText(server) }) };
}

/** Returns the page's file without some of its secrets, and without the servers of secrets that it does not have. */
export function withoutLost(overlay: Overlay, lost: readonly Pick<SecretPlace, "path">[]): Overlay {
  const { settings, plugs, servers } = overlay;
  const rest = lost.reduce(withoutSecret, { ...settings, plugs });
  const known = new Set(secretPlacesIn(configSchema, rest).map(({ path }) => pathText(path)));
  const kept = servers && Object.fromEntries(Object.entries(servers).filter(([path]) => known.has(path)));
  return { ...overlay, settings: withoutKey(rest, "plugs"), plugs: rest.plugs as Overlay["plugs"], servers: kept };
}

function withoutSecret(tree: Tree, { path }: Pick<SecretPlace, "path">): Tree {
  const [key, ...rest] = path.map(String) as [string, ...string[]];
  const below = tree[key];
  if (rest.length === 0) return withoutKey(tree, key);
  if (isTree(below)) return { ...tree, [key]: withoutSecret(below, { path: rest }) };
  if (!Array.isArray(below)) return tree;
  // Entries of the owner are a list, in which a path has their ids, or their numbers where they have none.
  const [id, ...inEntry] = rest;
  const ids = entryLists.some((list) => list === key) ? writtenIds(below) : below.map((_, i) => String(i));
  const entries = below.map((entry, i) =>
    ids[i] === id && isTree(entry) ? withoutSecret(entry, { path: inEntry }) : entry,
  );
  return { ...tree, [key]: entries };
}

/** Leaves out the sections that cannot do without a secret that they lost. */
function withoutLacking(tree: Tree, lost: readonly SecretPlace[]): Tree {
  return lost.reduce((rest, { path, isNeeded }) => (isNeeded ? withoutKey(rest, String(path[0])) : rest), tree);
}

/** A mistake that follows from a lost secret is one of what page.yaml says of its section or entry. */
function placeAbove(path: SecretPlace["path"], overlay: Overlay, { without }: LayOptions): [string, string][] {
  const [section = "", id = ""] = path.map(String);
  const isEntry = section === "plugs";
  const place = isEntry ? `${section}.${id}` : section;
  const isThere = isEntry ? id in overlay.plugs : section in overlay.settings;
  return isThere && !without.has(place) ? [[pathText(path), place]] : [];
}

/** Returns a configuration in which lists of entries are sections by id. */
export function byId(tree: Tree): Tree {
  const lists = entryLists.flatMap((list) => {
    const entries = tree[list];
    if (!Array.isArray(entries)) return [];
    const ids = writtenIds(entries);
    return [
      [list, Object.fromEntries(entries.map((each, i) => [ids[i], isTree(each) ? withoutKey(each, "id") : each]))],
    ];
  });
  return { ...tree, ...Object.fromEntries(lists) };
}

/** What became of the page's file so far. */
interface Laying extends LayOptions {
  readonly overlay: Overlay;
  readonly laid: Record<"overridden" | "unused" | "gone" | "used", string[]> & { readonly places: Map<string, string> };
}

/** Lays all values over a copy of the owner's configuration, whatever the servers of secrets. */
export function layValues(owner: Tree, overlay: Overlay, options: LayOptions): Laid {
  const tree = structuredClone(owner);
  const laid: Laying["laid"] = { overridden: [], unused: [], gone: [], used: [], places: new Map() };
  const laying = { ...options, overlay, laid };
  const shape = shapeOf(configSchema) ?? {};
  for (const [key, value] of Object.entries(overlay.settings))
    if (OVERLAY_KEYS.has(key)) laySetting(laying, { tree, key, value, path: key, shape });
    else laid.unused.push(key);
  for (const list of entryLists) layEntries(laying, tree, list);
  return { ...laid, tree, lost: [], servers: {} };
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
  const below = shapeOf(shape[key]);
  // Several accounts are a list that only the owner writes.
  if (isOutside(path) || (below && Array.isArray(node[key]))) {
    laid.unused.push(path);
    return;
  }
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

function layEntries({ overlay, laid, isOutside, without }: Laying, tree: Tree, list: EntryList): void {
  const owned = tree[list] ?? [];
  // Something else than a list is a mistake of the owner, which is reported as such.
  if (!Array.isArray(owned)) return;
  const ids = writtenIds(owned);
  const next: unknown[] = [...owned];
  const removed = new Set<number>();
  for (const [id, entry] of Object.entries(overlay[list])) {
    const path = `${list}.${id}`;
    const at = ids.indexOf(id);
    if (without.has(path)) continue;
    if (at >= 0 && isOutside(list)) laid.unused.push(path);
    else if (at < 0 && entry === null) laid.gone.push(path);
    else {
      laid.used.push(path);
      if (at >= 0) laid.overridden.push(path);
      if (at < 0) next.push({ ...entry, id });
      else if (entry === null) removed.add(at);
      else next[at] = { ...overOwned(list, owned[at], entry, (key) => isOutside(`${list}[${at}].${key}`)), id };
    }
  }
  const whole = next.filter((_, i) => !removed.has(i));
  if (whole.length > 0 || tree[list] !== undefined) tree[list] = whole;
  const places = new Set(Object.keys(overlay[list]).filter((id) => !without.has(`${list}.${id}`)));
  for (const [i, id] of writtenIds(whole).entries())
    if (places.has(id)) laid.places.set(`${list}[${i}]`, `${list}.${id}`);
}

/** Returns an entry over that of the owner, of which the keys in files count, and the secrets unless they are replaced. */
function overOwned(list: EntryList, owned: unknown, entry: Tree, isOutside: (key: string) => boolean): Tree {
  const own = isTree(owned) ? owned : {};
  const secrets = new Set(
    secretPlacesIn(itemOf(shapeOf(configSchema)?.[list]), own).map(({ path }) => String(path[0])),
  );
  const isFixed = (key: string) => isOutside(key) || key.endsWith(FILE_SUFFIX);
  const fixed = Object.entries(own).filter(([key]) => isFixed(key));
  const stored = Object.entries(own).filter(([key]) => secrets.has(key));
  const whole = { ...Object.fromEntries(stored), ...entry, ...Object.fromEntries(fixed) };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
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
export function inOverlay({ line: _, ...mistake }: ConfigMistake, places: Laid["places"]): ConfigMistake {
  const [own, place] = foundIn(places, mistake.path) ?? [];
  if (own === undefined || place === undefined) return mistake;
  const isOwn = mistake.path.length < own.length || own.startsWith(place);
  return { ...mistake, path: `${OVERLAY_FILE}: ${isOwn ? mistake.path : `${place}${mistake.path.slice(own.length)}`}` };
}
