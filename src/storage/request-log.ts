/** Request log: every request to the service, committed before its socket opens, and its result. */
import type { DatabaseSync } from "node:sqlite";
import { LRUCache } from "lru-cache";
import type { Spend, SpentAttempt } from "../core/fetching/rate-limit.ts";
import { contains, type EpochMs, type Interval, without } from "../core/time/interval.ts";
import { transaction, withDigest } from "./database.ts";

/** Request and its HTTP status: 0 if there was no response, null if it is in flight or its end was lost. */
type SpentRequest = { readonly share: string; readonly status: number | null };

type ServerTime = Readonly<Record<"serverMs" | "monotonicMs", number>>;
type AnsweredRow = readonly [seriesId: number, start: number | null, end: number | null, at: EpochMs];

/** Attempt to try an account before its home exists, and its result. */
export interface TriedAttempt extends Omit<Spend, "seriesId" | "range"> {
  readonly status: number | null;
  readonly requestId: string | null;
}

/** Attempts read in one step: a few milliseconds. */
const ATTEMPTS_PER_STEP = 2_000;
/** Maximum attempts read for the rate limiter; more than any known day limit allows. */
const MAX_RECENT = 20_000;
/** Maximum requests whose rows may still arrive. Each account has a few in flight; failed ones are evicted. */
const MAX_OPEN = 1_000;

const COLUMNS =
  "id, account, share, at_ms, boot, monotonic_ms, server_ms, series_id, start_ms, end_ms, status, request_id, answered_ms";
/** SQL for the digest of an attempt in which some columns get new values. */
export const digestWith = (changed: Readonly<Record<string, string>> = {}) =>
  `digest(${COLUMNS.replace(/\w+/g, (column) => changed[column] ?? column)})`;
/** SQL condition for a damaged attempt. A wrong time or account could allow more requests than the service permits. */
export const DAMAGED_ATTEMPT: string = `digest is not ${digestWith()}`;
/** SQL that updates the digest of all attempts; with a `where` clause, of some. */
export const SIGN_ATTEMPTS: string = `update attempt set digest = ${digestWith()}`;
/** Status of an attempt that was not sent, and the SQL condition for those that count. */
const UNSENT = -1;
const COUNTS = `status is not ${UNSENT}`;
/** Attempts at another service, whose clock may be another too, are marked: see data-source.ts. */
const OF_SOURCE = "instr(account, '/') = 0";
const SETTLED = { status: "?1", request_id: "?2", server_ms: "coalesce(?3, server_ms)" };
const SETTLE = `update attempt set ${assigned(SETTLED)}, digest = ${digestWith(SETTLED)} where id = ?4`;
const ANSWERED = { answered_ms: "?1" };
const ANSWER = `update attempt set ${assigned(ANSWERED)}, digest = ${digestWith(ANSWERED)} where id = ?2`;

/** Columns of a `SpentAttempt`. */
const SPENT = "id, share, at_ms as at, boot, monotonic_ms as monotonicMs, server_ms as serverMs from attempt";

function assigned(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([column, value]) => `${column} = ${value}`)
    .join(", ");
}

export class RequestLog {
  readonly #database: DatabaseSync;
  /** Bounded by the series. Complete when `#unread` is null. */
  readonly #answered = new Map<number, AnsweredTimes>();
  /** Steps that read the stored times; null when all are read. With 100 homes it is more than a hundred thousand attempts. */
  #unread: Generator<void> | null = this.#readAnswers();
  /** Id of the newest attempt by series and range. Bounded by MAX_OPEN. */
  readonly #open = new LRUCache<string, number>({ max: MAX_OPEN });
  #answers = 0;
  /** Cache of the last result of `spentSince`; null after each new or completed attempt. */
  #spent: { readonly since: EpochMs; readonly byAccount: ReadonlyMap<string, readonly SpentRequest[]> } | null = null;
  /** Cache of the attempts per account since an instant, usually midnight. */
  #counted: { readonly since: EpochMs; readonly counts: Map<string, number> } | null = null;
  /** Results to write with the next write. Bounded by the requests between two attempts. */
  #unwritten: Readonly<{ id: number; status: number; requestId: string | null; serverMs: EpochMs | null }>[] = [];

  constructor(database: DatabaseSync) {
    this.#database = withDigest(database);
  }

