/** The request log: every request that was spent, committed before its socket opens, and what became of it. */
import type { DatabaseSync } from "node:sqlite";
import { LRUCache } from "lru-cache";
import type { Share } from "../core/fetching/rate-limit.ts";
import { contains, type EpochMs, type Interval } from "../core/time/interval.ts";
import { transaction, withDigest } from "./database.ts";

/** What is known before a request goes out. */
export interface Spend {
  readonly account: string;
  readonly share: Share;
  readonly at: EpochMs;
  readonly boot: string;
  readonly monotonicMs: number;
  readonly serverMs: EpochMs | null;
  /** The stored id of the series that is asked, and the range; null for what is not kept in storage. */
  readonly seriesId: number | null;
  readonly range: Interval | null;
}

/** A spend as it stands in the request log. The monotonic time means something only within its boot. */
export interface SpentAttempt extends Pick<Spend, "share" | "at" | "boot" | "monotonicMs" | "serverMs"> {
  readonly id: number;
}

/** A request that was spent, and its HTTP status: 0 for no answer, null for what is in flight or was lost. */
interface SpentRequest {
  readonly share: string;
  readonly status: number | null;
}

interface Ending {
  readonly id: number;
  readonly status: number;
  readonly requestId: string | null;
  readonly serverMs: EpochMs | null;
}

/** Attempts looked back at for a budget; more than any day limit known would let through. */
const MAX_RECENT = 20_000;
/** Requests whose rows may still come. Each account has a few in flight; what failed makes room here. */
const MAX_OPEN = 1_000;

const COLUMNS = [
  ...([
    "id",
    "account",
    "share",
    "at_ms",
    "boot",
    "monotonic_ms",
    "server_ms",
    "series_id",
    "start_ms",
    "end_ms",
  ] as const),
  ...(["status", "request_id", "answered_ms"] as const),
];
/** The digest of an attempt of which some columns are to be others. */
const digestWith = (changed: Partial<Record<(typeof COLUMNS)[number], string>> = {}) =>
  `digest(${COLUMNS.map((column) => changed[column] ?? column).join(", ")})`;
/** An attempt that is not as it was written: another time or account would let more out than the service allows. */
export const DAMAGED_ATTEMPT: string = `digest is not ${digestWith()}`;
/** Puts its digest to every attempt; with `where`, to some. */
export const SIGN_ATTEMPTS: string = `update attempt set digest = ${digestWith()}`;
const SETTLED = { status: "?1", request_id: "?2", server_ms: "coalesce(?3, server_ms)" };
const SETTLE = `update attempt set ${assigned(SETTLED)}, digest = ${digestWith(SETTLED)} where id = ?4`;
const ANSWERED = { answered_ms: "?1" };
const ANSWER = `update attempt set ${assigned(ANSWERED)}, digest = ${digestWith(ANSWERED)} where id = ?2`;

function assigned(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([column, value]) => `${column} = ${value}`)
    .join(", ");
}

export class RequestLog {
  readonly #database: DatabaseSync;
  /** Bounded by the series. */
  readonly #answered = new Map<number, AnsweredTimes>();
  /** The newest spend by series and range. Bounded by MAX_OPEN. */
  readonly #open = new LRUCache<string, number>({ max: MAX_OPEN });
  #answers = 0;
  /** What was spent as it was last asked for, until anything is spent or ends. */
  #spent: { readonly since: EpochMs; readonly byAccount: ReadonlyMap<string, readonly SpentRequest[]> } | null = null;
  /** Attempts of each account since an instant: since midnight, for what is shown. */
  #counted: { readonly since: EpochMs; readonly counts: Map<string, number> } | null = null;
  /** Ends of spends that go to disk with the next write, and leave this when it held. Bounded by the requests between two spends. */
  #unwritten: Ending[] = [];

  constructor(database: DatabaseSync) {
    this.#database = withDigest(database);
    this.#readAnswers();
  }

