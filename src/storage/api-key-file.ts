/**
 * `keys.json` in the data directory: the keys that the command line made, each as the digest of what its bearer sends.
 * A file and not the database, because the daemon holds that while it runs; the daemon reads it, the command line writes it.
 */
import { closeSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { crc32 } from "node:zlib";
import * as z from "zod/mini";
import type { KeyValue } from "../core/runtime/key-value.ts";
import { readWhole, stampOf, writeWhole } from "./atomic-file.ts";

const limit = z.exactOptional(z.int().check(z.minimum(1)));
const keptKey = z.object({
  name: z.string(),
  /** `bearer`: a key that is sent as it is. `third_party`: a key and secret, of which a token is made and sent. */
  kind: z.enum(["bearer", "third_party"]),
  scopes: z.readonly(z.array(z.enum(["read", "control"]))),
  /** SHA-256 of what is sent, in hex. */
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** The day it was made, in UTC: `2026-11-21`. */
  created: z.string(),
  /** The part of a key and secret that is no secret. */
  api_key: z.exactOptional(z.string()),
  hash_encoding: z.exactOptional(z.enum(["hex", "base64"])),
  requests_per_minute: limit,
  requests_per_day: limit,
});

/** A key as the file keeps it. */
export type KeptKey = Readonly<z.infer<typeof keptKey>>;

export type KeyFileReading =
  | { readonly kind: "keys"; readonly keys: readonly KeptKey[] }
  | { readonly kind: "unreadable"; readonly why: string };

/** Names of keys. */
export const KEY_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/;

const FILE = "keys.json";
const LOCK = "keys.lock";
/** Each key is compared at each request. */
export const MAX_KEYS = 100;
const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 50;
/** A lock this old was left behind by a command that ended badly: none takes as long. */
const STALE_LOCK_MS = 10_000;

export class KeyFile {
  readonly path: string;
  readonly #lock: string;

  constructor(dataDir: string) {
    this.path = path.join(dataDir, FILE);
    this.#lock = path.join(dataDir, LOCK);
  }

  /** Changes when the file does; null where there is none. */
  get stamp(): string | null {
    return stampOf(this.path);
  }

  read(): KeyFileReading {
    try {
      const text = readWhole(this.path);
      return text === null ? { kind: "keys", keys: [] } : parse(text);
    } catch (error) {
      return { kind: "unreadable", why: error instanceof Error && "code" in error ? String(error.code) : "no JSON" };
    }
  }

  /** Replaces what the file keeps. */
  write(keys: readonly KeptKey[]): void {
    writeWhole(this.path, textOf(keys));
  }

  /** Changes what the file keeps; two that do so at once wait for each other. `now` is the machine's time. */
  async change(edit: (keys: readonly KeptKey[]) => readonly KeptKey[], now: () => number): Promise<void> {
    mkdirSync(path.dirname(this.path), { recursive: true });
    await this.#takeLock(now);
    try {
      const reading = this.read();
      if (reading.kind === "unreadable") throw new KeyFileError(`${this.path} cannot be read: ${reading.why}`);
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
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
        const held = statSync(this.#lock, { throwIfNoEntry: false });
        if (held && now() - held.mtimeMs > STALE_LOCK_MS) rmSync(this.#lock, { force: true });
        else await pause(LOCK_PAUSE_MS);
      }
    }
    throw new KeyFileError(`${this.#lock} is there: another command changes the keys; delete it if none does`);
  }
}

/** Setting of the database with the keys as they were when its last copy began. */
const KEYS_SETTING = "keys.json";

/** Writes the keys into the database, so that its copies hold them. Keys that cannot be read leave those of before. */
export function storeKeys(dataDir: string, settings: KeyValue): void {
  const reading = new KeyFile(dataDir).read();
  if (reading.kind === "keys") settings.write(KEYS_SETTING, textOf(reading.keys));
}

/** The keys that a copy of the database held; empty for none. */
export function storedKeys(settings: Pick<KeyValue, "read">): readonly KeptKey[] {
  try {
    const reading = parse(settings.read(KEYS_SETTING) ?? "");
    return reading.kind === "keys" ? reading.keys : [];
  } catch {
    // Of a copy that was made before copies held keys.
    return [];
  }
}

/** With a digest of the keys: what the disk changed would be another limit, scope or key. */
function textOf(keys: readonly KeptKey[]): string {
  return `${JSON.stringify({ keys, digest: digestOf(keys) }, null, 2)}\n`;
}

function digestOf(keys: readonly unknown[]): number {
  return crc32(JSON.stringify(keys));
}

/** Why the keys could not be changed. */
export class KeyFileError extends Error {}

function parse(text: string): KeyFileReading {
  const { keys, digest } = (JSON.parse(text) ?? {}) as { readonly keys?: unknown; readonly digest?: unknown };
  if (!Array.isArray(keys)) return { kind: "unreadable", why: "it has no list of keys" };
  if (digest !== digestOf(keys)) return { kind: "unreadable", why: "it is not as the command line wrote it" };
  const wrong = keys.findIndex((key) => !keptKey.safeParse(key).success);
  if (wrong >= 0) return { kind: "unreadable", why: `keys[${wrong}] is not as the command line writes it` };
  return { kind: "keys", keys: keys as KeptKey[] };
}