  /** Reads when each series was last answered, one step per iteration. Without it, the first use reads all at once. */
  *reading(): Generator<void> {
    while (this.#unread && this.#readStep()) yield;
  }

  /** Records an attempt; it is on disk when this returns. */
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
    if (this.#counted && at >= this.#counted.since)
      this.#counted.counts.set(account, (this.#counted.counts.get(account) ?? 0) + 1);
    if (seriesId !== null) this.#open.set(openKey(seriesId, range), id);
    return id;
  }

  /**
   * Records the result of an attempt. `status` is the HTTP status, 0 if there was no response. It is written with the
   * next write. After a crash before that, the attempt has no result and still counts.
   */
  settle(id: number, status: number, requestId: string | null, serverMs: EpochMs | null): void {
    this.#spent = null;
    this.#unwritten.push({ id, status, requestId, serverMs });
  }

  /** Records that an attempt was not sent, so that it no longer counts. After a crash before the next write it counts. */
  giveBack(account: string, id: number): void {
    this.settle(id, UNSENT, null, null);
    const count = this.#counted?.counts.get(account) ?? 0;
    if (count > 0) this.#counted?.counts.set(account, count - 1);
  }

  /** Writes the results that `settle` recorded; inside a caller's transaction maybe again later. */
  flush(): void {
    const settle = this.#database.prepare(SETTLE);
    for (const { id, status, requestId, serverMs } of this.#unwritten)
      settle.run(status, requestId, serverMs === null ? null : Math.round(serverMs), id);
  }

  /** Writes inside a caller's transaction that the rows of a request are stored: only then it counts as answered. */
  writeAnswered(seriesId: number, range: Interval | null, at: EpochMs): void {
    this.flush();
    const id = this.#open.get(openKey(seriesId, range));
    if (id !== undefined) this.#database.prepare(ANSWER).run(at, id);
  }

  /** Records in memory that a response is stored, for the times below. */
  noteAnswered(seriesId: number, range: Interval | null, at: EpochMs): void {
    this.#unwritten = [];
    this.#timesOf(seriesId).note(range, at);
    this.#answers++;
  }

  /** Records that a series need not be requested before its next regular time, although there was no data. */
  noteSettled(seriesId: number, at: EpochMs): void {
    this.#timesOf(seriesId).noteSettled(at);
    this.#answers++;
  }

  /** Number of recorded responses. While it is unchanged, so are the times below. */
  get answers(): number {
    return this.#answers;
  }

  /** Returns when a series was last answered, by the wall clock; null if never. */
  answeredAt(seriesId: number): EpochMs | null {
    return this.#knownTimesOf(seriesId)?.newest ?? null;
  }

  /** Returns when a chunk was last answered; null if never, or if the attempt has been deleted. */
  chunkAnsweredAt(seriesId: number, chunkStart: EpochMs): EpochMs | null {
    return this.#knownTimesOf(seriesId)?.at(chunkStart) ?? null;
  }

  /** Returns when the series was last settled without data; null if never since the daemon started. */
  settledAt(seriesId: number): EpochMs | null {
    return this.#knownTimesOf(seriesId)?.settled ?? null;
  }

  /** Returns the number of attempts of an account at or after `since`, by the wall clock. */
  countSince(account: string, since: EpochMs): number {
    if (this.#counted?.since !== since) {
      const counts = this.#database
        .prepare(`select account, count(*) as count from attempt where at_ms >= ? and ${COUNTS} group by account`)
        .all(since);
      this.#counted = { since, counts: new Map(counts.map(({ account, count }) => [String(account), Number(count)])) };
    }
    return this.#counted.counts.get(account) ?? 0;
  }

  /** Returns the attempts of an account since an instant. */
  spentSince(account: string, since: EpochMs): readonly SpentRequest[] {
    if (this.#spent?.since !== since) this.#spent = { since, byAccount: this.#readSpent(since) };
    return this.#spent.byAccount.get(account) ?? [];
  }

  /** Reads all accounts in one pass, because callers usually need all of them. */
  #readSpent(since: EpochMs): Map<string, SpentRequest[]> {
    const unwritten = new Map(this.#unwritten.map(({ id, status }) => [id, status]));
    const attempts = this.#database.prepare(
      `select account, id, share, status from attempt where at_ms >= ? and ${COUNTS} order by id desc`,
    );
    const found = new Map<string, SpentRequest[]>();
    for (const { account, id, share, status } of attempts.iterate(since)) {
      const own = found.get(String(account)) ?? [];
      const known = unwritten.get(Number(id)) ?? (status === null ? null : Number(status));
      if (known !== UNSENT) own.push({ share: String(share), status: known });
      found.set(String(account), own);
    }
    return found;
  }

  /** Returns the newest attempts of an account that may still count. Shape: oldest first. */
  recent(account: string, count: number): SpentAttempt[] {
    const attempts = this.#database.prepare(`select ${SPENT} where account = ? and ${COUNTS} order by id desc limit ?`);
    return (attempts.all(account, Math.min(count, MAX_RECENT)) as unknown as SpentAttempt[]).reverse();
  }

  /** Returns the newest attempts of every account in one pass, without those before a response older than `before`. */
  recentOfAll(count: number, before: EpochMs): Map<string, SpentAttempt[]> {
    const attempts = this.#database.prepare(
      `select account, ${SPENT}
       where id > coalesce((select id from attempt where server_ms < ? order by id desc limit 1), 0) and ${COUNTS}
       order by id desc`,
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

  /** Returns the attempts whose account has this prefix, which marks another service, under their names there. */
  attemptsAt(prefix: string): TriedAttempt[] {
    this.flush();
    const attempts = this.#database.prepare(
      `select substr(account, length(?1) + 1) as account, share, at_ms as at, boot, monotonic_ms as monotonicMs,
       server_ms as serverMs, status, request_id as requestId
       from attempt where substr(account, 1, length(?1)) = ?1 order by id`,
    );
    return attempts.all(prefix) as unknown as TriedAttempt[];
  }

  /** Records attempts from the log of another database. */
  take(attempts: readonly TriedAttempt[]): void {
    for (const { status, requestId, ...spend } of attempts) {
      const id = this.spend({ ...spend, seriesId: null, range: null });
      if (status !== null) this.settle(id, status, requestId, spend.serverMs);
    }
  }

  /** Returns the service's time at its newest response; null if it has never sent one. */
  serverTime(): EpochMs | null {
    return this.#newestAnswer("true")?.serverMs ?? null;
  }

  /** Returns the service's time at its newest response in this boot, and the attempt's; null without one. */
  serverTimeOf(boot: string): ServerTime | null {
    return this.#newestAnswer("boot = ?", boot);
  }

  #newestAnswer(where: string, ...values: readonly string[]): ServerTime | null {
    const newest = this.#database.prepare(
      `select server_ms as serverMs, monotonic_ms as monotonicMs from attempt
       where ${where} and status > 0 and server_ms is not null and ${OF_SOURCE} order by id desc limit 1`,
    );
    return (newest.get(...values) as ServerTime | undefined) ?? null;
  }

