/** Changes `page.yaml`, one change at a time: checks the new configuration, keeps the previous state, applies the new. */
import { isDeepStrictEqual } from "node:util";
import { message, placed } from "../../core/language/text.ts";
import { OVERLAY_FILE } from "../../core/runtime/data-files.ts";
import type { Problems } from "../../core/status/problem.ts";
import { PassingStartError, StartError, throwIfShort } from "../../core/status/start-error.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { EMPTY_OVERLAY, type Overlay, overlayText, readOverlay } from "../overlay/overlay-file.ts";
import { bound, withoutReplaced } from "../overlay/overlay-secrets.ts";
import { serverIn } from "../overlay/secret-servers.ts";
import { type ConfigTexts, MAX_CONFIG_BYTES } from "../reading/config-texts.ts";
import type { ConfigReading } from "../reading/load.ts";
import { below, type ConfigMistake, joined, mistakeAt } from "../reading/mistake.ts";
import { treeIn } from "../reading/yaml-text.ts";
import { type Config, configSchema, secretServers } from "../schema/schema.ts";
import { connections } from "../settings.ts";
import { type Tree, valueAt } from "../tree.ts";
import { type ConfigurationFiles, revisionOf } from "./configuration-files.ts";
import {
  type Caller,
  codeOf,
  type Edited,
  type EditRefusal,
  INVENTED,
  mistaken,
  mistakesMessage,
  refusal,
} from "./edit-refusal.ts";

/** Source of the configuration, and functions to read it again. */
export interface ConfigurationSource {
  /** The owner's file; null if the configuration has no file. */
  readonly path: string | null;
  /** Returns whether the environment sets a key, such as `plans` or `log.level`, in place of the files. */
  readonly isSetOutside: (key: string) => boolean;
  /** Reads the whole configuration, with these texts in place of those of the files. */
  readonly readWith: (texts: Partial<ConfigTexts>) => ConfigReading;
  /** Reads the whole configuration. Rejects with a StartError that lists every mistake. */
  readonly read: () => Promise<Config>;
}

export interface OverlayWriterDeps {
  readonly source: ConfigurationSource | null;
  readonly files: ConfigurationFiles;
  /** The configuration in use, and how it is read again. */
  readonly reloading: {
    readonly used: Config;
    /** Changed keys that need a restart. */
    readonly later: readonly string[];
    reload(read: () => Promise<Config>): Promise<Config>;
  };
  readonly clock: { now(): EpochMs };
  readonly problems: Pick<Problems, "start" | "end">;
}

/** The files as they are now. */
export interface OverlayNow {
  readonly overlay: Overlay;
  /** Keys and values of the owner's file. */
  readonly owner: Tree;
  /** Name of the owner's file; null if the configuration has no file. */
  readonly name: string | null;
  readonly revision: string;
  /** Why page.yaml cannot be read; null if it can. */
  readonly mistake: ConfigMistake | null;
}

/** What changes in the page's file, and who asks for it. */
interface OverlayTarget {
  /** Id or name of what changes. */
  readonly id: string;
  /** Path in page.yaml. Mistakes below it are those of the caller. */
  readonly path: string;
  readonly caller: Caller;
  /** Paths of the configuration whose values the caller has sent. Secrets among them belong to their present server. */
  readonly given?: readonly string[];
  /** Whether the change replaces a page.yaml that cannot be read. */
  readonly repairs?: true;
}

type Change = (now: OverlayNow) => Overlay | EditRefusal;

/** A change that may be saved. */
interface Checked {
  readonly kind: "checked";
  readonly texts: ConfigTexts;
  readonly text: string;
  readonly config: Config;
  readonly lost: readonly ConfigMistake[];
}

export class OverlayWriter {
  readonly #deps: OverlayWriterDeps;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: OverlayWriterDeps) {
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

