/** Copies stored rows to the archive: at the start, after a change, and every five minutes. */
import type { PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import { LoopWaker } from "../../core/runtime/loop-waker.ts";
import { runLoop } from "../../core/runtime/run-loop.ts";
import { type EpochMs, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import type { ArchiveBacklog } from "../../storage/series/archive-backlog.ts";
import type { IntegrationDeps } from "../integration-deps.ts";
import {
  type ArchiveAccount,
  ArchiveError,
  LastingArchiveError,
  MIGRATE_TIMEOUT_MS,
  PostgresArchive,
} from "./postgres-archive.ts";

export interface ArchiveLoopDeps extends IntegrationDeps {
  readonly account: ArchiveAccount;
  /** Opens the backlog; null while the disk cannot be written. */
  readonly openBacklog: () => ArchiveBacklog | null;
  /** Returns the plugs with their months. */
  readonly plugs: () => readonly PlugSnapshot[];
  /** Called after each batch with the number of rows that it changed in the archive. */
  readonly onWritten: (rows: number) => void;
}

const SUBJECT = "archive";
/** Delay after a change, because the responses of a home's series follow each other. They are written together. */
const SETTLE_MS: number = 2 * SECOND_MS;
/** Interval of the check for rows that were stored without a call of `changed`. */
const CHECK_EVERY_MS: number = 5 * MINUTE_MS;
const RETRY = { firstMs: SECOND_MS, mostMs: 5 * MINUTE_MS };
/** Time without a problem report: a restart or an update of the database takes this long. */
const TOLERATED_MS: number = 10 * MINUTE_MS;

export class ArchiveLoop {
  readonly #deps: ArchiveLoopDeps;
  readonly #waker = new LoopWaker();
  #backlog: ArchiveBacklog | null = null;
  #archive: PostgresArchive | null = null;
  /** Time of the first failure and number of failures since; null if the last attempt succeeded. */
  #failures: { readonly since: EpochMs; readonly count: number } | null = null;
  #nextAt: EpochMs;

  constructor(deps: ArchiveLoopDeps) {
    this.#deps = deps;
    this.#nextAt = deps.clock.now();
  }

  changed(): void {
    if (this.#failures) return;
    this.#nextAt = Math.min(this.#nextAt, this.#deps.clock.now() + SETTLE_MS);
    this.#waker.wake();
  }

  count(): number {
    return this.#backlog?.count() ?? 0;
  }

  async run(signal: AbortSignal): Promise<void> {
    await runLoop({ ...this.#deps, waker: this.#waker }, signal, async () => {
      if (this.#nextAt <= this.#deps.clock.now()) await this.#copyAll(signal);
      return this.#nextAt;
    });
    this.#archive?.close();
  }

  async #copyAll(signal: AbortSignal): Promise<void> {
    const { clock, problems, openBacklog } = this.#deps;
    this.#nextAt = clock.now() + CHECK_EVERY_MS;
    this.#backlog ??= openBacklog();
    if (!this.#backlog) return;
    try {
      await this.#copy(this.#backlog, signal);
      this.#failures = null;
      problems.end(SUBJECT);
    } catch (error) {
      this.#archive?.close();
      this.#archive = null;
      if (signal.aborted) return;
      if (!(error instanceof ArchiveError)) throw error;
      this.#onFailure(error);
    }
  }

  async #copy(backlog: ArchiveBacklog, signal: AbortSignal): Promise<void> {
    const { heartbeat, onWritten, plugs } = this.#deps;
    const archive = await this.#connected(backlog, signal);
    for (let batch = backlog.next(); batch && !signal.aborted; batch = backlog.next()) {
      heartbeat.turn();
      onWritten(await archive.write(backlog.source, batch));
      // The disk cannot be written, so `next` would return the same batch again.
      if (!backlog.confirm(batch)) return;
    }
    await archive.writePlugMonths(backlog.source, plugs());
  }

  async #connected(backlog: ArchiveBacklog, signal: AbortSignal): Promise<PostgresArchive> {
    if (this.#archive?.isOpen) return this.#archive;
    const { account, clock, log, heartbeat } = this.#deps;
    heartbeat.sleep(clock.now() + MIGRATE_TIMEOUT_MS);
    const archive = await PostgresArchive.connect(account, signal);
    heartbeat.turn();
    this.#archive = archive;
    const last = await archive.lastBatch(backlog.source);
    if (last < backlog.confirmedBatch) {
      log.info(
        { confirmed: backlog.confirmedBatch, found: last },
        "the archive has fewer batches than were confirmed, so it was replaced or restored; copying everything again",
      );
      backlog.startOver(last);
    } else backlog.continueAfter(last);
    return archive;
  }

  #onFailure(error: ArchiveError): void {
    const { clock, problems, random } = this.#deps;
    const now = clock.now();
    const { since, count } = this.#failures ?? { since: now, count: 0 };
    this.#failures = { since, count: count + 1 };
    this.#nextAt = now + Math.min(RETRY.firstMs * 2 ** count, RETRY.mostMs) * (0.5 + random() / 2);
    if (now - since >= TOLERATED_MS || error instanceof LastingArchiveError)
      problems.start({ code: "archive_unreachable", subject: SUBJECT, since: now, detail: error.text });
  }
}
