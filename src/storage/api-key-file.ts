/**
 * `keys.json` in the data directory: API keys with the digests of their tokens. A file and not a database table,
 * because the daemon locks the database: the daemon reads it, commands write it.
 */

import { closeSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { crc32 } from "node:zlib";
import * as z from "zod/mini";
import { message, type Text, TextError } from "../core/language/text.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import { throwIfShort } from "../core/status/start-error.ts";
import { errorCode } from "../core/text/error-words.ts";
import { ownJson } from "../core/text/own-json.ts";
import { readWhole, stampOf, writeWhole } from "./atomic-file.ts";
import { KEYS_SETTING } from "./recovery/access-settings.ts";

const limit = z.exactOptional(z.int().check(z.minimum(1)));
const keptKey = z.object({
  name: z.string(),
  /** `bearer`: the key is sent unchanged. `third_party`: a token made from key and secret is sent. */
  kind: z.enum(["bearer", "third_party"]),
  scopes: z.readonly(z.array(z.enum(["read", "control", "admin"]))),
  /** SHA-256 of the token, in hex. */
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** Date of creation, in UTC: `2026-11-21`. */
  created: z.string(),
  /** Public part of a key with a secret. */
  api_key: z.exactOptional(z.string()),
  hash_encoding: z.exactOptional(z.enum(["hex", "base64"])),
  requests_per_minute: limit,
  requests_per_day: limit,
});

export type KeptKey = Readonly<z.infer<typeof keptKey>>;

export type KeyFileReading =
  | { readonly kind: "keys"; readonly keys: readonly KeptKey[] }
  | { readonly kind: "unreadable"; readonly why: Text };

const FILE = "keys.json";
const LOCK = "keys.lock";
/** Maximum keys; every request is compared with each of them. */
export const MAX_KEYS = 100;
const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 50;
/** A lock this old is stale: its process has died, because no command takes this long. */
const STALE_LOCK_MS = 10_000;

export class KeyFile {
  readonly path: string;
  readonly #lock: string;

  constructor(dataDir: string) {
    this.path = path.join(dataDir, FILE);
    this.#lock = path.join(dataDir, LOCK);
  }

  /** Returns a text that changes with the file; null if there is no file. */
  get stamp(): string | null {
    return stampOf(this.path);
  }

  read(): KeyFileReading {
    try {
      const text = readWhole(this.path);
      return text === null ? { kind: "keys", keys: [] } : parse(text);
    } catch (error) {
      return unreadable(errorCode(error));
    }
  }

  write(keys: readonly KeptKey[]): void {
    writeWhole(this.path, textOf(keys));
  }

  /** Changes the keys under a lock file. Rejects with KeyFileError if the file is unreadable or stays locked. */
  async change(edit: (keys: readonly KeptKey[]) => readonly KeptKey[], now: () => number): Promise<void> {
    mkdirSync(path.dirname(this.path), { recursive: true });
    await this.#takeLock(now);
    try {
      const reading = this.read();
      if (reading.kind === "unreadable") {
        const what = message("start.unread", { file: this.path });
        throwIfShort(reading.why, what);
        throw new KeyFileError(message("start.failed", { what, why: reading.why }));
      }
      this.write(edit(reading.keys));
    } finally {
      rmSync(this.#lock, { force: true });
    }
  }

  async #takeLock(now: () => number): Promise<void> {
    for (let tries = 0; tries < LOCK_TRIES; tries++) {
      try {
        closeSync(openSync(this.#lock, "wx"));
        return;
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
        const held = statSync(this.#lock, { throwIfNoEntry: false });
        if (held && now() - held.mtimeMs > STALE_LOCK_MS) rmSync(this.#lock, { force: true });
        else await pause(LOCK_PAUSE_MS);
      }
    }
    throw new KeyFileError(message("start.keys_locked", { file: this.#lock }));
  }
}

/** Copies the keys into the database, so that its copies contain them. An unreadable file changes nothing. */
export function storeKeys(dataDir: string, settings: KeyValue): void {
  const reading = new KeyFile(dataDir).read();
  if (reading.kind === "keys") settings.write(KEYS_SETTING, textOf(reading.keys));
}

/** Returns the keys in a copy of the database; empty if it has none. */
export function storedKeys(settings: Pick<KeyValue, "read">): readonly KeptKey[] {
  const reading = parse(settings.read(KEYS_SETTING) ?? "");
  // Copies made by earlier versions contain no keys.
  return reading.kind === "keys" ? reading.keys : [];
}

/** Version of the file. A file without a version has the same form, and a newer one is not read or changed. */
const VERSION = 1;

/** Adds a digest of the keys, so that a change by a disk error is detected. */
function textOf(keys: readonly KeptKey[]): string {
  return `${JSON.stringify({ version: VERSION, keys, digest: digestOf(keys) }, null, 2)}\n`;
}

function digestOf(keys: readonly unknown[]): number {
  return crc32(JSON.stringify(keys));
}

export class KeyFileError extends TextError {}

function unreadable(why: Text): KeyFileReading {
  return { kind: "unreadable", why };
}

function parse(text: string): KeyFileReading {
  const json = ownJson(text);
  if (json === undefined) return unreadable(message("start.not_json"));
  const { version, keys, digest } = (json ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof version === "number" && version > VERSION)
    return unreadable(message("start.keys_newer", { version, known: VERSION }));
  if (!Array.isArray(keys)) return unreadable(message("start.keys_no_list"));
  if (digest !== digestOf(keys)) return unreadable(message("start.keys_foreign"));
  const wrong = keys.findIndex((key) => !keptKey.safeParse(key).success);
  if (wrong >= 0) return unreadable(message("start.key_foreign", { index: wrong }));
  return { kind: "keys", keys: keys as KeptKey[] };
}