  /** Returns the files as `texts`, or as they are now. */
  now(known?: ConfigTexts): OverlayNow {
    const { texts, flaw } = known ? { texts: known, flaw: null } : this.#deps.files.readable();
    const owner = treeIn(texts.file ?? "") ?? {};
    const { overlay, mistake } = readOverlay(texts.overlay, owner);
    const { name } = this.#deps.files;
    return { overlay, owner, name, revision: revisionOf(texts), mistake: mistake ?? flaw };
  }

  /** Returns the files, and the configuration that they hold, part of which may wait for a restart. */
  saved(): OverlayNow & { readonly config: Config } {
    const reading = this.#deps.source?.readWith({});
    return { ...this.now(), config: reading?.kind === "config" ? reading.config : this.used };
  }

  edit(target: OverlayTarget, change: Change): Promise<Edited> {
    const done = this.#last.then(() => this.#edit(target, change));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Returns the configuration that a change would make, or why it cannot be saved. Nothing is written. */
  tried(target: OverlayTarget, change: Change): Config | EditRefusal {
    const { source } = this.#deps;
    if (!source) return refusal("conflict", INVENTED);
    const checked = this.#checked(source, target, change);
    if (checked.kind === "refused") return checked;
    return checked.lost.length > 0 ? mistaken("invalid_parameter", checked.lost) : checked.config;
  }

  /** Starts or ends the problem of a page.yaml of which a part is not used. */
  report(): void {
    const { source, files, problems, clock } = this.#deps;
    if (source) this.#bind(source);
    const reading = source?.readWith({});
    if (reading?.kind !== "config") return;
    const { mistakes, gone, lost } = reading.overlay;
    const found = [
      ...[...mistakes, ...lost].map(mistakeAt),
      ...gone.map((path) => placed(path, message("mistake.gone"))),
    ];
    if (found.length === 0) problems.end(OVERLAY_FILE);
    else
      problems.start({
        code: "page_file_refused",
        subject: OVERLAY_FILE,
        since: clock.now(),
        names: { file: files.overlayPath },
        detail: joined(found),
      });
  }

  async #edit(target: OverlayTarget, change: Change): Promise<Edited> {
    const { source, files, reloading } = this.#deps;
    if (!source) return refusal("conflict", INVENTED);
    try {
      const checked = this.#checked(source, target, change);
      if (checked.kind === "refused") return checked;
      const undo = this.#write(checked, target.caller.name);
      if (typeof undo !== "string") return undo;
      await reloading.reload(source.read);
      this.report();
      const revision = revisionOf(files.read());
      const { lost } = checked;
      return { kind: "saved", id: target.id, source: OVERLAY_FILE, revision, later: reloading.later, lost, undo };
    } catch (error) {
      if (error instanceof StartError && !(error instanceof PassingStartError))
        return refusal("conflict", error.message);
      throw error;
    }
  }

