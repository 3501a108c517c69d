/** Facade over series store and request log: the collector reads by series, the mirror by operation. */
import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type ChunkState, isKnown, REVISION, type SeriesState } from "../core/fetching/fetch-types.ts";
import {
  chunkStarts,
  chunksOf,
  chunkUnitOf,
  type Envelope,
  type Rows,
  type SeriesKey,
  seriesName,
  WHOLE,
} from "../core/series/series.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval } from "../core/time/interval.ts";
import type { AttemptLog } from "../service/client/rate-limiter.ts";
import type { BodyOf } from "../service/contract/operations.ts";
import { type Dropped, type OperationId, operationOf, type ParamsOf } from "../service/contract/operations.ts";
import { aroundRows, rangeOf, seriesOf, takeApart } from "../service/contract/series-mapping.ts";
import { KeyValueStore } from "../storage/key-value-store.ts";
import { RequestLog } from "../storage/request-log.ts";
import { MAX_REQUEST_AGE_MS } from "../storage/retention.ts";
import { type SeriesChange, SeriesStore } from "../storage/series/series-store.ts";
import { WriteGuard } from "../storage/write-guard.ts";
import { AddressLists } from "./answers/address-lists.ts";
import { DoubtfulPrices } from "./answers/doubtful-prices.ts";
import { withdrawnRows } from "./answers/withdrawn-rows.ts";
import type { Found } from "./stored-answer.ts";

/** Answer to a request of the LAN. `dropped`: what of it could not be read. */
interface KeptAnswer<Id extends OperationId> {
  readonly body: BodyOf<Id>;
  readonly at: EpochMs;
  readonly dropped?: Dropped | null | undefined;
}

interface Freshness {
  readonly now: EpochMs;
  /** A part that may still be corrected and was answered before this is not fresh. */
  readonly askedSince?: EpochMs | undefined;
}

/** Response to store. `isWhole` is false if a part of it could not be read. */
interface Kept {
  readonly rows: Rows;
  readonly envelope: Envelope;
  readonly at: EpochMs;
  readonly isWhole?: boolean;
}

const NOTHING: ReadonlySet<EpochMs> = new Set();

export class SeriesRepository {
  readonly store: SeriesStore;
  readonly requestLog: RequestLog;
  readonly doubtful: DoubtfulPrices;
  readonly #calendar: Calendar;
  readonly #now: () => EpochMs;
  readonly #writing: WriteGuard;
  readonly #memory: KeyValueStore;
  /** Series whose stored rows may be those of another key, by name, with what their next response calls. */
  readonly #unsure = new Map<string, () => void>();
  readonly #lists = new AddressLists();
  /** Revisions by account. Bounded by the accounts. */
  readonly #revisions = new Map<string, number>();
  /** Lookups by the parameters of a request. The API uses the same object for equal URLs. */
  readonly #lookups = new WeakMap<object, Lookup>();

