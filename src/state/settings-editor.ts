/**
 * Shows and changes settings of the configuration over HTTP. Secrets are never returned. A change without a secret
 * keeps the stored one.
 */

import { MAX_CONFIG_BYTES } from "../config/config-texts.ts";
import { editSetting } from "../config/edit-entry.ts";
import { type ConfigMistake, isSecretKey } from "../config/mistake.ts";
import { type Config, configSchema } from "../config/schema.ts";
import { shapeOf } from "../config/schema-nodes.ts";
import { type SettingName, settingNames } from "../config/setting-names.ts";
import { isTree, type Tree } from "../config/tree.ts";
import { readYaml } from "../config/yaml-text.ts";
import { type Message, message, textIn } from "../core/language/text.ts";
import { PassingStartError, StartError, throwIfShort } from "../core/status/start-error.ts";
import { restartKeysOf } from "./config-reload.ts";
import { type ConfigurationEditorDeps, filesIn, withoutDefaults } from "./configuration-editor.ts";
import { revisionOf } from "./configuration-files.ts";
import { codeOf, fileRefusal, INVENTED, mistakesMessage, refusal } from "./edit-refusal.ts";
import type { Edited, EditRefusal } from "./entry-editor.ts";

/** A setting in the form of the configuration file. */
export interface SavedSetting {
  readonly name: SettingName;
  /** The value, or the keys of a section that are neither secrets nor defaults; null for a section that is not there. */
  readonly value: unknown;
  /** Secrets of the section that are set. */
  readonly secrets: readonly string[];
  /** Keys that the environment or a file of their own sets; null if that is the setting itself. */
  readonly outside: readonly string[];
  /** Keys of which a change needs a restart, such as `log.format`. */
  readonly restart: readonly string[];
}

export interface SavedSettings {
  /** The file of the settings; null without a file. */
  readonly source: string | null;
  /** Why they cannot be changed here; null if they can. */
  readonly fixed: string | null;
  readonly revision: string;
  /** Keys that were changed in the file and need a restart. */
  readonly waiting: readonly string[];
  readonly settings: readonly SavedSetting[];
}

/** A requested change. The value null removes the setting from the file. */
export interface SettingChange {
  readonly name: SettingName;
  readonly value: unknown;
  /** The revision that the caller has read; null to skip the check. */
  readonly revision: string | null;
}

export class SettingsEditor {
  readonly #deps: ConfigurationEditorDeps;

  constructor(deps: ConfigurationEditorDeps) {
    this.#deps = deps;
  }