  /** Writes a spend down. When this returns it is on disk. */
  spend(spend: Spend): number {
    const { account, share, at, boot, monotonicMs, serverMs, seriesId, range } = spend;
    const server = serverMs === null ? null : Math.round(serverMs);
    const monotonic = Math.round(monotonicMs);
    const [start, end] = [range?.start ?? null, range?.end ?? null];
    const insert = this.#database.prepare(
      `insert into attempt (account, share, at_ms, boot, monotonic_ms, server_ms, series_id, start_ms, end_ms)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const id = transaction(this.#database, () => {
      this.flush();
      const { lastInsertRowid } = insert.run(account, share, at, boot, monotonic, server, seriesId, start, end);
      this.#database.prepare(`${SIGN_ATTEMPTS} where id = ?`).run(lastInsertRowid);
      return Number(lastInsertRowid);
    });
    this.#unwritten = [];
    this.#spent = null;
    if (this.#counted && at >= this.#counted.since) addOne(this.#counted.counts, account);
    if (seriesId !== null) this.#open.set(openKey(seriesId, range), id);
    return id;
  }

  /**
   * Notes what became of a spend. `status` is the HTTP status; 0 for no answer. It goes to disk with the next write: a
   * crash before that leaves a spend without an end, which counts all the same.
   */
  settle(id: number, status: number, requestId: string | null, serverMs: EpochMs | null): void {
    this.#spent = null;
    this.#unwritten.push({ id, status, requestId, serverMs });
  }

  /** Writes what `settle` noted. Inside a transaction of the caller's it is part of that, and may be written again. */
  flush(): void {
    const settle = this.#database.prepare(SETTLE);
    for (const { id, status, requestId, serverMs } of this.#unwritten)
      settle.run(status, requestId, serverMs === null ? null : Math.round(serverMs), id);
  }

  /**
   * Writes that the rows of a request are stored, inside the transaction that stores them: an answer counts as received
   * when its rows are in storage, not before.
   */
  writeAnswered(seriesId: number, range: Interval | null, at: EpochMs): void {
    this.flush();
    const id = this.#open.get(openKey(seriesId, range));
    if (id !== undefined) this.#database.prepare(ANSWER).run(at, id);
  }

  /** Notes an answer whose rows are stored, so that the times below know without reading the disk. */
  noteAnswered(seriesId: number, range: Interval | null, at: EpochMs): void {
    this.#unwritten = [];
    this.#timesOf(seriesId).note(range, at);
    this.#answers++;
  }

  /** Notes that a series needs not be asked again before its next regular time, although nothing came. */
  noteSettled(seriesId: number, at: EpochMs): void {
    this.#timesOf(seriesId).noteSettled(at);
    this.#answers++;
  }

  /** Counts the answers noted: as long as it stays, the times below do. */
  get answers(): number {
    return this.#answers;
  }

  /** When a series was last answered, by the wall clock; null if never. */
  answeredAt(seriesId: number): EpochMs | null {
    return this.#answered.get(seriesId)?.newest ?? null;
  }

  /** When the chunk of a series that starts at an instant was last answered; null if never, or too long ago to know. */
  chunkAnsweredAt(seriesId: number, chunkStart: EpochMs): EpochMs | null {
    return this.#answered.get(seriesId)?.at(chunkStart) ?? null;
  }

  /** When a series was last dealt with although nothing came; null if never in this run. */
  settledAt(seriesId: number): EpochMs | null {
    return this.#answered.get(seriesId)?.settled ?? null;
  }

  /** How many attempts of an account were made at `since` or later, by the wall clock. */
  countSince(account: string, since: EpochMs): number {
    if (this.#counted?.since !== since) {
      const counts = this.#database
        .prepare("select account, count(*) as count from attempt where at_ms >= ? group by account")
        .all(since);
      this.#counted = { since, counts: new Map(counts.map(({ account, count }) => [String(account), Number(count)])) };
    }
    return this.#counted.counts.get(account) ?? 0;
  }

  /**
   * What an account spent since an instant, and what became of it: an HTTP status, 0 for no answer, null for what is
   * in flight or was lost.
   */
  spentSince(account: string, since: EpochMs): readonly SpentRequest[] {
    if (this.#spent?.since !== since) this.#spent = { since, byAccount: this.#readSpent(since) };
    return this.#spent.byAccount.get(account) ?? [];
  }

  /** Of all accounts in one pass: who asks for one asks for the others too. */
  #readSpent(since: EpochMs): Map<string, SpentRequest[]> {
    const unwritten = new Map(this.#unwritten.map(({ id, status }) => [id, status]));
    const attempts = this.#database.prepare(
      "select account, id, share, status from attempt where at_ms >= ? order by id desc",
    );
    const found = new Map<string, SpentRequest[]>();
    for (const { account, id, share, status } of attempts.iterate(since)) {
      const own = found.get(String(account)) ?? [];
      const known = unwritten.get(Number(id)) ?? (status === null ? null : Number(status));
      own.push({ share: String(share), status: known });
      found.set(String(account), own);
    }
    return found;
  }

  /** The newest attempts of an account that may still count. Shape: oldest first. */
  recent(account: string, count: number): SpentAttempt[] {
    const attempts = this.#database.prepare(
      `select id, share, at_ms as at, boot, monotonic_ms as monotonicMs, server_ms as serverMs from attempt
       where account = ? order by id desc limit ?`,
    );
    return (attempts.all(account, Math.min(count, MAX_RECENT)) as unknown as SpentAttempt[]).reverse();
  }

  /**
   * The same of every account in one pass, for a start. Left out is what came before an answer of the service that is
   * older than `before` by its own time.
   */
  recentOfAll(count: number, before: EpochMs): Map<string, SpentAttempt[]> {
    const attempts = this.#database.prepare(
      `select account, id, share, at_ms as at, boot, monotonic_ms as monotonicMs, server_ms as serverMs from attempt
       where id > coalesce((select id from attempt where server_ms < ? order by id desc limit 1), 0) order by id desc`,
    );
    const found = new Map<string, SpentAttempt[]>();
    for (const { account, ...attempt } of attempts.iterate(before)) {
      const own = found.get(String(account)) ?? [];
      if (own.length < Math.min(count, MAX_RECENT)) own.push(attempt as unknown as SpentAttempt);
      found.set(String(account), own);
    }
    for (const own of found.values()) own.reverse();
    return found;
  }

  /** The service's own time at its newest answer; null if it never told. */
  serverTime(): EpochMs | null {
    const found = this.#database
      .prepare("select server_ms from attempt where status > 0 and server_ms is not null order by id desc limit 1")
      .get();
    return typeof found?.server_ms === "number" ? found.server_ms : null;
  }

  /** The same with the machine's monotonic time of the attempt; null if it told nothing in this boot. */
  serverTimeOf(boot: string): { readonly serverMs: EpochMs; readonly monotonicMs: number } | null {
    const found = this.#database
      .prepare(
        `select server_ms as serverMs, monotonic_ms as monotonicMs from attempt
         where boot = ? and status > 0 and server_ms is not null order by id desc limit 1`,
      )
      .get(boot);
    return (found as { serverMs: EpochMs; monotonicMs: number } | undefined) ?? null;
  }

  /**
   * Deletes the oldest attempts made before an instant of the service's time, at most so many. Returns how many. The
   * wall clock has no say: an attempt of a boot in 1970 may be of today, and still count. One that was made before an
   * answer is older than it.
   */
  deleteBefore(before: EpochMs, most: number): number {
    const { changes } = this.#database
      .prepare(
        `delete from attempt where id in (select id from attempt
         where id <= (select max(id) from attempt where server_ms < ?) order by id limit ?)`,
      )
      .run(before, most);
    return Number(changes);
  }

  #readAnswers(): void {
    const answers = this.#database.prepare(
      `select series_id, start_ms, end_ms, answered_ms, max(id) from attempt where answered_ms is not null
       group by series_id, start_ms, end_ms order by max(id)`,
    );
    answers.setReturnArrays(true);
    for (const [seriesId, start, end, at] of answers.all() as unknown as (number | null)[][])
      this.#timesOf(Number(seriesId)).note(
        start === null ? null : { start: Number(start), end: Number(end) },
        Number(at),
      );
  }

  #timesOf(seriesId: number): AnsweredTimes {
    const times = this.#answered.get(seriesId) ?? new AnsweredTimes();
    this.#answered.set(seriesId, times);
    return times;
  }
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function openKey(seriesId: number, range: Interval | null): string {
  return range ? `${seriesId} ${range.start} ${range.end}` : String(seriesId);
}

interface Stretch extends Interval {
  readonly at: EpochMs;
}

/**
 * When the parts of one series were last answered. What is noted later counts, also where its clock stood earlier: a
 * clock that was set back is right again.
 */
export class AnsweredTimes {
  /** Without overlap, in no order. Bounded by the chunks of the series, as answers bring whole chunks. */
  #stretches: readonly Stretch[] = [];
  /** When anything of the series was last answered; null if never. */
  newest: EpochMs | null = null;
  /** When the series was last dealt with although nothing came; null if never. */
  settled: EpochMs | null = null;

  /** Notes an answer; one without a range is about all of time. */
  note(range: Interval | null, at: EpochMs): void {
    this.newest = at;
    const { start, end } = range ?? { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
    const others = this.#stretches.flatMap((known) => {
      if (known.end <= start || known.start >= end) return [known];
      const rest = [
        { ...known, end: start },
        { ...known, start: end },
      ];
      return rest.filter((piece) => piece.start < piece.end);
    });
    this.#stretches = [...others, { start, end, at }];
  }

  /** Notes that the series was dealt with, although nothing came. */
  noteSettled(at: EpochMs): void {
    this.newest = at;
    this.settled = at;
  }

  /** When the instant was last part of an answer; null if never. */
  at(instant: EpochMs): EpochMs | null {
    return this.#stretches.find((stretch) => contains(stretch, instant))?.at ?? null;
  }
}