  /**
   * Deletes the oldest attempts before an instant of the service's time. The wall clock is not used: attempts recorded
   * with a clock at 1970 may still count. Attempts with lower ids than a response are older than it.
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

  *#readAnswers(): Generator<void> {
    const [ids] = this.#database.prepare("select min(id) as oldest, max(id) as newest from attempt").all();
    const [oldest, newest] = [Number(ids?.oldest ?? 1), Number(ids?.newest ?? 0)];
    const answers = this.#database.prepare(
      `select series_id, start_ms, end_ms, answered_ms, max(id) from attempt
       where id >= ? and id < ? and answered_ms is not null group by series_id, start_ms, end_ms order by max(id)`,
    );
    answers.setReturnArrays(true);
    for (let id = oldest; id <= newest; id += ATTEMPTS_PER_STEP) {
      const found = answers.all(id, id + ATTEMPTS_PER_STEP) as unknown as AnsweredRow[];
      for (const [seriesId, start, end, at] of found)
        timesIn(this.#answered, seriesId).note(start === null || end === null ? null : { start, end }, at);
      yield;
    }
  }

  /** Returns whether there is more to read. */
  #readStep(): boolean {
    if (this.#unread?.next().done) this.#unread = null;
    return this.#unread !== null;
  }

  #knownTimesOf(seriesId: number): AnsweredTimes | undefined {
    while (this.#unread) this.#readStep();
    return this.#answered.get(seriesId);
  }

  #timesOf(seriesId: number): AnsweredTimes {
    return this.#knownTimesOf(seriesId) ?? timesIn(this.#answered, seriesId);
  }
}

function timesIn(all: Map<number, AnsweredTimes>, seriesId: number): AnsweredTimes {
  const times = all.get(seriesId) ?? new AnsweredTimes();
  all.set(seriesId, times);
  return times;
}

function openKey(seriesId: number, range: Interval | null): string {
  return range ? `${seriesId} ${range.start} ${range.end}` : String(seriesId);
}

interface Stretch extends Interval {
  readonly at: EpochMs;
}

/** Times at which the parts of a series were last answered. A later record wins: the clock may be corrected. */
export class AnsweredTimes {
  /** Shape: not overlapping, in any order. Bounded by the chunks of the series. */
  #stretches: readonly Stretch[] = [];
  /** Time of the last response for any part of the series; null if never. */
  newest: EpochMs | null = null;
  /** Time at which the series was last settled without data; null if never. */
  settled: EpochMs | null = null;

  /** Records a response; without a range it covers all time. */
  note(range: Interval | null, at: EpochMs): void {
    this.newest = at;
    const answered = range ?? { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
    const others = this.#stretches.flatMap((known) =>
      without(known, [answered]).map((rest) => ({ ...known, ...rest })),
    );
    this.#stretches = [...others, { ...answered, at }];
  }

  /** Records that the series was settled without data. */
  noteSettled(at: EpochMs): void {
    this.newest = at;
    this.settled = at;
  }

  /** Returns when the instant was last covered by a response; null if never. */
  at(instant: EpochMs): EpochMs | null {
    return this.#stretches.find((stretch) => contains(stretch, instant))?.at ?? null;
  }
}