  saved(): SavedSettings {
    const { source, files, reloading } = this.#deps;
    const texts = files.read();
    const reading = source?.readWith(texts);
    const config = reading?.kind === "config" ? reading.config : reloading.used;
    const raw = treeIn(texts.file);
    const fixed = this.#fixed();
    return {
      source: files.name,
      fixed: fixed && textIn("en", fixed),
      revision: revisionOf(texts),
      waiting: reloading.later,
      settings: settingNames.map((name) => this.#settingOf(name, config, raw[name])),
    };
  }

  /** Writes a setting to the file, keeps a backup, and applies it. */
  async change({ name, value, revision }: SettingChange): Promise<Edited> {
    const { source, files, reloading, clock } = this.#deps;
    const fixed = this.#fixed();
    if (!source || fixed !== null) return refusal("conflict", fixed ?? INVENTED);
    const named = fileRefusal(value);
    if (named) return named;
    try {
      const texts = files.read();
      if (revision !== null && revision !== revisionOf(texts))
        return refusal("precondition_failed", message("refused.edit_changed"));
      const before = source.readWith(texts);
      if (before.kind === "mistakes")
        return refusal("conflict", message("refused.edit_mistaken", { mistakes: mistakesMessage(before.mistakes) }));
      const raw = treeIn(texts.file)[name];
      const given = isTree(value) ? { ...this.#kept(name, raw, value), ...value } : value;
      const text = editSetting(texts.file ?? "", name, given);
      const file = files.name ?? "";
      if (text === null) return refusal("conflict", message("refused.edit_yaml_form", { file }));
      if (text.length > MAX_CONFIG_BYTES) return refusal("conflict", message("refused.edit_too_long"));
      const next = source.readWith({ ...texts, file: text });
      if (next.kind === "mistakes") return refusalOf(name, next.mistakes);
      const moved = secretsElsewhere(name, before.config[name], next.config[name], value);
      if (moved.length > 0) return refusalOf(name, moved);
      try {
        files.write("file", text, texts.file, clock.now());
      } catch (error) {
        throwIfShort(error, `${file} cannot be written`);
        return refusal("conflict", message("refused.edit_not_written", { file, code: codeOf(error) }));
      }
      await reloading.reload(source.read);
    } catch (error) {
      if (error instanceof StartError && !(error instanceof PassingStartError))
        return refusal("conflict", error.message);
      throw error;
    }
    const after = revisionOf(files.read());
    return { kind: "saved", id: name, source: files.name ?? "", revision: after, note: null, later: reloading.later };
  }

  #settingOf(name: SettingName, config: Config, raw: unknown): SavedSetting {
    const restart = restartKeysOf(name);
    const value: unknown = config[name] ?? null;
    const shape = shapeOf(shapeOf(configSchema)?.[name]);
    if (!shape) return { name, value, secrets: [], outside: this.#isOutside(name) ? [name] : [], restart };
    const outside = Object.keys(shape).filter((key) => this.#isOutside(`${name}.${key}`));
    const secrets = isTree(value)
      ? Object.keys(shape).filter((key) => isSecretKey(key) && value[key] !== undefined)
      : [];
    const inFiles = filesIn(raw).filter((key) => !secrets.includes(key) && !outside.includes(key));
    const hidden = new Set([...outside, ...secrets, ...inFiles]);
    const shown = isTree(value)
      ? Object.fromEntries(Object.entries(withoutDefaults(shape, value)).filter(([key]) => !hidden.has(key)))
      : null;
    return { name, value: shown, secrets, outside: [...outside, ...inFiles], restart };
  }

  #isOutside(key: string): boolean {
    return this.#deps.source?.isSetOutside(key) ?? false;
  }

  /** Returns the reason why settings cannot be changed; null if they can. */
  #fixed(): Message | null {
    const { source, files } = this.#deps;
    if (!source) return INVENTED;
    if (files.name === null) return message("refused.edit_no_file");
    return files.isWritable ? null : message("refused.edit_file_read_only", { file: files.name });
  }

  /** Returns the keys of a section that the caller cannot see and therefore does not send. */
  #kept(name: SettingName, raw: unknown, given: Tree): Tree {
    const entries = Object.entries(isTree(raw) ? raw : {});
    return Object.fromEntries(
      entries.filter(([key]) => !(key in given) && (isSecretKey(key) || this.#isOutside(`${name}.${key}`))),
    );
  }
}

function treeIn(text: string | null): Tree {
  const reading = text === null ? null : readYaml(text);
  return reading?.kind === "value" && isTree(reading.value) ? reading.value : {};
}

/** Returns the refusal for mistakes in a setting. Their paths are relative to the setting. */
function refusalOf(name: SettingName, found: readonly ConfigMistake[]): EditRefusal {
  const mistakes = found.map(({ path, line: _, ...said }) => ({
    path: path === name ? "" : path.replace(`${name}.`, ""),
    ...said,
  }));
  const isOwn = found.every(({ path }) => path === name || path.startsWith(`${name}.`));
  return { ...refusal(isOwn ? "invalid_parameter" : "conflict", mistakesMessage(found)), mistakes };
}

/**
 * Returns a mistake for each secret that would be sent to another server than before. Otherwise a key that may change
 * an address could be used to read a secret.
 */
function secretsElsewhere(name: SettingName, before: unknown, after: unknown, given: unknown): ConfigMistake[] {
  if (!isTree(before) || !isTree(after) || !isTree(given)) return [];
  const moved = Object.keys(after).filter((key) => originOf(after[key]) !== originOf(before[key]));
  if (moved.length === 0) return [];
  const kept = Object.keys(after).filter((key) => isSecretKey(key) && !(key in given) && !moved.includes(key));
  return kept.map((key) => ({
    path: `${name}.${key}`,
    ...message("mistake.needed_again", { moved: moved.join(", ") }),
  }));
}

/** Returns the server of a URL; null for any other value. */
function originOf(value: unknown): string | null {
  return typeof value === "string" && URL.canParse(value) ? new URL(value).origin : null;
}
