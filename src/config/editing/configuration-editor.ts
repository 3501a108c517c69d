/** Saves plans and plugs over HTTP, in `page.yaml`. */
import { isDeepStrictEqual } from "node:util";
import { type Message, message, textIn } from "../../core/language/text.ts";
import { PAGE_FILE } from "../../core/runtime/data-files.ts";
import type { EntryList } from "../entry-list.ts";
import { entriesIn, type PageEntries, writtenIds } from "../page/page-file.ts";
import { triedPlans } from "../plan-trials.ts";
import { describeIssue } from "../reading/config-error.ts";
import { below, isSecretKey } from "../reading/mistake.ts";
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
import type { PageNow, PageWriter } from "./page-writer.ts";

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
  readonly #page: PageWriter;

  constructor(page: PageWriter) {
    this.#page = page;
  }

  /** Whether the homes are those of the demo, so that nothing can be saved. */
  get isInvented(): boolean {
    return this.#page.isInvented;
  }

  /**
   * Returns an entry that is in use, as written and without its secrets; null if it is not in use. `source` is the file
   * that holds it, `fixed` why it cannot be changed here.
   */
  saved(list: EntryList, id: string) {
    const used = this.#page.used[list];
    const found = used[writtenIds(used).indexOf(id)];
    if (!found) return null;
    const whole = written(list, found);
    const secrets = Object.keys(whole).filter(isSecretKey);
    const entry = Object.fromEntries(Object.entries(whole).filter(([name]) => !isSecretKey(name)));
    if (this.isInvented)
      return { id, source: null, fixed: textIn("en", INVENTED), entry, secrets, revision: "", overrides: false };
    const now = this.#page.now();
    const owned = ownedIn(now, list, id);
    for (const name of fileKeysIn(owned)) delete entry[name];
    const why = this.#fixed(now, list, id);
    const isOnPage = id in now.page[list] && why === null;
    const source = isOnPage ? PAGE_FILE : owned ? now.name : null;
    const fixed = why && textIn("en", why);
    const { revision } = now;
    return { id, source, fixed, entry, secrets, revision, overrides: isOnPage && owned !== null };
  }

  /** Returns the configuration with an entry, or the mistakes of the entry. */
  draft(list: EntryList, id: string | null, entry: unknown): Config | EditRefusal {
    if (!isTree(entry))
      return refusal("invalid_parameter", message("refused.edit_not_keys", { entry: ENTRY_NAMES[list] }));
    const { accounts: _, ...used } = this.#page.used;
    const ids = writtenIds(used[list]);
    const index = id !== null && ids.includes(id) ? ids.indexOf(id) : ids.length;
    const [wanted = ""] = writtenIds([entry]);
    if (index === ids.length && ids.includes(wanted)) return existsAlready(list, wanted);
    const tree: Tree = { ...used, [list]: used[list].toSpliced(index, 1, entry as never) };
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
    return this.#page.edit({ id: named, path, caller, given }, (now) => {
      const refused = this.#refused(now, list, id, isDelete ? null : (entry ?? "nothing"));
      if (refused) return refused;
      const whole = isDelete ? null : { ...secretsOf(now.page[list][named]), ...(entry as Tree) };
      return { ...now.page, [list]: withEntry(now, list, named, whole && withoutKey(whole, "id")) };
    });
  }

  /** Removes what page.yaml says of an entry, so that it is again as in the owner's file. */
  reset(list: EntryList, id: string, caller: Caller): Promise<Edited> {
    return this.#page.edit({ id, path: `${list}.${id}`, caller }, ({ page }) => {
      const { [id]: own, ...others } = page[list];
      return own === undefined ? unknownEntry(list, id) : { ...page, [list]: others };
    });
  }

  /** Returns why an entry cannot be saved or deleted; null if it can. `entry` is null for a deletion. */
  #refused(now: PageNow, list: EntryList, id: string | null, entry: unknown): EditRefusal | null {
    if (id !== null) {
      const ids = [
        ...writtenIds(this.#page.used[list]),
        ...writtenIds(entriesIn(now.owner, list)),
        ...Object.keys(now.page[list]),
      ];
      if (!ids.includes(id)) return unknownEntry(list, id);
      const fixed = this.#fixed(now, list, id);
      if (fixed) return refusal("conflict", fixed);
    }
    if (entry === null) return null;
    const before = this.#page.used[list][writtenIds(this.#page.used[list]).indexOf(id ?? "")] ?? {};
    const files = fileKeysIn(id === null ? null : ownedIn(now, list, id));
    const inFiles = files.map((name) => [name, before[name as keyof typeof before]]);
    const fixedKeys = { ...Object.fromEntries(inFiles), ...(id !== null && { id }) };
    const stored = id === null ? {} : { ...secretsOf(ownedIn(now, list, id)), ...secretsOf(now.page[list][id]) };
    const whole = isTree(entry) ? withoutNull({ ...stored, ...fixedKeys, ...entry }) : entry;
    const draft = this.draft(list, id, whole);
    if ("kind" in draft) return draft;
    const [named = ""] = writtenIds([whole]);
    if (id === null) return writtenIds(entriesIn(now.owner, list)).includes(named) ? existsAlready(list, named) : null;
    return named === id ? null : refusal("invalid_parameter", message("refused.edit_fixed_id", { id, found: named }));
  }

  /** Returns why an entry cannot be changed here; null if it can. */
  #fixed(now: PageNow, list: EntryList, id: string): Message | null {
    const isOwned = ownedIn(now, list, id) !== null && !this.#page.isSetOutside(list);
    if (isOwned || id in now.page[list]) return null;
    const places = now.name === null ? PAGE_FILE : `${now.name} or ${PAGE_FILE}`;
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
function withEntry(now: PageNow, list: EntryList, id: string, entry: Tree | null): PageEntries {
  const { [id]: _, ...others } = now.page[list];
  const owned = ownedIn(now, list, id);
  if (owned === null) return entry === null ? others : { ...others, [id]: withoutNull(entry) };
  const isOwned = entry !== null && isDeepStrictEqual({ ...secretsOf(owned), ...entry }, withoutKey(owned, "id"));
  return isOwned ? others : { ...others, [id]: entry };
}

/** Returns the entry of the owner's file; null if it has none. */
function ownedIn({ owner }: PageNow, list: EntryList, id: string): Tree | null {
  const entries = entriesIn(owner, list);
  const found = entries[writtenIds(entries).indexOf(id)];
  return isTree(found) ? found : null;
}

function existsAlready(list: EntryList, id: string): EditRefusal {
  return refusal("conflict", message("refused.edit_exists", { entry: ENTRY_NAMES[list], id }));
}

function written(list: EntryList, used: object): Tree {
  return withoutDefaults(shapeOf(itemOf(shapeOf(configSchema)?.[list])) ?? {}, used);
}
