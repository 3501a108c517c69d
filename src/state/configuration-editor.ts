/** Saves plans and plugs over HTTP: into the owner's file, or into the dashboard's file if that cannot be written. */
import { isDeepStrictEqual } from "node:util";
import { describeIssue } from "../config/config-error.ts";
import { type ConfigTexts, MAX_CONFIG_BYTES } from "../config/config-texts.ts";
import { editEntry } from "../config/edit-entry.ts";
import { type EntryList, PAGE_FILE } from "../config/entry-list.ts";
import type { ConfigReading } from "../config/load.ts";
import { entriesIn, idOfName, writtenIds } from "../config/page-file.ts";
import { triedPlans } from "../config/plan-trials.ts";
import { type Config, configSchema } from "../config/schema.ts";
import { defaultOf, FILE_SUFFIX, itemOf, shapeOf } from "../config/schema-nodes.ts";
import { isTree, type Tree } from "../config/tree.ts";
import { type Message, message, textIn } from "../core/language/text.ts";
import { PassingStartError, StartError, throwIfShort } from "../core/status/start-error.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { ConfigReload } from "./config-reload.ts";
import { type ConfigFile, type ConfigurationFiles, revisionOf } from "./configuration-files.ts";
import { codeOf, fileRefusal, INVENTED, mistaken, mistakesMessage, refusal } from "./edit-refusal.ts";
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

const NAMES = { plans: message("refused.entry_plan"), plugs: message("refused.entry_plug") } as const;

/** Where an entry is written. `fixed` is why it cannot be changed there. */
interface Place {
  readonly which: ConfigFile;
  readonly index: number | null;
  readonly fixed: Message | null;
}

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
    if (!source) return { id, source: null, fixed: textIn("en", INVENTED), entry: written(list, used), revision: "" };
    const texts = files.read();
    const place = this.#placeOf(list, id, texts);
    const revision = revisionOf(texts);
    if ("key" in place) return { id, source: null, fixed: textIn("en", place), entry: written(list, used), revision };
    const { which, index: at, fixed } = place;
    const raw = entriesIn(texts[which], list)[at ?? -1];
    const entry = written(list, used);
    for (const name of filesIn(raw)) delete entry[name];
    return { id, source: this.#nameOf(which), fixed: fixed && textIn("en", fixed), entry, revision };
  }

  draft(list: EntryList, id: string | null, given: unknown): Config | EditRefusal {
    if (!isTree(given)) return refusal("invalid_parameter", message("refused.edit_not_keys", { entry: NAMES[list] }));
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
      : result.error.issues.flatMap((issue) => describeIssue(issue, tree, configSchema));
    if (result.success && found.length === 0) return result.data;
    const own = `${list}[${index}]`;
    const mistakes = found.map(({ path, ...said }) => ({
      path: path.startsWith(own) ? path.slice(own.length).replace(/^\./, "") : path,
      ...said,
    }));
    return mistaken("invalid_parameter", mistakes);
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
      return refusal("precondition_failed", message("refused.edit_changed"));
    const asWritten = source.readWith(texts);
    if (asWritten.kind === "mistakes")
      return refusal("conflict", message("refused.edit_mistaken", { mistakes: mistakesMessage(asWritten.mistakes) }));
    const ids = [reloading.used, asWritten.config].map((config) => writtenIds(config[list]));
    if (id !== null && !ids.some((each) => each.includes(id)))
      return refusal("resource_not_found", message("refused.edit_unknown", { entry: NAMES[list], id }));
    const place = id === null ? this.#placeOfNew(list) : this.#placeOf(list, id, texts);
    if ("key" in place) return refusal("conflict", place);
    if (place.fixed !== null) return refusal("conflict", place.fixed);
    const { which, index } = place;
    const named =
      entry === null ? (id ?? "") : this.#check(list, id, entry, entriesIn(texts[which], list)[index ?? -1]);
    if (typeof named !== "string") return named;
    if (id === null && ids.some((each) => each.includes(named))) return existsAlready(list, named);
    const keyed = id === null && which === "page" && isTree(entry) ? { ...entry, id: named } : (entry as Tree | null);
    const text = editEntry(texts[which] ?? "", { list, index, entry: keyed });
    if (text === null) return refusal("conflict", message("refused.edit_yaml_form", { file: this.#nameOf(which) }));
    if (text.length > MAX_CONFIG_BYTES) return refusal("conflict", message("refused.edit_too_long"));
    const next = source.readWith({ ...texts, [which]: text });
    if (next.kind === "mistakes") return mistaken("conflict", next.mistakes);
    try {
      files.write(which, text, texts[which], clock.now());
    } catch (error) {
      throwIfShort(error, `${this.#nameOf(which)} cannot be written`);
      if (which === "page")
        return refusal("conflict", message("refused.edit_not_written", { file: files.pagePath, code: codeOf(error) }));
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
    return refusal("invalid_parameter", message("refused.edit_fixed_id", { id, found: named }));
  }

  #nameOf(which: ConfigFile): string {
    return which === "page" ? PAGE_FILE : (this.#deps.files.name ?? "");
  }

  #placeOfNew(list: EntryList): Place {
    const isOwn = this.#isWritable && this.#deps.source?.isSetOutside(list) === false;
    return { which: isOwn ? "file" : "page", index: null, fixed: null };
  }

  /** Returns where an entry is written, or the reason if it is in neither file. */
  #placeOf(list: EntryList, id: string, texts: ConfigTexts): Place | Message {
    const { source, files } = this.#deps;
    const own = source?.isSetOutside(list) ? -1 : writtenIds(entriesIn(texts.file, list)).indexOf(id);
    if (own >= 0) {
      const facts = { file: files.name ?? "", entry: NAMES[list], id };
      const fixed = this.#isWritable ? null : message("refused.edit_read_only", facts);
      return { which: "file", index: own, fixed };
    }
    const index = writtenIds(entriesIn(texts.page, list)).indexOf(id);
    if (index >= 0) return { which: "page", index, fixed: null };
    const places = files.name === null ? PAGE_FILE : `${files.name} or ${PAGE_FILE}`;
    return message("refused.edit_elsewhere", { entry: NAMES[list], id, places });
  }
}

function existsAlready(list: EntryList, id: string): EditRefusal {
  return refusal("conflict", message("refused.edit_exists", { entry: NAMES[list], id }));
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
