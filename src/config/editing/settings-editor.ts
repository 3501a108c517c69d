/**
 * Shows and changes settings of the configuration over HTTP. Secrets are never returned. A change without a secret
 * keeps the stored one.
 */

import { isDeepStrictEqual } from "node:util";
import { textIn } from "../../core/language/text.ts";
import { PAGE_FILE } from "../../core/runtime/data-files.ts";
import { restartKeysOf } from "../config-change.ts";
import { describeIssue } from "../config-error.ts";
import { below, isSecretKey } from "../mistake.ts";
import { configSchema } from "../schema.ts";
import { filesIn, shapeOf, withoutDefaults } from "../schema-nodes.ts";
import { type SettingName, settingNames } from "../setting-names.ts";
import { isTree, type Tree, withoutKey } from "../tree.ts";
import { type Caller, type Edited, type EditRefusal, INVENTED, mistaken } from "./edit-refusal.ts";
import type { PageWriter } from "./page-writer.ts";

/** A requested change. The value null removes the setting from the file. */
export interface SettingChange {
  readonly name: SettingName;
  readonly value: unknown;
  readonly caller: Caller;
}

export class SettingsEditor {
  readonly #page: PageWriter;

  constructor(page: PageWriter) {
    this.#page = page;
  }

  /** Returns the settings; `fixed` is why they cannot be changed here, or null. */
  saved() {
    const now = this.#page.saved();
    return {
      source: this.#page.isInvented ? null : PAGE_FILE,
      fixed: this.#page.isInvented ? textIn("en", INVENTED) : null,
      revision: now.revision,
      waiting: this.#page.waiting,
      settings: settingNames.map((name) => this.#settingOf(name, now)),
    };
  }

  /** Saves a setting and applies it. */
  async change({ name, value, caller }: SettingChange): Promise<Edited> {
    const refused = this.#lacking(name, value);
    if (refused) return refused;
    const given = Object.keys(isTree(value) ? value : {}).map((key) => `${name}.${key}`);
    return this.#page.edit({ id: name, path: name, caller, given }, ({ page, owner }) => ({
      ...page,
      settings: this.#changed(name, value, page.settings, owner),
    }));
  }

  /** Removes what page.yaml says of a setting, so that it is again as in the owner's file. */
  reset(name: SettingName, caller: Caller): Promise<Edited> {
    return this.#page.edit({ id: name, path: name, caller }, ({ page }) => ({
      ...page,
      settings: withoutKey(page.settings, name),
    }));
  }

  /**
   * Returns a setting in the form of the file: without secrets and defaults. `outside` are the keys that the environment
   * or a file of their own sets, or the setting itself.
   */
  #settingOf(name: SettingName, { page, owner, config }: ReturnType<PageWriter["saved"]>) {
    const restart = restartKeysOf(name);
    const overrides = name in page.settings;
    const value: unknown = config[name] ?? null;
    const shape = shapeOf(shapeOf(configSchema)?.[name]);
    if (!shape)
      return { name, value, secrets: [], outside: this.#page.isSetOutside(name) ? [name] : [], restart, overrides };
    const outside = Object.keys(shape).filter((key) => this.#page.isSetOutside(`${name}.${key}`));
    const secrets = isTree(value)
      ? Object.keys(shape).filter((key) => isSecretKey(key) && value[key] !== undefined)
      : [];
    const inFiles = filesIn(owner[name]).filter((key) => !secrets.includes(key) && !outside.includes(key));
    const hidden = new Set([...outside, ...secrets, ...inFiles]);
    const visible = isTree(value)
      ? Object.fromEntries(Object.entries(withoutDefaults(shape, value)).filter(([key]) => !hidden.has(key)))
      : null;
    return { name, value: visible, secrets, outside: [...outside, ...inFiles], restart, overrides };
  }

  /** Returns the refusal of a new section without keys that needs some: nothing of it would be written. */
  #lacking(name: SettingName, value: unknown): EditRefusal | null {
    const isNew = (this.#page.saved().config[name] ?? null) === null;
    if (!isNew || !isTree(value) || Object.keys(value).length > 0) return null;
    const tree = { [name]: value };
    const issues = configSchema.safeParse(tree).error?.issues ?? [];
    const mistakes = issues
      .filter(({ path }) => path[0] === name)
      .flatMap((issue) => describeIssue(issue, tree, configSchema));
    return mistakes.length === 0 ? null : mistaken("conflict", below(name, mistakes));
  }

  /** Returns the settings of page.yaml after a change: only what differs from the owner's file. */
  #changed(name: SettingName, value: unknown, settings: Tree, owner: Tree): Tree {
    const others = withoutKey(settings, name);
    const owned = owner[name] ?? null;
    const shape = shapeOf(shapeOf(configSchema)?.[name]);
    if (!shape || !isTree(value)) return isDeepStrictEqual(value, owned) ? others : { ...others, [name]: value };
    const [own, before] = [owned, settings[name]].map((each) => (isTree(each) ? each : {})) as [Tree, Tree];
    const section = Object.keys({ ...shape, ...value }).flatMap((key) => {
      // The caller cannot see these, and therefore does not send them.
      const isHidden = isSecretKey(key) || this.#page.isSetOutside(`${name}.${key}`);
      if (!(key in value) && isHidden) return key in before ? [[key, before[key]]] : [];
      const wanted = value[key] ?? null;
      return isDeepStrictEqual(wanted, own[key] ?? null) ? [] : [[key, wanted]];
    });
    // An empty section would be removed by the reader, so that a section that the owner has stays as it is.
    return section.length === 0 && owned !== null ? others : { ...others, [name]: Object.fromEntries(section) };
  }
}
