/**
 * `key-use.json` in the data directory: how much each key has asked in its present windows, so that a day's quota
 * outlives a restart, and when it was last used. Written by the daemon, a minute after the first request that is not in it.
 */
import path from "node:path";
import * as z from "zod/mini";
import { readWhole, writeWhole, writeWholeSoon } from "./atomic-file.ts";

const counted = z.object({ start: z.int(), count: z.int().check(z.minimum(0)) });
const keyUse = z.object({ minute: counted, day: counted });

/** By the name of the key: the start of its minute and day, in epoch milliseconds, and the attempts in them. */
export type KeyUses = Readonly<Record<string, z.infer<typeof keyUse>>>;

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
      return Object.fromEntries(
        Object.entries(json as object).filter(([, use]) => keyUse.safeParse(use).success),
      ) as KeyUses;
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
