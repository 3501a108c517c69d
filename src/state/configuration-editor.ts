/** Saves plans and plugs over HTTP: into the owner's file, or into the dashboard's file if that cannot be written. */
import { isDeepStrictEqual } from "node:util";
import { describeIssue } from "../config/config-error.ts";
import { type ConfigTexts, MAX_CONFIG_BYTES } from "../config/config-texts.ts";
import { editEntry } from "../config/edit-entry.ts";
import { type EntryList, PAGE_FILE } from "../config/entry-list.ts";
import { defaultOf, FILE_SUFFIX, itemOf, shapeOf } from "../config/keys.ts";
import type { ConfigReading } from "../config/load.ts";
import { entriesIn, idOfName, writtenIds } from "../config/page-file.ts";
import { triedPlans } from "../config/plan-trials.ts";
import { type Config, configSchema } from "../config/schema.ts";
import { isTree, type Tree } from "../config/tree.ts";
import { PassingStartError, StartError, throwIfShort } from "../core/status/start-error.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { ConfigReload } from "./config-reload.ts";
import { type ConfigFile, type ConfigurationFiles, revisionOf } from "./configuration-files.ts";
import { codeOf, fileRefusal, INVENTED, mistakesText, refusal } from "./edit-refusal.ts";
import type { Edited, EditRefusal, EntryChange, EntryEditor, SavedEntry } from "./entry-editor.ts";

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

export interface ConfigurationEditorDeps {
  readonly source: ConfigurationSource | null;
  readonly files: ConfigurationFiles;
  readonly reloading: ConfigReload;
  readonly clock: { now(): EpochMs };
}

const NAMES = { plans: "plan", plugs: "plug" } as const;

