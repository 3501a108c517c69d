/** The ledger: every request that was spent, committed before its socket opens, and what became of it. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { EpochMs, Interval } from "../core/interval.ts";
import type { Share } from "../core/quota.ts";
import { transaction } from "./database.ts";

/** A spend as it stands in the ledger. The monotonic time means something only within its boot. */
export interface SpentAttempt {
  readonly id: number;
  readonly share: Share;
  readonly at: EpochMs;
  readonly boot: string;
  readonly monotonicMs: number;
  readonly serverMs: EpochMs | null;
}

/** What is known before a request goes out. */
export interface Spend {
  readonly account: string;
  readonly share: Share;
  readonly at: EpochMs;
  readonly boot: string;
  readonly monotonicMs: number;
  readonly serverMs: EpochMs | null;
  /** The stored id of the series that is asked, and the range; null for what is not kept on the shelf. */
  readonly seriesId: number | null;
  readonly range: Interval | null;
}

/** Attempts looked back at for a budget; more than any day limit known would let through. */
const MOST_RECENT = 20_000;

export class Ledger {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #settle: StatementSync;
  readonly #answered = new Map<number, EpochMs>();
  /** Ends of spends that go to disk with the next write. Bounded by the requests of one minute. */
  #unwritten: {
    readonly id: number;
    readonly status: number;
    readonly requestId: string | null;
    readonly serverMs: EpochMs | null;
  }[] = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#insert = database.prepare(
      `insert into attempt (account, share, at_ms, boot, monotonic_ms, server_ms, series_id, start_ms, end_ms)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#settle = database.prepare(
      "update attempt set status = ?, request_id = ?, server_ms = coalesce(?, server_ms) where id = ?",
    );
    const newest = database.prepare(
      "select series_id, max(at_ms) as at_ms from attempt where status = 200 and series_id is not null group by series_id",
    );
    for (const row of newest.iterate()) this.#answered.set(Number(row.series_id), Number(row.at_ms));
  }

  /** Writes a spend down. When this returns it is on disk. */
  spend(spend: Spend): number {
    const { account, share, at, boot, monotonicMs, serverMs, seriesId, range } = spend;
    return transaction(this.#database, () => {
      this.flush();
      const server = serverMs === null ? null : Math.round(serverMs);
      const { lastInsertRowid } = this.#insert.run(
        account,
        share,
        at,
        boot,
        Math.round(monotonicMs),
        server,
        seriesId,
        range?.start ?? null,
        range?.end ?? null,
      );
      return Number(lastInsertRowid);
    });
  }

  /**
   * Notes what became of a spend. `status` is the HTTP status; 0 for no answer. It goes to disk with the answer's rows:
   * an answer counts as received when its rows are stored, not before.
   */
  settle(id: number, status: number, requestId: string | null, serverMs: EpochMs | null): void {
    this.#unwritten.push({ id, status, requestId, serverMs });
  }

  /** Writes what `settle` noted, inside a transaction of the caller's. */
  flush(): void {
    for (const { id, status, requestId, serverMs } of this.#unwritten)
      this.#settle.run(status, requestId, serverMs, id);
    this.#unwritten = [];
  }

  /** Notes that a series was answered, so that `answeredAt` knows without reading the disk. */
  noteAnswered(seriesId: number, at: EpochMs): void {
    this.#answered.set(seriesId, at);
  }

  /** When a series was last answered, by the wall clock; null if never. */
  answeredAt(seriesId: number): EpochMs | null {
    return this.#answered.get(seriesId) ?? null;
  }

  /** When a chunk of a series was last answered; null if never. */
  chunkAnsweredAt(seriesId: number, chunkStart: EpochMs): EpochMs | null {
    const found = this.#database
      .prepare(
        `select max(at_ms) as at_ms from attempt
         where series_id = ? and status = 200 and (start_ms is null or (start_ms <= ? and end_ms > ?))`,
      )
      .get(seriesId, chunkStart, chunkStart);
    const at = found?.at_ms;
    return typeof at === "number" ? at : null;
  }

  /** The newest attempts of an account that may still count. Shape: oldest first. */
  recent(account: string, count: number): SpentAttempt[] {
    const rows = this.#database
      .prepare(
        "select id, share, at_ms, boot, monotonic_ms, server_ms from attempt where account = ? order by id desc limit ?",
      )
      .all(account, Math.min(count, MOST_RECENT));
    return rows.reverse().map((row) => ({
      id: Number(row.id),
      share: row.share === "lan" ? "lan" : "poll",
      at: Number(row.at_ms),
      boot: String(row.boot),
      monotonicMs: Number(row.monotonic_ms),
      serverMs: typeof row.server_ms === "number" ? row.server_ms : null,
    }));
  }
}