  /** Returns the new text, or why it must not be written. */
  #checked(source: ConfigurationSource, target: OverlayTarget, change: Change): Checked | EditRefusal {
    const { path, caller, given = [], repairs } = target;
    const texts = this.#deps.files.read();
    if (caller.revision !== null && caller.revision !== revisionOf(texts))
      return refusal("precondition_failed", message("refused.edit_changed"));
    const before = source.readWith(texts);
    if (before.kind === "mistakes")
      return refusal("conflict", message("refused.edit_mistaken", { mistakes: mistakesMessage(before.mistakes) }));
    const now = this.now(texts);
    if (now.mistake?.key === "mistake.newer_file") return refusal("conflict", mistakeAt(now.mistake));
    if (now.mistake && !repairs)
      return refusal("conflict", message("refused.edit_damaged", { mistake: mistakeAt(now.mistake) }));
    const servers = now.overlay.servers ?? before.overlay.servers;
    const next = change({ ...now, overlay: { ...now.overlay, servers } });
    if ("kind" in next) return next;
    const present = source.readWith({ ...texts, overlay: overlayText({ ...next, servers: null }) });
    if (present.kind === "mistakes") return mistaken("conflict", present.mistakes);
    const { overlay, lost: own } = bound(next, new Set(given), present.overlay.servers);
    const text = overlayText(overlay);
    if (text.length > MAX_CONFIG_BYTES) return refusal("conflict", message("refused.edit_too_long"));
    const after = source.readWith({ ...texts, overlay: text });
    if (after.kind === "mistakes") return mistaken("conflict", after.mistakes);
    const added = after.overlay.mistakes.filter(
      (each) => !before.overlay.mistakes.some((old) => isDeepStrictEqual(old, each)),
    );
    if (added.length > 0) return refusalOf(path, added);
    if (!caller.isAdmin && isConnection(before.config, after.config))
      return refusal("forbidden", message("refused.needs_admin"));
    const lost = after.overlay.lost.filter((each) => !before.overlay.lost.some((old) => isDeepStrictEqual(old, each)));
    return { kind: "checked", texts, text, config: after.config, lost: [...own, ...lost] };
  }

  /** Writes the present servers of secrets into page.yaml and its states, if they are of an earlier version. */
  #bind(source: ConfigurationSource): void {
    const { files } = this.#deps;
    const { owner, overlay } = this.now();
    const bind = (text: string, state: Overlay, write: (text: string) => void) => {
      const reading = state.servers === null ? source.readWith({ overlay: text }) : null;
      const { servers = {} } = reading?.kind === "config" ? reading.overlay : {};
      if (Object.keys(servers).length > 0) write(overlayText({ ...state, servers }));
    };
    try {
      for (const { name, text } of files.states())
        bind(text, readOverlay(text, owner).overlay, (bound) => files.rewriteState(name, bound));
      bind(overlayText(overlay), overlay, (bound) => files.rewriteOverlay(bound));
    } catch {
      // A folder that cannot be written: each reading binds the secrets again.
    }
  }

  /** Writes the file. Returns the id of the state before, or why it was not written. */
  #write({ text, texts }: Checked, by: string | null): string | EditRefusal {
    const { files, clock } = this.#deps;
    try {
      const state = files.writeOverlay(text, texts.overlay ?? overlayText(EMPTY_OVERLAY), clock.now(), by);
      forgetReplaced(files, this.now());
      return state;
    } catch (error) {
      throwIfShort(error, message("start.unwritten", { file: OVERLAY_FILE }));
      return refusal("conflict", message("refused.edit_not_written", { file: files.overlayPath, code: codeOf(error) }));
    }
  }
}

/** Returns whether a change needs an admin: one of a connection, or of a server to which secrets are sent. */
function isConnection(before: Config, after: Config): boolean {
  const differs = (key: string) => !isDeepStrictEqual(valueAt(before, key), valueAt(after, key));
  const moves = (server: string) => {
    const [from, to] = [before, after].map((config) => serverIn(configSchema, config, server.split(".")));
    return from !== "" && to !== "" && from !== to;
  };
  return Object.values(connections).flat().some(differs) || secretServers.some(moves);
}

/** Removes from the kept states each secret that has another value now. */
function forgetReplaced(files: ConfigurationFiles, { owner, overlay }: OverlayNow): void {
  for (const { name, text } of files.states()) {
    const { overlay: state, mistake } = readOverlay(text, owner);
    const [before, after] = [overlayText(state), overlayText(withoutReplaced(state, overlay))];
    if (!mistake && after !== before) files.rewriteState(name, after);
  }
}

/** Returns the refusal for mistakes. Their paths are relative to `path` of page.yaml. */
function refusalOf(path: string, found: readonly ConfigMistake[]): EditRefusal {
  const own = `${OVERLAY_FILE}: ${path}`;
  const mistakes = below(own, found);
  const isOwn = found.every((mistake) => mistake.path.startsWith(own));
  return { ...refusal(isOwn ? "invalid_parameter" : "conflict", mistakesMessage(isOwn ? mistakes : found)), mistakes };
}