export class ConfigurationEditor implements EntryEditor {
  readonly #deps: ConfigurationEditorDeps;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: ConfigurationEditorDeps) {
    this.#deps = deps;
  }

  get isInvented(): boolean {
    return this.#deps.source === null;
  }

  saved(list: EntryList, id: string): SavedEntry | null {
    const { source, files, reloading } = this.#deps;
    const index = writtenIds(reloading.used[list]).indexOf(id);
    const used = reloading.used[list][index];
    if (!used) return null;
    if (!source) return { id, source: null, fixed: INVENTED, entry: written(list, used), revision: "" };
    const texts = files.read();
    const place = this.#placeOf(list, id, texts);
    const revision = revisionOf(texts);
    if (typeof place === "string") return { id, source: null, fixed: place, entry: written(list, used), revision };
    const { which, index: at, fixed } = place;
    const raw = entriesIn(texts[which], list)[at];
    const entry = written(list, used);
    for (const name of filesIn(raw)) delete entry[name];
    return { id, source: this.#nameOf(which), fixed, entry, revision };
  }

  draft(list: EntryList, id: string | null, given: unknown): Config | EditRefusal {
    if (!isTree(given)) return refusal("invalid_parameter", `expected the keys of a ${NAMES[list]} and their values`);
    const named = fileRefusal(given);
    if (named) return named;
    const { accounts: _, ...used } = this.#deps.reloading.used;
    const ids = writtenIds(used[list]);
    const index = id !== null && ids.includes(id) ? ids.indexOf(id) : ids.length;
    const [wanted = ""] = writtenIds([given]);
    if (index === ids.length && ids.includes(wanted)) return existsAlready(list, wanted);
    const tree: Tree = { ...used, [list]: used[list].toSpliced(index, 1, given as never) };
    const result = configSchema.safeParse(tree);
    const found = result.success
      ? triedPlans(result.data)
      : result.error.issues.flatMap((issue) => describeIssue(issue, tree));
    if (result.success && found.length === 0) return result.data;
    const own = `${list}[${index}]`;
    const mistakes = found.map(({ path, text }) => ({
      path: path.startsWith(own) ? path.slice(own.length).replace(/^\./, "") : path,
      text,
    }));
    return { ...refusal("invalid_parameter", mistakesText(mistakes)), mistakes };
  }

  change(asked: EntryChange): Promise<Edited> {
    const done = this.#last.then(() => this.#change(asked));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #change(asked: EntryChange): Promise<Edited> {
    const { source, files, reloading } = this.#deps;
    if (!source) {
      const draft = asked.isDelete ? null : this.draft(asked.list, asked.id, asked.entry);
      return draft && "kind" in draft ? draft : refusal("conflict", INVENTED);
    }
    try {
      const edited = this.#write(asked, files.read(), source);
      if (edited.kind === "refused") return edited;
      await reloading.reload(source.read);
      return { ...edited, revision: revisionOf(files.read()), later: reloading.later };
    } catch (error) {
      if (error instanceof StartError && !(error instanceof PassingStartError))
        return refusal("conflict", error.message);
      throw error;
    }
  }

  #write(asked: EntryChange, texts: ConfigTexts, source: ConfigurationSource): Edited {
    const { list, id, isDelete, revision } = asked;
    const entry = isDelete ? null : (asked.entry ?? "nothing");
    const { files, clock, reloading } = this.#deps;
    if (revision !== null && revision !== revisionOf(texts))
      return refusal("precondition_failed", "the configuration has changed since you read it; read it again");
    const asWritten = source.readWith(texts);
    if (asWritten.kind === "mistakes")
      return refusal("conflict", `the configuration already has a mistake: ${mistakesText(asWritten.mistakes)}`);
    const ids = [reloading.used, asWritten.config].map((config) => writtenIds(config[list]));
    if (id !== null && !ids.some((each) => each.includes(id)))
      return refusal("resource_not_found", `the configuration has no ${NAMES[list]} "${id}"`);
    const place = id === null ? this.#placeOfNew(list) : this.#placeOf(list, id, texts);
    if (typeof place === "string") return refusal("conflict", place);
    if (place.fixed !== null) return refusal("conflict", place.fixed);
    const { which, index } = place;
    const named =
      entry === null ? (id ?? "") : this.#check(list, id, entry, entriesIn(texts[which], list)[index ?? -1]);
    if (typeof named !== "string") return named;
    if (id === null && ids.some((each) => each.includes(named))) return existsAlready(list, named);
    const keyed = id === null && which === "page" && isTree(entry) ? { ...entry, id: named } : (entry as Tree | null);
    const text = editEntry(texts[which] ?? "", { list, index, entry: keyed });
    if (text === null)
      return refusal(
        "conflict",
        `its YAML form (such as an anchor) can only be edited in ${this.#nameOf(which)} itself`,
      );
    if (text.length > MAX_CONFIG_BYTES) return refusal("conflict", "the configuration file would be too long");
    const next = source.readWith({ ...texts, [which]: text });
    if (next.kind === "mistakes")
      return { ...refusal("conflict", mistakesText(next.mistakes)), mistakes: next.mistakes };
    try {
      files.write(which, text, texts[which], clock.now());
    } catch (error) {
      throwIfShort(error, `${this.#nameOf(which)} cannot be written`);
      if (which === "page") return refusal("conflict", `${files.pagePath} cannot be written: ${codeOf(error)}`);
      this.#isReadOnly = true;
      // The second call writes a new entry into the dashboard's file, and refuses any other change.
      return this.#write(asked, texts, source);
    }
    const note =
      which === "file"
        ? null
        : `${files.name ?? "the configuration"} cannot be written, so the change is in ${files.pagePath}`;
    return { kind: "saved", id: named, source: this.#nameOf(which), revision: "", note, later: [] };
  }

  /** True after the owner's file could not be replaced, for instance because it is a mount point in a container. */
  #isReadOnly = false;

  get #isWritable(): boolean {
    return !this.#isReadOnly && this.#deps.files.isWritable;
  }

  /** Returns the id of a valid entry, or a refusal. */
  #check(list: EntryList, id: string | null, entry: unknown, raw: unknown): string | EditRefusal {
    const used = this.#deps.reloading.used[list];
    const before = id === null ? {} : { ...used[writtenIds(used).indexOf(id)] };
    const kept = filesIn(raw).map((name) => [name, before[name as keyof typeof before]]);
    const whole = isTree(entry) ? { ...Object.fromEntries(kept), ...(id === null ? {} : { id }), ...entry } : entry;
    const draft = this.draft(list, id, whole);
    if ("kind" in draft) return draft;
    const named =
      isTree(entry) && typeof entry.id === "string" ? entry.id : (id ?? idOfName(isTree(entry) && entry.name));
    if (id === null || named === id) return named;
    return refusal("invalid_parameter", `id: expected ${id}, which cannot change, found ${named}`);
  }

  #nameOf(which: ConfigFile): string {
    return which === "page" ? PAGE_FILE : (this.#deps.files.name ?? "");
  }

  #placeOfNew(list: EntryList) {
    const isOwn = this.#isWritable && this.#deps.source?.isSetOutside(list) === false;
    return { which: isOwn ? ("file" as const) : ("page" as const), index: null, fixed: null };
  }

  /** Returns where an entry is written, or the reason if it is in neither file. */
  #placeOf(list: EntryList, id: string, texts: ConfigTexts) {
    const { source, files } = this.#deps;
    const own = source?.isSetOutside(list) ? -1 : writtenIds(entriesIn(texts.file, list)).indexOf(id);
    if (own >= 0) {
      const fixed = this.#isWritable
        ? null
        : `${files.name} cannot be written by elbro; change the ${NAMES[list]} "${id}" there`;
      return { which: "file" as const, index: own, fixed };
    }
    const index = writtenIds(entriesIn(texts.page, list)).indexOf(id);
    if (index >= 0) return { which: "page" as const, index, fixed: null };
    const places = files.name === null ? PAGE_FILE : `${files.name} or ${PAGE_FILE}`;
    return `the ${NAMES[list]} "${id}" is not in ${places}; change it where it is defined`;
  }
}

function existsAlready(list: EntryList, id: string): EditRefusal {
  return refusal("conflict", `a ${NAMES[list]} "${id}" exists already; use another name or id`);
}

function written(list: EntryList, used: object): Tree {
  return withoutDefaults(shapeOf(itemOf(shapeOf(configSchema)?.[list])) ?? {}, used);
}

/** Returns keys and values as their owner would write them, without default values. */
export function withoutDefaults(shape: NonNullable<ReturnType<typeof shapeOf>>, used: object): Tree {
  const entries = Object.entries(used).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, defaultOf(shape[name])),
  );
  return Object.fromEntries(entries);
}

/** Returns the keys of an entry whose values are in files of their own. */
export function filesIn(raw: unknown): string[] {
  return Object.keys(isTree(raw) ? raw : {}).flatMap((name) =>
    name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : [],
  );
}