  constructor(
    database: DatabaseSync,
    calendar: Calendar,
    now: () => EpochMs,
    writing: WriteGuard = new WriteGuard(database),
  ) {
    this.#writing = writing;
    this.#memory = new KeyValueStore(database, writing);
    this.#calendar = calendar;
    this.#now = now;
    this.store = new SeriesStore(database, calendar, writing);
    this.requestLog = new RequestLog(database);
    this.doubtful = new DoubtfulPrices(this.#memory, calendar, (series, range) => this.store.rows(series, range));
  }

  stateOf(series: SeriesKey): SeriesState {
    const id = this.store.knownId(series);
    const stored = this.store.stateOf(series);
    const isThere = series.unit !== "latest" || stored.chunk(WHOLE.start) !== null;
    const isSure = !this.#unsure.has(seriesName(series));
    return {
      ...stored,
      wantedAt: this.#lists.wantedAt(series),
      newestGap: (within) => {
        const askedAt = (day: Interval) => id && this.requestLog.chunkAnsweredAt(id, day.start);
        const isKnownDay = (day: Interval, state: ChunkState) => isKnown(state, askedAt(day), day.end);
        return this.store.newestGap(series, within, isKnownDay, (id && this.requestLog.answeredAt(id)) ?? 0);
      },
      answeredAt: id === null || !isSure ? null : this.#lastOf(id, isThere ? this.requestLog.answeredAt(id) : null),
      askedAt: (start) =>
        id === null ? null : this.#lastOf(id, stored.chunk(start) && this.requestLog.chunkAnsweredAt(id, start)),
      receivedAt: (start) => id && notAhead(this.requestLog.chunkAnsweredAt(id, start), this.#now()),
      chunk: this.#trustedChunks(series, stored.chunk),
      hasRows: (start) =>
        stored.chunk(start) !== null &&
        this.store.rowsByChunk(series, { start, end: start + 1 }).some(({ length }) => length > 0),
    };
  }

  /** Returns the states of chunks; one with a doubtful price is not complete, so it is requested again. */
  #trustedChunks(series: SeriesKey, chunk: SeriesState["chunk"]): SeriesState["chunk"] {
    const doubtful = this.doubtful.of(series);
    if (doubtful.length === 0) return chunk;
    const doubtfulDays = new Set(doubtful.map(({ start }) => this.#calendar.startOf("day", start)));
    return (start) => {
      const state = chunk(start);
      return state && doubtfulDays.has(start) ? { ...state, complete: false } : state;
    };
  }

  /** Makes a series due at once, because its stored rows may be those of another key. They stay until then. */
  askAgain(series: SeriesKey, onAnswer: () => void): void {
    this.#unsure.set(seriesName(series), onAnswer);
    this.#revise(series.account);
  }

  /** Returns when a series was last answered or settled; rows removed as damaged do not count. */
  #lastOf(id: number, answeredAt: EpochMs | null): EpochMs | null {
    const now = this.#now();
    const answered = notAhead(answeredAt, now);
    const settled = notAhead(this.requestLog.settledAt(id), now);
    return answered === null || settled === null ? (answered ?? settled) : Math.max(answered, settled);
  }

  /** Stores a response and that it was answered at `at`. Resolves to null if it cannot be written now. */
  async keep(
    series: SeriesKey,
    range: Interval,
    { rows, envelope, at, isWhole = true }: Kept,
  ): Promise<SeriesChange | null> {
    const currency = this.store.envelope(series)?.currency;
    if (typeof currency === "string" && typeof envelope.currency === "string" && currency !== envelope.currency)
      this.#writing.attempt(() => this.store.setAside(series, currency));
    const chunkRange = chunkUnitOf(series.unit) === null ? null : range;
    const writeAnswered = () => this.requestLog.writeAnswered(this.store.idOf(series), chunkRange, at);
    const canWithdraw = chunkRange !== null && isWhole && rows.length > 0 && this.store.knownId(series) !== null;
    const stored = canWithdraw ? this.store.rows(series, range) : [];
    const without = stored.length > 0 ? withdrawnRows(this.#memory, series, { range, stored, rows, at }) : NOTHING;
    const isDoubtChanged = this.doubtful.note(series, rows, at);
    const storing = this.store.storing(series, range, { rows, envelope, now: at, without, isWhole }, writeAnswered);
    for (;;) {
      const step = this.#writing.attempt(() => storing.next())?.value;
      if (!step) return null;
      if (step.done) {
        this.requestLog.noteAnswered(this.store.idOf(series), chunkRange, at);
        this.#unsure.get(seriesName(series))?.();
        this.#unsure.delete(seriesName(series));
        this.#revise(series.account);
        return { ...step.value, changed: step.value.changed || isDoubtChanged };
      }
      await nextTurn();
    }
  }

  /** Deletes the prices of an address from today on, which are those of another region, so that they are requested again. */
  forgetPrices(account: string, place: string, now: EpochMs): SeriesKey[] {
    const today = this.#calendar.startOf("day", now);
    const series = (["fifteenMinutes", "hour", "latest"] as const).map((unit): SeriesKey => {
      return { account, place, operation: unit === "latest" ? "forecastPrices" : "prices", unit };
    });
    for (const each of series)
      this.#writing.attempt(() => this.store.deleteFrom(each, today, this.#calendar.add("day", today, 2)));
    this.#revise(account);
    return series;
  }

  /** Returns the revision of an account. While it is unchanged, the times of the account's series are unchanged too. */
  revisionOf(account: string): number {
    return this.#revisions.get(account) ?? 0;
  }

  #revise(account: string): void {
    this.#revisions.set(account, this.revisionOf(account) + 1);
  }

  close(): void {
    this.#writing.attempt(() => this.requestLog.flush());
  }

  /** Records a request that ended without data, so that it waits for its next regular time. */
  noteAnswered(series: SeriesKey, at: EpochMs): void {
    const id = this.idOf(series);
    if (id !== null) this.requestLog.noteSettled(id, at);
    this.#revise(series.account);
  }

  /** Returns the stored id of a series, and creates it on first use; null if it cannot be written. */
  idOf(series: SeriesKey): number | null {
    return this.store.knownId(series) ?? this.#writing.attempt(() => this.store.idOf(series))?.value ?? null;
  }

  /** View of the request log for rate limiters. `spend` returns null if the attempt could not be written. */
  get spends(): AttemptLog {
    const { requestLog } = this;
    return {
      spend: (spend) => this.#writing.attempt(() => requestLog.spend(spend))?.value ?? null,
      settle: (...ending) => requestLog.settle(...ending),
      giveBack: (...unsent) => requestLog.giveBack(...unsent),
      recent: (account, count) => requestLog.recent(account, count),
    };
  }

  /** Stores an answer to a LAN request. Returns whether rows changed; null if it could not be stored. */
  async keepAnswer<Id extends OperationId>(
    account: string,
    operation: Id,
    params: ParamsOf<Id>,
    { body, at, dropped = null }: KeptAnswer<Id>,
  ): Promise<boolean | null> {
    const { rows, envelope } = takeApart(operation, body);
    const series = seriesOf(account, operation, params);
    const allRows = this.withStored(series, rows, { dropped, at });
    return (
      (await this.keep(series, rangeOf(operation, params), { rows: allRows, envelope, at, isWhole: !dropped }))
        ?.changed ?? null
    );
  }

  /** Adds stored rows that a response lacks: of the ids that were dropped from it, or addresses that may not be gone. */
  withStored(
    series: SeriesKey,
    rows: Rows,
    { dropped, at }: { readonly dropped: Dropped | null | undefined; readonly at: EpochMs },
  ): Rows {
    const stored = () => this.store.latest(series) ?? [];
    // A list for another key replaces that of the earlier key.
    if (series.operation === "addresses" && !this.#unsure.has(seriesName(series)))
      return this.#lists.rowsOf(series, rows, stored(), { isWhole: !dropped, at });
    if (!dropped || dropped.ids.length === 0) return rows;
    return [...rows, ...stored().filter(({ id }) => dropped.ids.includes(String(id)))];
  }

  /** Requests the list of an account's addresses again, because the service does not know one of them. */
  doubtAddresses(account: string, now: EpochMs): void {
    const series = seriesOf(account, "addresses", {});
    this.#lists.want(series, now, this.stateOf(series).answeredAt);
  }

  /** Returns the stored data for a request; null if a part of it was never requested. */
  find<Id extends OperationId>(
    account: string,
    operation: Id,
    params: ParamsOf<Id>,
    { now, askedSince = NEVER }: Freshness,
  ): Found | null {
    const changes = this.store.changes + this.requestLog.answers;
    const known = this.#lookups.get(params);
    const isSame = known?.account === account && known.operation === operation && known.changes === changes;
    const lookup = isSame && now >= known.seenAt ? known : this.#lookUp(account, operation, params, { now });
    if (!lookup) return null;
    const { version, read } = lookup;
    const answeredAt = Math.min(now, lookup.answeredAt ?? now - MAX_REQUEST_AGE_MS);
    const isNewEnough = answeredAt >= askedSince || lookup.freshUntil === FOREVER;
    return { version, fresh: now <= lookup.freshUntil && isNewEnough, answeredAt, read };
  }

  /** Returns the stored data for a request with missing parts; null if nothing of it was requested. Never fresh. */
  findPart<Id extends OperationId>(account: string, operation: Id, params: ParamsOf<Id>, now: EpochMs): Found | null {
    const lookup = this.#lookUp(account, operation, params, { now, isPart: true });
    if (!lookup) return null;
    const { version, read, answeredAt } = lookup;
    return { version, read, fresh: false, answeredAt: answeredAt ?? now - MAX_REQUEST_AGE_MS };
  }

  /** Checks all chunks of a request. A year has 366, which takes 0.2 ms, half of the time of its response. */
  #lookUp<Id extends OperationId>(
    account: string,
    operation: Id,
    params: ParamsOf<Id>,
    { now, isPart = false }: { readonly now: EpochMs; readonly isPart?: boolean },
  ): Lookup | null {
    const series = seriesOf(account, operation, params);
    const range = rangeOf(operation, params);
    const version = this.store.versionOf(series);
    const envelope = this.store.envelope(series);
    if (version === null || !envelope || (!isPart && !this.store.covers(series, range))) return null;
    const { chunk } = this.store.stateOf(series);
    const starts = chunkStarts(series.unit, range, this.#calendar).filter((start) => !isPart || chunk(start) !== null);
    if (starts.length === 0) return null;
    const ages = starts.map(this.#ages(series, operation, now));
    const answered = ages.map(({ answeredAt }) => answeredAt);
    const lookup: Lookup = {
      account,
      operation,
      changes: this.store.changes + this.requestLog.answers,
      seenAt: now,
      version,
      freshUntil: Math.min(...ages.map(({ freshUntil }) => freshUntil)),
      answeredAt: answered.includes(null) ? null : Math.min(...answered.filter((at) => at !== null)),
      read: () => this.store.json(series, range, aroundRows(operation, params, envelope)),
    };
    if (!isPart) this.#lookups.set(params, lookup);
    return lookup;
  }

  /** Returns the whole chunks to request before a fresh answer is possible; null if everything is fresh. */
  staleRange<Id extends OperationId>(
    account: string,
    operation: Id,
    params: ParamsOf<Id>,
    { now, askedSince = NEVER }: Freshness,
  ): Interval | null {
    const series = seriesOf(account, operation, params);
    const range = rangeOf(operation, params);
    const ageOf = this.#ages(series, operation, now);
    const stale = chunksOf(series.unit, range, this.#calendar).filter(({ start }) => {
      const { answeredAt, freshUntil } = ageOf(start);
      return now > freshUntil || (freshUntil !== FOREVER && (answeredAt ?? askedSince) < askedSince);
    });
    const first = stale[0];
    const last = stale.at(-1);
    return first && last ? { start: first.start, end: last.end } : null;
  }

  /**
   * Returns the age of a chunk by its start. An incomplete or estimated one is fresh for `freshForMs` after its answer,
   * a complete one for `recheckMs` while the service may correct it, then for ever.
   */
  #ages(series: SeriesKey, operation: OperationId, now: EpochMs): (start: EpochMs) => ChunkAge {
    const state = this.store.stateOf(series);
    const id = this.store.knownId(series);
    const { keep } = operationOf(operation);
    // Times of old answers are deleted. The schedule has requested chunks of days until they were final.
    const isPolled = chunkUnitOf(series.unit) === "day";
    const longestMs = LONGEST_CHUNK_MS[chunkUnitOf(series.unit) ?? "day"];
    const revision = "label" in keep && keep.poll !== "forecast" ? REVISION[keep.poll] : null;
    const isUnsure = this.#unsure.has(seriesName(series));
    return (start) => {
      const answered = id === null || isUnsure ? null : this.requestLog.chunkAnsweredAt(id, start);
      const answeredAt = notAhead(answered, now);
      const known = state.chunk(start);
      if (known === null) return { answeredAt, freshUntil: NEVER };
      const isWhole = revision !== null && known.complete && !known.estimated;
      if (answeredAt === null) return { answeredAt, freshUntil: isWhole && isPolled ? FOREVER : NEVER };
      if (!isWhole) return { answeredAt, freshUntil: answeredAt + keep.freshForMs };
      const finalAt = start + longestMs + revision.revisedForMs;
      return { answeredAt, freshUntil: answeredAt >= finalAt ? FOREVER : answeredAt + revision.recheckMs };
    };
  }
}

/** Longest chunks, so that the end of each need not be computed. */
const LONGEST_CHUNK_MS = { day: 25 * HOUR_MS, month: 31 * DAY_MS + HOUR_MS, year: 366 * DAY_MS } as const;
const FOREVER = Number.POSITIVE_INFINITY;
const NEVER = Number.NEGATIVE_INFINITY;

/** Returns null for a time in the future, which was written while the clock was wrong. */
function notAhead(at: EpochMs | null, now: EpochMs): EpochMs | null {
  return at !== null && at <= now ? at : null;
}

interface ChunkAge {
  /** When it was last answered; null if that is not recorded any more. */
  readonly answeredAt: EpochMs | null;
  readonly freshUntil: EpochMs;
}

/** State of a request's stored chunks at `seenAt`. Valid until something is stored or answered. */
interface Lookup extends ChunkAge, Pick<Found, "version" | "read"> {
  readonly account: string;
  readonly operation: OperationId;
  readonly changes: number;
  readonly seenAt: EpochMs;
}
