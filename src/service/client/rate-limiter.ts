/**
 * The rate limiter of one account: no request leaves without its leave, and each is on disk before its socket opens.
 *
 * Time here is monotonic. Attempts of an earlier boot are placed by what is known to have passed since; how much older
 * they are is known only after the service has told its own time.
 */

import * as z from "zod/mini";
import {
  type Attempt,
  DAY_WINDOW_MS,
  MAX_ATTEMPTS,
  type MonotonicMs,
  type RateLimit,
  type Share,
} from "../../core/fetching/rate-limit.ts";
import { RateWindow } from "../../core/fetching/rate-window.ts";
import type { Text } from "../../core/language/text.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { type EpochMs, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import { type AnswerNotes, serviceTime } from "./client.ts";
import { LostLedger } from "./lost-ledger.ts";
import {
  ageByServerTime,
  type IdleNote,
  idleNote,
  type KeptAttempt,
  type PlacedAttempt,
  placeAttempts,
} from "./restored-attempts.ts";
import { SharedQuota, storedSharedQuota } from "./shared-quota.ts";

/** The request log as the rate limiter needs it. */
export interface AttemptLog {
  /**
   * Writes a spend down; it is on disk when this returns. Returns its number, which only grows; null where it could
   * not be written, and then nothing may go out.
   */
  spend(spend: {
    readonly account: string;
    readonly share: Share;
    readonly at: EpochMs;
    readonly boot: string;
    readonly monotonicMs: MonotonicMs;
    readonly serverMs: EpochMs | null;
    readonly seriesId: number | null;
    readonly range: Interval | null;
  }): number | null;
  settle(id: number, status: number, requestId: string | null, serverMs: EpochMs | null): void;
  /** The newest attempts. Shape: oldest first. */
  recent(account: string, count: number): readonly KeptAttempt[];
}

/**
 * The clocks as the rate limiter needs them. `boot` names the span in which monotonic times compare; the monotonic clock
 * of a boot begins at 0 or later, so what carries another boot's name lies before 0.
 */
export type RateLimiterClock = Pick<Clock, "boot" | "now" | "monotonicMs">;

/** How an account's budget comes about: from learned limits, or by the rate limiter's own adaption. */
export interface RateLimitSource {
  budget(now: MonotonicMs): readonly RateLimit[];
  learn(notes: AnswerNotes, now: MonotonicMs): void;
  /** Why the budget is too small for what may have to be asked, in words; null where it is not. */
  shortage?(): Text | null;
}

export interface RateLimiterDeps {
  readonly account: string;
  readonly requestLog: AttemptLog;
  readonly memory: KeyValue;
  readonly clock: RateLimiterClock;
  readonly source: RateLimitSource;
}

/** A leave to send one request; to be settled whatever happens. */
export interface Permit {
  readonly attemptId: number;
  readonly note: (notes: AnswerNotes) => void;
  readonly settle: () => void;
}

export type PermitResult =
  | { readonly kind: "go"; readonly leave: Permit }
  | { readonly kind: "wait"; readonly untilMs: MonotonicMs; readonly why: string; readonly isUnwritten?: true };

/** While the first answer of a process is on its way, others look again after this long. */
const FIRST_ANSWER_WAIT_MS = 1_000;
/** While a spend cannot be written, others look again after this long. */
const UNWRITTEN_WAIT_MS = 30_000;
const UNWRITTEN = "the database cannot be written, so nothing is asked";
/** A wait longer than this is noted on disk, at most this often, so that a reboot does not begin it again. */
const LONG_WAIT_MS = 10 * MINUTE_MS;
const NOTE_EVERY_MS = 30 * MINUTE_MS;

export class RateLimiter {
  readonly #deps: RateLimiterDeps;
  readonly #ceilings = new SharedQuota();
  readonly #unknown: LostLedger;
  #spending: RateWindow;
  /** Attempts of earlier boots, until the service's time has told their age. */
  #past: readonly PlacedAttempt[];
  #newestId = 0;
  #inFlight = 0;
  #answeredOnce = false;
  #notedAt: MonotonicMs = Number.NEGATIVE_INFINITY;

  constructor(deps: RateLimiterDeps) {
    this.#deps = deps;
    const { account, requestLog, memory, clock } = deps;
    const now = clock.monotonicMs();
    this.#unknown = new LostLedger(memory, account, clock.boot, now);
    const kept = requestLog.recent(account, MAX_ATTEMPTS);
    const note = readJson(memory, `idle/${account}`, idleNote);
    const placed = placeAttempts(kept, note, clock.boot);
    this.#newestId = kept.at(-1)?.id ?? 0;
    this.#past = placed.filter((_, i) => kept[i]?.boot !== clock.boot);
    this.#spending = new RateWindow(placed);
    placed.forEach(({ at, serverMs }, i) => {
      this.#ceilings.resume(kept[i]?.id ?? 0, at, serverMs !== null, now);
    });
    this.#restoreCeilings(kept, now);
  }

  /** Why the quota is too small for the fetch schedule, in words; null where it is not. */
  get shortage(): Text | null {
    return this.#deps.source.shortage?.() ?? null;
  }

