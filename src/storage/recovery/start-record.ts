/**
 * Record of the starts in `start.json`. After two starts in a row that ended abnormally within ten minutes, what came
 * last is set aside: it may be the cause.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import type { Clock } from "../../core/runtime/clock.ts";
import { OVERLAY_FILE } from "../../core/runtime/data-files.ts";
import { readJson } from "../../core/runtime/key-value.ts";
import { type EpochMs, MINUTE_MS } from "../../core/time/interval.ts";
import { readWhole, stampOf, writeWhole } from "../atomic-file.ts";

/** Time after which a start counts as good. */
const TRIAL_MS = 10 * MINUTE_MS;
/** Number of abnormal ends in a row after which something is set aside. */
const MAX_ABNORMAL = 2;

const aside = z.object({
  at: z.number(),
  /** State of the page's history that holds the last change; null if none was set aside. */
  page: z.nullable(z.string()),
  /** Path of the uploaded copy; null if none was set aside. */
  upload: z.nullable(z.string()),
});
/** What is set aside. Long retained messages of others always are. */
export type Aside = Readonly<z.infer<typeof aside>>;

const stored = z.object({
  /** Starts in a row that have not ended well, with the present one. */
  abnormal: z.number(),
  /** What is older has run for ten minutes. */
  goodAt: z.number(),
  aside: z.nullable(aside),
});
type Stored = Readonly<z.infer<typeof stored>>;

export class StartRecord {
  readonly #dataDir: string;
  readonly #clock: Clock;
  #stored: Stored;

  /** Counts a start as abnormal until it has run for ten minutes or has ended. Throws the error of the file system. */
  constructor(dataDir: string, clock: Clock) {
    this.#dataDir = dataDir;
    this.#clock = clock;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const file = { read: () => readWhole(this.#path), write: () => undefined };
    const before = readJson(file, "", stored) ?? { abnormal: 0, goodAt: clock.now(), aside: null };
    this.#stored = before;
    this.#write({ abnormal: before.abnormal + 1 });
  }

  get aside(): Aside | null {
    return this.#stored.aside;
  }

  /** Time after which something came too late to have run for ten minutes; null if nothing is to be set aside. */
  get suspectSince(): EpochMs | null {
    const { abnormal, goodAt, aside: before } = this.#stored;
    return abnormal > MAX_ABNORMAL ? Math.max(goodAt, before?.at ?? 0) : null;
  }

  /** Stores what is set aside, with what was before. */
  setAside({ page, upload }: Omit<Aside, "at">): void {
    const before = this.#stored.aside;
    const now = this.#clock.now();
    this.#write({ aside: { at: now, page: page ?? before?.page ?? null, upload: upload ?? before?.upload ?? null } });
  }

  /** Stores that nothing is set aside any more, and counts what follows as a new start. */
  released(): void {
    this.#write({ aside: null, abnormal: 1 });
  }

  /** Stores that the process ends as it should. */
  ended(): void {
    this.#write({ abnormal: 0 });
  }

  /** Stores every ten minutes what has run so long. Resolves when the signal fires. */
  async watch(signal: AbortSignal): Promise<void> {
    const clock = this.#clock;
    const page = () => stampOf(path.join(this.#dataDir, OVERLAY_FILE));
    let [since, began] = [page(), clock.monotonicMs()];
    let proven: string | null | undefined;
    while (!signal.aborted) {
      await clock.sleepUntil(clock.now() + TRIAL_MS, signal);
      // The clock may have been set.
      if (signal.aborted || clock.monotonicMs() - began < TRIAL_MS) continue;
      const present = page();
      const isProven = present === since && present !== proven;
      if (isProven) proven = present;
      if (isProven || this.#stored.abnormal > 0) this.#write({ abnormal: 0, ...(isProven && { goodAt: clock.now() }) });
      [since, began] = [present, clock.monotonicMs()];
    }
  }

  get #path(): string {
    return path.join(this.#dataDir, "start.json");
  }

  #write(change: Partial<Stored>): void {
    const before = this.#stored.aside;
    this.#stored = { ...this.#stored, ...change };
    // A lost count after a power cut does no harm. So if nothing is set aside, the start does not wait for the disk.
    writeWhole(this.#path, `${JSON.stringify(this.#stored)}\n`, (before ?? this.#stored.aside) !== null);
  }
}
