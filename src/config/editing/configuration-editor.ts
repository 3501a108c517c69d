/** Saves plans and plugs over HTTP, in `page.yaml`. */
import { isDeepStrictEqual } from "node:util";
import { type Message, message, textIn } from "../../core/language/text.ts";
import { OVERLAY_FILE } from "../../core/runtime/data-files.ts";
import type { EntryList } from "../entry-list.ts";
import { entriesIn, type OverlayEntries, writtenIds } from "../overlay/overlay-file.ts";
import { triedPlans } from "../plan-trials.ts";
import { describeIssue } from "../reading/config-error.ts";
import { below, isSecretKey } from "../reading/mistake.ts";
import { withoutOldKeys } from "../schema/old-keys.ts";
import { type Config, configSchema } from "../schema/schema.ts";
import { fileKeysIn, itemOf, shapeOf, withoutDefaults } from "../schema/schema-nodes.ts";
import { isTree, type Tree, withoutKey } from "../tree.ts";
import {
  type Caller,
  type Edited,
  type EditRefusal,
  ENTRY_NAMES,
  INVENTED,
  mistaken,
  refusal,
  unknownEntry,
} from "./edit-refusal.ts";
import type { OverlayNow, OverlayWriter } from "./overlay-writer.ts";

/** A requested change. `id` is null for a new entry. */
interface EntryChange {
  readonly list: EntryList;
  readonly id: string | null;
  /** The new entry; ignored for a deletion. */
  readonly entry: unknown;
  readonly isDelete: boolean;
  readonly caller: Caller;
}

export class ConfigurationEditor {
  readonly #overlay: OverlayWriter;

  constructor(overlay: OverlayWriter) {
    this.#overlay = overlay;
  }

  /** Whether the homes are those of the demo, so that nothing can be saved. */
  get isInvented(): boolean {
    return this.#overlay.isInvented;
  }

  /**
   * Returns an entry that is in use, as written and without its secrets; null if it is not in use. `source` is the file
   * that holds it, `fixed` why it cannot be changed here.
   */
  saved(list: EntryList, id: string) {
    const used = this.#overlay.used[list];
    const found = used[writtenIds(used).indexOf(id)];
    if (!found) return null;
    const whole = withoutDefaults(shapeOf(itemOf(shapeOf(configSchema)?.[list])) ?? {}, found);
    const secrets = Object.keys(whole).filter(isSecretKey);
    const entry = Object.fromEntries(Object.entries(whole).filter(([name]) => !isSecretKey(name)));
    if (this.isInvented)
      return { id, source: null, fixed: textIn("en", INVENTED), entry, secrets, revision: "", overrides: false };
    const now = this.#overlay.now();
    const owned = ownedIn(now, list, id);
    for (const name of fileKeysIn(owned)) delete entry[name];
    const why = this.#fixed(now, list, id);
    const isInOverlay = id in now.overlay[list] && why === null;
    const source = isInOverlay ? OVERLAY_FILE : owned ? now.name : null;
    const fixed = why && textIn("en", why);
    const { revision } = now;
    return { id, source, fixed, entry, secrets, revision, overrides: isInOverlay && owned !== null };
  }

  /** Returns the configuration with an entry, or the mistakes of the entry. */
  draft(list: EntryList, id: string | null, entry: unknown): Config | EditRefusal {
    if (!isTree(entry))
      return refusal("invalid_parameter", message("refused.edit_not_keys", { entry: ENTRY_NAMES[list] }));
    const { accounts: _, ...used } = this.#overlay.used;
    const ids = writtenIds(used[list]);
    const index = id !== null && ids.includes(id) ? ids.indexOf(id) : ids.length;
    const [wanted = ""] = writtenIds([entry]);
    if (index === ids.length && ids.includes(wanted)) return existsAlready(list, wanted);
    const tree: Tree = { ...used, [list]: used[list].toSpliced(index, 1, { ...entry } as never) };
    withoutOldKeys(tree);
    const result = configSchema.safeParse(tree);
    const found = result.success
      ? triedPlans(result.data)
      : result.error.issues.flatMap((issue) => describeIssue(issue, tree, configSchema));
    if (result.success && found.length === 0) return result.data;
    return mistaken("invalid_parameter", below(`${list}[${index}]`, found));
  }