  /** The earliest moment a share may ask, seen from `now`; `now` itself for at once. */
  earliest(share: Share, now: MonotonicMs): MonotonicMs {
    if (!this.#answeredOnce && this.#inFlight > 0) return now + FIRST_ANSWER_WAIT_MS;
    const budget = this.#deps.source.budget(now);
    const until = Math.max(
      this.#spending.earliest(share, budget, now),
      this.#ceilings.until(share, budget, now),
      this.#unknown.until(budget, () => this.#spending.count("all", now - DAY_WINDOW_MS), now),
    );
    if (until - now > LONG_WAIT_MS) this.#noteIdle(now);
    return until;
  }

  /** Asks for leave. A `go` is spent and on disk when this returns. */
  acquire(share: Share, seriesId: number | null, range: Interval | null): PermitResult {
    const { account, clock, requestLog } = this.#deps;
    const monotonicMs = clock.monotonicMs();
    const untilMs = this.earliest(share, monotonicMs);
    if (untilMs > monotonicMs) return { kind: "wait", untilMs, why: "the quota for this is used up for now" };
    const at = clock.now();
    const id = requestLog.spend({ account, share, at, boot: clock.boot, monotonicMs, serverMs: null, seriesId, range });
    if (id === null)
      return { kind: "wait", untilMs: monotonicMs + UNWRITTEN_WAIT_MS, why: UNWRITTEN, isUnwritten: true };
    this.#newestId = id;
    this.#spending.add({ share, at: monotonicMs });
    this.#ceilings.spent(id, share, monotonicMs);
    this.#inFlight++;
    return { kind: "go", leave: this.#leave(id) };
  }

  #leave(attemptId: number): Permit {
    let open = true;
    let noted: AnswerNotes | null = null;
    return {
      attemptId,
      note: (notes) => {
        noted = notes;
        this.#learn(attemptId, notes);
      },
      settle: () => {
        if (!open) return;
        open = false;
        this.#inFlight--;
        this.#deps.requestLog.settle(attemptId, noted?.status ?? 0, noted?.requestId ?? null, serviceTime(noted));
      },
    };
  }

  #learn(id: number, notes: AnswerNotes): void {
    const { clock, source } = this.#deps;
    const now = clock.monotonicMs();
    const serverMs = serviceTime(notes);
    this.#answeredOnce = true;
    source.learn(notes, now);
    if (serverMs !== null) this.#agePast(serverMs, now);
    const budget = source.budget(now);
    this.#ceilings.told({ id, quota: notes.quota, serverMs, now, budget, spending: this.#spending });
    this.#keepCeilings(now);
    // From here on, what the service says is left counts the spends that nobody knows of.
    if (notes.quota.day && serverMs !== null) this.#unknown.end();
  }

  #agePast(serverNow: EpochMs, now: MonotonicMs): void {
    if (this.#past.length === 0) return;
    const aged = ageByServerTime(this.#past, serverNow, now);
    const past: ReadonlySet<Attempt> = new Set(this.#past);
    const thisBoot = this.#spending.attempts.filter((attempt) => !past.has(attempt));
    this.#past = [];
    this.#spending = new RateWindow([...aged, ...thisBoot]);
  }

  /** Time with nothing to ask for would be lost at a reboot: without this, a nightly one could stop all permanently. */
  #noteIdle(now: MonotonicMs): void {
    const newest = this.#spending.attempts.at(-1);
    if (!newest || now - this.#notedAt < NOTE_EVERY_MS) return;
    this.#notedAt = now;
    const { account, memory, clock } = this.#deps;
    const note: IdleNote = {
      attemptId: this.#newestId,
      boot: clock.boot,
      monotonicMs: Math.floor(now),
      idleMs: Math.floor(now - newest.at),
    };
    memory.write(`idle/${account}`, JSON.stringify(note));
  }

  #keepCeilings(now: MonotonicMs): void {
    const { account, memory, clock } = this.#deps;
    const ceilings = this.#ceilings.kept(now);
    const kept: z.infer<typeof keptCeilings> = {
      attemptId: this.#newestId,
      boot: clock.boot,
      monotonicMs: Math.floor(now),
      ceilings,
    };
    const text = ceilings.length === 0 ? "" : JSON.stringify(kept);
    if (text !== (memory.read(`ceilings/${account}`) ?? "")) memory.write(`ceilings/${account}`, text);
  }

  /** Across a reboot a ceiling lasts as long again as it had left: how long the machine was off is not known. */
  #restoreCeilings(kept: readonly KeptAttempt[], now: MonotonicMs): void {
    const found = readJson(this.#deps.memory, `ceilings/${this.#deps.account}`, keptCeilings);
    if (!found) return;
    const { boot, monotonicMs, attemptId, ceilings } = found;
    const since = boot === this.#deps.clock.boot ? monotonicMs : 0;
    const spent = kept.filter(({ id }) => id > attemptId).length;
    for (const ceiling of ceilings)
      this.#ceilings.restore({ ...ceiling, restMs: ceiling.restMs - (now - since) }, spent, now);
  }
}

/** The ceilings on disk, with the newest attempt they know of. */
const keptCeilings = z.object({
  ...{ attemptId: z.number(), boot: z.string(), monotonicMs: z.number() },
  ceilings: z.array(storedSharedQuota),
});
