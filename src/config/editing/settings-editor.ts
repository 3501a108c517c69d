/**
 * Shows, tests and changes settings by the paths of their keys. A secret is never returned, and a stored one is only ever
 * sent to the server it was saved for (`overlay-writer.ts`).
 */
import { isDeepStrictEqual } from "node:util";
import { message, textIn } from "../../core/language/text.ts";
import { OVERLAY_FILE } from "../../core/runtime/data-files.ts";
import { keysOf, restartKeysOf } from "../config-change.ts";
import type { Overlay } from "../overlay/overlay-file.ts";
import { isSecretKey } from "../reading/mistake.ts";
import { type Config, configSchema } from "../schema/schema.ts";
import { defaultOf, FILE_SUFFIX, schemaAt } from "../schema/schema-nodes.ts";
import { redactedConfig } from "../secrets.ts";
import { isConnection, type SettingName, settingNames } from "../settings.ts";
import { isTree, type Tree, valueAt, withoutKey, withValue } from "../tree.ts";
import { type Caller, type Edited, type EditRefusal, foreignIn, INVENTED, mistaken, refusal } from "./edit-refusal.ts";
import type { OverlayNow, OverlayWriter } from "./overlay-writer.ts";

/** A requested change. Keys that are left out stay; null removes one. */
export type SettingChange = { readonly name: SettingName; readonly keys: Tree; readonly caller: Caller };

export class SettingsEditor {
  readonly #overlay: OverlayWriter;

  constructor(overlay: OverlayWriter) {
    this.#overlay = overlay;
  }

  /** Returns the settings by their keys; `fixed` is why they cannot be changed here, or null. */
  saved() {
    const { isInvented, waiting } = this.#overlay;
    const now = this.#overlay.saved();
    return {
      source: isInvented ? null : OVERLAY_FILE,
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
    return refused(wanted) ?? this.#overlay.edit(targetOf(wanted), (now) => this.#changed(now, wanted.keys));
  }

  /** Returns the configuration with a change, to test it, or why it cannot be tested. */
  tried(wanted: SettingChange): Config | EditRefusal {
    return refused(wanted) ?? this.#overlay.tried(targetOf(wanted), (now) => this.#changed(now, wanted.keys));
  }

  /** Removes what page.yaml says of a setting, so that it is again as in the owner's file. */
  async reset(name: SettingName, caller: Caller): Promise<Edited> {
    const wanted = { name, caller, keys: {} };
    const settings = (overlay: Overlay) => ({ ...overlay, settings: keysOf(name).reduce(without, overlay.settings) });
    return refused(wanted) ?? this.#overlay.edit(targetOf(wanted), ({ overlay }) => settings(overlay));
  }

  #keyOf(key: string, now: OverlayNow & { readonly config: Config }) {
    const path = key.split(".");
    const found = valueAt(now.config, key) ?? null;
    const is_secret = isSecretKey(path.at(-1) ?? "");
    return {
      key,
      is_secret,
      is_set: found !== null && !isDeepStrictEqual(found, defaultOf(schemaAt(path, configSchema))),
      value: is_secret || isInFile(key, now) ? null : redactedConfig(found),
      outside: this.#isOutside(key, now),
      overrides: valueAt(now.overlay.settings, key) !== undefined,
      restart: restartKeysOf(path[0] ?? "").includes(key),
    };
  }

  #isOutside(key: string, now: OverlayNow): boolean {
    return (
      this.#overlay.isSetOutside(key) ||
      isInFile(key, now) ||
      Array.isArray(valueAt(now.owner, key.split(".")[0] ?? ""))
    );
  }

  #changed(now: OverlayNow, values: Tree): Overlay | EditRefusal {
    const fixed = Object.keys(values).filter((key) => this.#isOutside(key, now));
    if (fixed.length > 0)
      return mistaken(
        "conflict",
        fixed.map((path) => ({ path, ...message("mistake.set_outside") })),
      );
    const settings = Object.entries(values).reduce<Tree>((tree, [path, value]) => {
      const isOwners = isDeepStrictEqual(value, valueAt(now.owner, path) ?? null);
      return isOwners ? without(tree, path) : withValue(tree, path, value);
    }, now.overlay.settings);
    return { ...now.overlay, settings };
  }
}

function isInFile(key: string, { owner }: OverlayNow): boolean {
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