  /** Creates, changes or deletes an entry, and applies it. Changes are applied one at a time. */
  async change({ list, id, entry, isDelete, caller }: EntryChange): Promise<Edited> {
    if (this.isInvented) {
      const draft = isDelete ? null : this.draft(list, id, entry);
      return draft && "kind" in draft ? draft : refusal("conflict", INVENTED);
    }
    // Without an id, the name of a new entry decides; what is wrong with it is found below.
    const [ownId = ""] = writtenIds([entry]);
    const named = id ?? ownId;
    const path = `${list}.${named}`;
    const given = Object.keys(isTree(entry) ? entry : {}).map((key) => `${path}.${key}`);
    return this.#overlay.edit({ id: named, path, caller, given }, (now) => {
      const refused = this.#refused(now, list, id, isDelete ? null : (entry ?? "nothing"));
      if (refused) return refused;
      const whole = isDelete ? null : { ...secretsOf(now.overlay[list][named]), ...(entry as Tree) };
      return { ...now.overlay, [list]: withEntry(now, list, named, whole && withoutKey(whole, "id")) };
    });
  }

  /** Removes what page.yaml says of an entry, so that it is again as in the owner's file. */
  reset(list: EntryList, id: string, caller: Caller): Promise<Edited> {
    return this.#overlay.edit({ id, path: `${list}.${id}`, caller }, ({ overlay }) => {
      const { [id]: own, ...others } = overlay[list];
      return own === undefined ? unknownEntry(list, id) : { ...overlay, [list]: others };
    });
  }

  /** Returns why an entry cannot be saved or deleted; null if it can. `entry` is null for a deletion. */
  #refused(now: OverlayNow, list: EntryList, id: string | null, entry: unknown): EditRefusal | null {
    if (id !== null) {
      const ids = [
        ...writtenIds(this.#overlay.used[list]),
        ...writtenIds(entriesIn(now.owner, list)),
        ...Object.keys(now.overlay[list]),
      ];
      if (!ids.includes(id)) return unknownEntry(list, id);
      const fixed = this.#fixed(now, list, id);
      if (fixed) return refusal("conflict", fixed);
    }
    if (entry === null) return null;
    const before = this.#overlay.used[list][writtenIds(this.#overlay.used[list]).indexOf(id ?? "")] ?? {};
    const files = fileKeysIn(id === null ? null : ownedIn(now, list, id));
    const inFiles = files.map((name) => [name, before[name as keyof typeof before]]);
    const fixedKeys = { ...Object.fromEntries(inFiles), ...(id !== null && { id }) };
    const stored = id === null ? {} : { ...secretsOf(ownedIn(now, list, id)), ...secretsOf(now.overlay[list][id]) };
    const whole = isTree(entry) ? withoutNull({ ...stored, ...fixedKeys, ...entry }) : entry;
    const draft = this.draft(list, id, whole);
    if ("kind" in draft) return draft;
    const [named = ""] = writtenIds([whole]);
    if (id === null) return writtenIds(entriesIn(now.owner, list)).includes(named) ? existsAlready(list, named) : null;
    return named === id ? null : refusal("invalid_parameter", message("refused.edit_fixed_id", { id, found: named }));
  }

  /** Returns why an entry cannot be changed here; null if it can. */
  #fixed(now: OverlayNow, list: EntryList, id: string): Message | null {
    const isOwned = ownedIn(now, list, id) !== null && !this.#overlay.isSetOutside(list);
    if (isOwned || id in now.overlay[list]) return null;
    const places = now.name === null ? OVERLAY_FILE : `${now.name} or ${OVERLAY_FILE}`;
    return message("refused.edit_elsewhere", { entry: ENTRY_NAMES[list], id, places });
  }
}

/** Returns the stored secrets of an entry, which its reader does not see and therefore does not send. */
function secretsOf(stored: object | null | undefined): Tree {
  return Object.fromEntries(Object.entries(stored ?? {}).filter(([name]) => isSecretKey(name)));
}

/** Returns an entry without the secrets that null removes. */
function withoutNull(entry: Tree): Tree {
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => !(isSecretKey(name) && value === null)));
}

/**
 * Returns the entries of page.yaml after a change. What equals the owner's file needs no entry. A secret of that file is
 * used unless the entry has its own; null removes it.
 */
function withEntry(now: OverlayNow, list: EntryList, id: string, entry: Tree | null): OverlayEntries {
  const { [id]: _, ...others } = now.overlay[list];
  const owned = ownedIn(now, list, id);
  if (owned === null) return entry === null ? others : { ...others, [id]: withoutNull(entry) };
  const isOwned = entry !== null && isDeepStrictEqual({ ...secretsOf(owned), ...entry }, withoutKey(owned, "id"));
  return isOwned ? others : { ...others, [id]: entry };
}

/** Returns the entry of the owner's file; null if it has none. */
function ownedIn({ owner }: OverlayNow, list: EntryList, id: string): Tree | null {
  const entries = entriesIn(owner, list);
  const found = entries[writtenIds(entries).indexOf(id)];
  return isTree(found) ? found : null;
}

function existsAlready(list: EntryList, id: string): EditRefusal {
  return refusal("conflict", message("refused.edit_exists", { entry: ENTRY_NAMES[list], id }));
}
