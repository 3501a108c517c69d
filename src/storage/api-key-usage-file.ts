/**
 * `key-use.json` in the data directory: the requests of each key in its current windows, and the time of its last use.
 * So daily quotas survive a restart. The daemon writes it one minute after the first new request.
 */
import path from "node:path";
import * as z from "zod/mini";
import { readWhole, writeWhole, writeWholeSoon } from "./atomic-file.ts";

const counted = z.object({ start: z.int(), count: z.int().check(z.minimum(0)) });
const keyUse = z.object({ minute: counted, day: counted });

/** Keyed by the name of an API key: start of its minute and day windows in epoch ms, and the attempts in them. */
export type KeyUses = Readonly<Record<string, z.infer<typeof keyUse>>>;

const FILE = "key-use.json";

export class KeyUseFile {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = path.join(dataDir, FILE);
  }

  /** Returns the stored usage; empty if the file is damaged, so that the daily quotas start again. */
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
    writeWhole(this.#path, `${JSON.stringify(uses)}\n`);
  }

  /** Writes the file without blocking the event loop. */
  writeSoon(uses: KeyUses): Promise<void> {
    return writeWholeSoon(this.#path, `${JSON.stringify(uses)}\n`);
  }
}
