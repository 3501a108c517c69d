/** Files of the configuration: the owner's, which is only read, and `page.yaml` with its previous states. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { OVERLAY_FILE, OVERLAY_STATES } from "../../core/runtime/data-files.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { readBounded } from "../reading/bounded-file.ts";
import {
  type ConfigTexts,
  MAX_CONFIG_BYTES,
  overlayUnread,
  readConfigText,
  readOverlayText,
} from "../reading/config-texts.ts";
import type { ConfigMistake } from "../reading/mistake.ts";

/** Maximum number of previous states, one for each change. */
const MAX_STATES = 20;
/** Number, time of the change that ended the state, and in base64 who made it. */
const STATE = /^(\d{6,})-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)(?:-([\w-]+))?-page\.yaml$/;
/** Bytes of a name that fit into the name of a file. */
const MAX_NAME_BYTES = 120;

export class ConfigurationFiles {
  readonly #path: string | null;
  readonly #dataDir: string;
  readonly #write: (file: string, text: string) => void;

  /** `file` is the owner's file; null if the configuration has no file. `write` writes a file that only its owner can read. */
  constructor(file: string | null, dataDir: string, write: (file: string, text: string) => void) {
    this.#path = file;
    this.#dataDir = dataDir;
    this.#write = write;
  }

  /** Name of the owner's file; null if the configuration has no file. */
  get name(): string | null {
    return this.#path && path.basename(this.#path);
  }

  /** Path of the file for entries that the dashboard saves. */
  get overlayPath(): string {
    return path.join(this.#dataDir, OVERLAY_FILE);
  }

  /** Returns the texts of the files. Throws a StartError for a file that cannot be read. */
  read(): ConfigTexts {
    return { file: this.#path === null ? null : readConfigText(this.#path), overlay: readOverlayText(this.#dataDir) };
  }

  /** Returns the texts, without a page.yaml that cannot be read, and why it cannot. */
  readable(): { readonly texts: ConfigTexts; readonly flaw: ConfigMistake | null } {
    const file = this.#path === null ? null : readConfigText(this.#path);
    try {
      return { texts: { file, overlay: readOverlayText(this.#dataDir) }, flaw: null };
    } catch (error) {
      return { texts: { file, overlay: null }, flaw: overlayUnread(error) };
    }
  }

  /**
   * Replaces page.yaml and keeps its previous state, whose id it returns. `by` is who does it. Throws the error of the
   * file system.
   */
  writeOverlay(text: string, before: string, now: EpochMs, by: string | null = null): string {
    const state = this.#keep(before, now, by ?? "");
    this.#write(this.overlayPath, text);
    return state;
  }

  /** Replaces page.yaml without keeping its previous state. */
  rewriteOverlay(text: string): void {
    this.#write(this.overlayPath, text);
  }

  /** Returns the kept states of page.yaml, the newest first. A state that cannot be read is left out. */
  states() {
    return this.#names()
      .toReversed()
      .flatMap((name) => {
        const [, id = "", until = "", base64 = ""] = STATE.exec(name) ?? [];
        const by = Buffer.from(base64, "base64url").toString() || null;
        try {
          const text = readBounded(path.join(this.#folder, name), MAX_CONFIG_BYTES);
          return { name, id, until: until.replace(/-(\d\d)-(\d\d\.)/, ":$1:$2"), by, text };
        } catch {
          return []; // removed or unreadable since it was listed
        }
      });
  }

  /** Replaces the text of a kept state. */
  rewriteState(name: string, text: string): void {
    this.#write(path.join(this.#folder, name), text);
  }

  get #folder(): string {
    return path.join(this.#dataDir, OVERLAY_STATES);
  }

  #names(): string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => STATE.test(name))
      .sort();
  }

  #keep(text: string, now: EpochMs, by: string): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const names = this.#names();
    // Ordered by number, because a clock may be set back.
    const number = String(Number.parseInt(names.at(-1) ?? "0", 10) + 1).padStart(6, "0");
    const time = new Date(now).toISOString().replaceAll(":", "-");
    const who = Buffer.from(by).subarray(0, MAX_NAME_BYTES).toString("base64url");
    this.#write(path.join(this.#folder, [number, time, ...(who ? [who] : []), OVERLAY_FILE].join("-")), text);
    for (const old of names.slice(0, Math.max(0, names.length + 1 - MAX_STATES))) rmSync(path.join(this.#folder, old));
    return number;
  }
}

/** Returns the revision of the files, which differs for different texts. */
export function revisionOf({ file, overlay }: ConfigTexts): string {
  return createHash("sha256")
    .update(JSON.stringify([file, overlay]))
    .digest("hex")
    .slice(0, 16);
}
