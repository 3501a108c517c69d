/**
 * `page.yaml` in the data directory: what was saved over HTTP. It is laid over the owner's configuration, which elbro
 * never changes (`lay.ts`).
 */
import { stringify } from "yaml";
import { message } from "../../core/language/text.ts";
import { OVERLAY_FILE } from "../../core/runtime/data-files.ts";
import { type EntryList, entryId, entryLists } from "../entry-list.ts";
import type { ConfigMistake } from "../reading/mistake.ts";
import { readYaml, saidOf } from "../reading/yaml-text.ts";
import { mergeOldKeys } from "../schema/old-keys.ts";
import { isTree, type Tree } from "../tree.ts";

/** Entries by id, without the key `id`. Null removes the entry of the owner's file. */
export type OverlayEntries = Readonly<Record<string, Tree | null>>;

export interface Overlay extends Readonly<Record<EntryList, OverlayEntries>> {
  /** Keys as in the configuration. Null removes a key of the owner's file. */
  readonly settings: Tree;
  /** Null in files of earlier versions, whose secrets belong to their present servers. */
  readonly servers: Servers | null;
}

/** The server that each secret was saved for, by path such as `plugs.lamp.password`. */
export type Servers = Readonly<Record<string, string>>;

export const EMPTY_OVERLAY: Overlay = { settings: {}, plans: {}, plugs: {}, servers: {} };
const VERSION = 3;
/** Last version without the servers of secrets. */
const VERSION_UNBOUND = 2;
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
export function readOverlay(text: string | null, owner: Tree): { overlay: Overlay; mistake: ConfigMistake | null } {
  const reading = readYaml(text ?? "");
  if (reading.kind === "mistake")
    return { overlay: EMPTY_OVERLAY, mistake: { path: OVERLAY_FILE, ...saidOf(reading) } };
  const tree = isTree(reading.value) ? reading.value : {};
  const { version } = tree;
  if (typeof version === "number" && version > VERSION)
    return {
      overlay: EMPTY_OVERLAY,
      mistake: { path: OVERLAY_FILE, ...message("mistake.newer_file", { version, known: VERSION }) },
    };
  const [plans, plugs] = entryLists.map((list) => overlayEntries(tree[list], writtenIds(entriesIn(owner, list))));
  const [settings, servers] = [tree.settings, tree.servers].map((each) => (isTree(each) ? each : {})) as [
    Tree,
    Servers,
  ];
  for (const plan of Object.values(plans ?? {})) mergeOldKeys(plan ?? {});
  const isBound = version === VERSION || text === null;
  return {
    overlay: { settings, plans: plans ?? {}, plugs: plugs ?? {}, servers: isBound ? servers : null },
    mistake: null,
  };
}

function overlayEntries(list: unknown, owned: readonly string[]): OverlayEntries {
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
export function overlayText({ servers, ...values }: Overlay): string {
  const whole = servers ? { version: VERSION, ...values, servers } : { version: VERSION_UNBOUND, ...values };
  const body = stringify(whole, { lineWidth: 0, version: "1.1" });
  return `${ABOUT.replace(/^/gm, "#")}\n${body}`;
}
