/** Changes `page.yaml`, one change at a time: checks the new configuration, keeps the previous state, applies the new. */
import { isDeepStrictEqual } from "node:util";
import { type ConfigTexts, MAX_CONFIG_BYTES } from "../config/config-texts.ts";
import { PAGE_FILE } from "../config/entry-list.ts";
import type { ConfigReading } from "../config/load.ts";
import { mistakeAt } from "../config/mistake.ts";
import { type PageFile, pageText, readPageFile } from "../config/page-file.ts";
import type { Config } from "../config/schema.ts";
import { isTree, type Tree } from "../config/tree.ts";
import { readYaml } from "../config/yaml-text.ts";
import { message } from "../core/language/text.ts";
import { PassingStartError, StartError, throwIfShort } from "../core/status/start-error.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { ConfigReload } from "./config-reload.ts";
import { type ConfigurationFiles, revisionOf } from "./configuration-files.ts";
import { codeOf, INVENTED, mistaken, mistakesMessage, refusal } from "./edit-refusal.ts";
import type { Edited, EditRefusal } from "./entry-editor.ts";

/** Source of the configuration, and functions to read it again. */
export interface ConfigurationSource {
  /** The owner's file; null if the configuration has no file. */
  readonly path: string | null;
  /** Returns whether the environment sets a key, such as `plans` or `log.level`, in place of the files. */
  readonly isSetOutside: (key: string) => boolean;
  /** Reads the whole configuration with these texts. */
  readonly readWith: (texts: ConfigTexts) => ConfigReading;
  /** Reads the whole configuration. Rejects with a StartError that lists every mistake. */
  readonly read: () => Promise<Config>;
}

export interface PageWriterDeps {
  readonly source: ConfigurationSource | null;
  readonly files: ConfigurationFiles;
  readonly reloading: ConfigReload;
  readonly clock: { now(): EpochMs };
}

/** The files as they are now. */
export interface PageNow {
  readonly page: PageFile;
  /** Keys and values of the owner's file. */
  readonly owner: Tree;
  /** Name of the owner's file; null if the configuration has no file. */
  readonly name: string | null;
  readonly revision: string;
}

/** A requested change of the page's file. */
export interface PageChange {
  /** Id or name of what changes. */
  readonly id: string;
  /** Path in page.yaml. Mistakes below it are those of the caller. */
  readonly path: string;
  /** The revision that the caller has read; null to skip the check. */
  readonly revision: string | null;
  readonly change: (now: PageNow) => PageFile | EditRefusal;
  /** Returns why the changed configuration must not be saved; null if it may. */
  readonly check?: (before: Config, after: Config) => EditRefusal | null;
}

export class PageWriter {
  readonly #deps: PageWriterDeps;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: PageWriterDeps) {
    this.#deps = deps;
  }

  /** The configuration in use. */
  get used(): Config {
    return this.#deps.reloading.used;
  }

  /** Changed keys that need a restart. */
  get waiting(): readonly string[] {
    return this.#deps.reloading.later;
  }

  get isInvented(): boolean {
    return this.#deps.source === null;
  }

  isSetOutside(key: string): boolean {
    return this.#deps.source?.isSetOutside(key) ?? false;
  }

  now(texts: ConfigTexts = this.#deps.files.read()): PageNow {
    const owner = treeIn(texts.file);
    const { page } = readPageFile(texts.page, owner);
    return { page, owner, name: this.#deps.files.name, revision: revisionOf(texts) };
  }

  /** Returns the files, and the configuration that they hold, part of which may wait for a restart. */
  saved(): PageNow & { readonly config: Config } {
    const { source, files } = this.#deps;
    const texts = files.read();
    const reading = source?.readWith(texts);
    return { ...this.now(texts), config: reading?.kind === "config" ? reading.config : this.used };
  }

  edit(asked: PageChange): Promise<Edited> {
    const done = this.#last.then(() => this.#edit(asked));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #edit(asked: PageChange): Promise<Edited> {
    const { source, files, reloading } = this.#deps;
    if (!source) return refusal("conflict", INVENTED);
    try {
      const refused = this.#write(asked, source);
      if (refused) return refused;
      await reloading.reload(source.read);
      const revision = revisionOf(files.read());
      return { kind: "saved", id: asked.id, source: PAGE_FILE, revision, later: reloading.later };
    } catch (error) {
      if (error instanceof StartError && !(error instanceof PassingStartError))
        return refusal("conflict", error.message);
      throw error;
    }
  }

  /** Writes the file. Returns why it was not written; null if it was. */
  #write({ path, revision, change, check }: PageChange, source: ConfigurationSource): EditRefusal | null {
    const { files, clock } = this.#deps;
    const texts = files.read();
    if (revision !== null && revision !== revisionOf(texts))
      return refusal("precondition_failed", message("refused.edit_changed"));
    const before = source.readWith(texts);
    if (before.kind === "mistakes")
      return refusal("conflict", message("refused.edit_mistaken", { mistakes: mistakesMessage(before.mistakes) }));
    const { mistake } = readPageFile(texts.page, treeIn(texts.file));
    if (mistake?.key === "mistake.newer_file") return refusal("conflict", mistakeAt(mistake));
    const next = change(this.now(texts));
    if ("kind" in next) return next;
    const text = pageText(next);
    if (text.length > MAX_CONFIG_BYTES) return refusal("conflict", message("refused.edit_too_long"));
    const after = source.readWith({ ...texts, page: text });
    if (after.kind === "mistakes") return mistaken("conflict", after.mistakes);
    const added = after.page.mistakes.filter(
      (each) => !before.page.mistakes.some((old) => isDeepStrictEqual(old, each)),
    );
    if (added.length > 0) return refusalOf(path, added);
    const refused = check?.(before.config, after.config) ?? null;
    if (refused) return refused;
    try {
      files.writePage(text, texts.page, clock.now());
    } catch (error) {
      throwIfShort(error, `${PAGE_FILE} cannot be written`);
      return refusal("conflict", message("refused.edit_not_written", { file: files.pagePath, code: codeOf(error) }));
    }
    return null;
  }
}

/** Returns the refusal for mistakes. Their paths are relative to `path` of page.yaml. */
function refusalOf(path: string, found: PageMistakes): EditRefusal {
  const own = `${PAGE_FILE}: ${path}`;
  const mistakes = found.map((mistake) => ({
    ...mistake,
    path: mistake.path.startsWith(own) ? mistake.path.slice(own.length).replace(/^\./, "") : mistake.path,
  }));
  const isOwn = found.every((mistake) => mistake.path.startsWith(own));
  return { ...refusal(isOwn ? "invalid_parameter" : "conflict", mistakesMessage(isOwn ? mistakes : found)), mistakes };
}

type PageMistakes = Extract<ConfigReading, { kind: "config" }>["page"]["mistakes"];

function treeIn(text: string | null): Tree {
  const reading = text === null ? null : readYaml(text);
  return reading?.kind === "value" && isTree(reading.value) ? reading.value : {};
}
