/**
 * `key-use.json` in the data directory: how much each key has asked in its present windows, so that a day's quota
 * outlives a restart, and when it was last used. Written by the daemon, a minute after the first request that is not in it.
 */
import path from "node:path";
import { readWhole, writeWhole, writeWholeSoon } from "./atomic-file.ts";

interface Counted {
  readonly start: number;
  readonly count: number;
}

/** By the name of the key: the start of its minute and day, in epoch milliseconds, and the attempts in them. */
export type KeyUses = Readonly<Record<string, { readonly minute: Counted; readonly day: Counted }>>;

const FILE = "key-use.json";

export class KeyUseFile {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = path.join(dataDir, FILE);
  }

  /** What was kept. A file that is damaged tells nothing: the day's quotas begin again. */
  read(): KeyUses {
    try {
      const json: unknown = JSON.parse(readWhole(this.#path) ?? "{}");
      return Object.fromEntries(Object.entries(json as object).filter(([, use]) => isUse(use))) as KeyUses;
    } catch {
      return {};
    }
  }

  write(uses: KeyUses): void {
    writeWhole(this.#path, textOf(uses));
  }

  /** The same without holding anybody up. */
  writeSoon(uses: KeyUses): Promise<void> {
    return writeWholeSoon(this.#path, textOf(uses));
  }
}

function textOf(uses: KeyUses): string {
  return `${JSON.stringify(uses)}\n`;
}

function isUse(use: unknown): boolean {
  const { minute, day } = (use ?? {}) as { minute?: unknown; day?: unknown };
  return isCounted(minute) && isCounted(day);
}

function isCounted(value: unknown): boolean {
  const { start, count } = (value ?? {}) as { start?: unknown; count?: unknown };
  return Number.isSafeInteger(start) && Number.isSafeInteger(count) && Number(count) >= 0;
}
