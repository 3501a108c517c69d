/**
 * Shows, tests and changes settings by the paths of their keys. A secret is never returned, and a stored one is only ever
 * sent to the server it was saved for (`page-writer.ts`).
 */
import { isDeepStrictEqual } from "node:util";
import { message, textIn } from "../../core/language/text.ts";
import { PAGE_FILE } from "../../core/runtime/data-files.ts";
import { keysOf, restartKeysOf } from "../config-change.ts";
import type { PageFile } from "../page/page-file.ts";
import { isSecretKey } from "../reading/mistake.ts";
import { type Config, configSchema } from "../schema/schema.ts";
import { defaultOf, FILE_SUFFIX, schemaAt } from "../schema/schema-nodes.ts";
import { redactedConfig } from "../secrets.ts";
import { isConnection, type SettingName, settingNames } from "../settings.ts";
import { isTree, type Tree, valueAt, withoutKey, withValue } from "../tree.ts";
import { type Caller, type Edited, type EditRefusal, foreignIn, INVENTED, mistaken, refusal } from "./edit-refusal.ts";
import type { PageNow, PageWriter } from "./page-writer.ts";

/** A requested change. Keys that are left out stay; null removes one. */
export interface SettingChange {
  readonly name: SettingName;
  readonly keys: Tree;
  readonly caller: Caller;
}

export class SettingsEditor {
  readonly #page: PageWriter;

  constructor(page: PageWriter) {
    this.#page = page;
  }

  /** Returns the settings by their keys; `fixed` is why they cannot be changed here, or null. */
  saved() {
    const { isInvented, waiting } = this.#page;
    const now = this.#page.saved();
    return {
      source: isInvented ? null : PAGE_FILE,
      fixed: isInvented ? textIn("en", INVENTED) : null,
      revision: now.revision,
      waiting,
      settings: settingNames.map((name) => ({
        name,
        is_connection: isConnection(name),
        keys: keysOf(name).map((key) => this.#keyOf(key, now)),
      })),
    };
  }

  /** Saves a setting and applies it. */
  async change(wanted: SettingChange): Promise<Edited> {
    return refused(wanted) ?? this.#page.edit(targetOf(wanted), (now) => this.#changed(now, wanted.keys));
  }

  /** Returns the configuration with a change, to test it, or why it cannot be tested. */
  tried(wanted: SettingChange): Config | EditRefusal {
    return refused(wanted) ?? this.#page.tried(targetOf(wanted), (now) => this.#changed(now, wanted.keys));
  }

  /** Removes what page.yaml says of a setting, so that it is again as in the owner's file. */
  async reset(name: SettingName, caller: Caller): Promise<Edited> {
    const wanted = { name, caller, keys: {} };
    const settings = (page: PageFile) => ({ ...page, settings: keysOf(name).reduce(without, page.settings) });
    return refused(wanted) ?? this.#page.edit(targetOf(wanted), ({ page }) => settings(page));
  }

  #keyOf(key: string, now: PageNow & { readonly config: Config }) {
    const path = key.split(".");
    const found = valueAt(now.config, key) ?? null;
    const is_secret = isSecretKey(path.at(-1) ?? "");
    return {
      key,
      is_secret,
      is_set: found !== null && !isDeepStrictEqual(found, defaultOf(schemaAt(path, configSchema))),
      value: is_secret || isInFile(key, now) ? null : redactedConfig(found),
      outside: this.#isOutside(key, now),
      overrides: valueAt(now.page.settings, key) !== undefined,
      restart: restartKeysOf(path[0] ?? "").includes(key),
    };
  }

  #isOutside(key: string, now: PageNow): boolean {
    return (
      this.#page.isSetOutside(key) || isInFile(key, now) || Array.isArray(valueAt(now.owner, key.split(".")[0] ?? ""))
    );
  }

  #changed(now: PageNow, values: Tree): PageFile | EditRefusal {
    const fixed = Object.keys(values).filter((key) => this.#isOutside(key, now));
    if (fixed.length > 0)
      return mistaken(
        "conflict",
        fixed.map((path) => ({ path, ...message("mistake.set_outside") })),
      );
    const settings = Object.entries(values).reduce<Tree>((tree, [path, value]) => {
      const isOwners = isDeepStrictEqual(value, valueAt(now.owner, path) ?? null);
      return isOwners ? without(tree, path) : withValue(tree, path, value);
    }, now.page.settings);
    return { ...now.page, settings };
  }
}

function isInFile(key: string, { owner }: PageNow): boolean {
  return valueAt(owner, `${key}${FILE_SUFFIX}`) !== undefined;
}

function targetOf({ name, keys, caller }: SettingChange) {
  return { id: name, path: "", caller, given: Object.keys(keys) };
}

/** Returns why a change cannot be one of its setting; null if it can. */
function refused({ name, keys, caller }: SettingChange): EditRefusal | null {
  if (isConnection(name) && !caller.isAdmin) return refusal("forbidden", message("refused.needs_admin"));
  const mistakes = foreignIn(keys, keysOf(name));
  return mistakes.length > 0 ? mistaken("invalid_parameter", mistakes) : null;
}

function without(tree: Tree, path: string): Tree {
  const [section = "", key] = path.split(".");
  const own = tree[section];
  const rest = isTree(own) && key !== undefined ? withoutKey(own, key) : {};
  return Object.keys(rest).length > 0 ? { ...tree, [section]: rest } : withoutKey(tree, section);
}
