/**
 * Rate limiter of one account: every request needs a permit, and each attempt is on disk before its socket opens. Times
 * are monotonic. The age of attempts of an earlier boot is known when the service has sent its own time.
 */

import * as z from "zod/mini";
import {
  type Attempt,
  DAY_WINDOW_MS,
  FLIGHT_MS,
  isPlausibleDayLimit,
  MAX_ATTEMPTS,
  type MonotonicMs,
  type RateLimit,
  SERVICE_WINDOW_MS,
  type Share,
  type Spend,
  type SpentAttempt,
  UNUSED_PART,
} from "../../core/fetching/rate-limit.ts";
import { RateWindow } from "../../core/fetching/rate-window.ts";
import { invariant } from "../../core/invariant.ts";
import { message, type Text } from "../../core/language/text.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { type EpochMs, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import { type AnswerNotes, serviceTime } from "./answer-notes.ts";
import { ageByServerTime, type IdleNote, idleNote, type PlacedAttempt, placeAttempts } from "./restored-attempts.ts";
import { SharedQuota, storedSharedQuota } from "./shared-quota.ts";

/** Interface to the request log. */
export interface AttemptLog {
  /** Records an attempt, which is on disk when this returns. Returns its id; null if it could not be written. */
  spend(spend: Spend): number | null;
  settle(id: number, status: number, requestId: string | null, serverMs: EpochMs | null): void;
  /** Records that an attempt was not sent, so that it no longer counts. */
  giveBack(account: string, id: number): void;
  /** Returns the newest attempts. Shape: oldest first. */
  recent(account: string, count: number): readonly SpentAttempt[];
}

/** Monotonic times can be compared within a `boot`, which begins at 0 or later: other boots lie before 0. */
export type RateLimiterClock = Pick<Clock, "boot" | "now" | "monotonicMs">;

/** Source of an account's rate limits: learned from headers, or adapted by the rate limiter. */
export interface RateLimitSource {
  budget(now: MonotonicMs): readonly RateLimit[];
  learn(notes: AnswerNotes, now: MonotonicMs): void;
  /** Returns why the limits are too small for the possible need; null if they are not. */
  shortage?(): Text | null;
}

export interface RateLimiterDeps {
  readonly account: string;
  readonly requestLog: AttemptLog;
  readonly memory: KeyValue;
  readonly clock: RateLimiterClock;
  readonly source: RateLimitSource;
  /** True if attempts of the last day may be missing in the request log. */
  readonly isLogIncomplete?: boolean;
}

/** What a permit tells its rate limiter. */
interface PermitOptions {
  readonly account: string;
  readonly attemptId: number;
  readonly onNotes: (notes: AnswerNotes) => void;
  readonly onSettled: (notes: AnswerNotes | null) => void;
  readonly onUnsent: () => void;
}

/**
 * Permission to send one request, whose attempt is on disk. This class is exported as a type only, so that nothing but
 * the rate limiter makes one.
 */
class GrantedPermit {
  readonly attemptId: number;
  readonly #options: PermitOptions;
  #state: "open" | "used" | "settled" = "open";
  #notes: AnswerNotes | null = null;

  constructor(options: PermitOptions) {
    this.#options = options;
    this.attemptId = options.attemptId;
  }

  /** Uses the permit up, for a request with a key of `account`. Throws an InvariantError if that is not possible. */
  use(account: string): void {
    invariant(this.#state === "open", "a request has a permit that is open and unused");
    invariant(account === this.#options.account, "a request has a permit of its own account");
    this.#state = "used";
  }

  /** Records the headers of the response. */
  note(notes: AnswerNotes): void {
    invariant(this.#state !== "settled", "a response belongs to an open permit");
    this.#notes = notes;
    this.#options.onNotes(notes);
  }

  /** Ends the permit of a request of which no byte was sent: its attempt does not count. */
  giveBack(): void {
    invariant(this.#state === "used" && this.#notes === null, "an attempt is given back only if it was not sent");
    this.#state = "settled";
    this.#options.onUnsent();
  }

  /** Records the end of the request, which must follow in any case; a second call has no effect. */
  settle(): void {
    if (this.#state === "settled") return;
    this.#state = "settled";
    this.#options.onSettled(this.#notes);
  }
}
export type Permit = GrantedPermit;

/** What holds a request back. `isQuota` is false if not the quota is the reason. */
interface Hold {
  readonly until: MonotonicMs;
  readonly why: Text;
  readonly isQuota: boolean;
}

export type PermitResult = { readonly kind: "go"; readonly permit: Permit } | ({ readonly kind: "wait" } & Hold);

/** Wait of other requests while the first response of this process is in flight. */
const FIRST_ANSWER_WAIT_MS = 1_000;
/** Wait of other requests while attempts cannot be written. */
const UNWRITTEN_WAIT_MS = 30_000;
/** Longer waits are recorded on disk, so that they do not start again after a reboot. */
const LONG_WAIT_MS = 10 * MINUTE_MS;
const NOTE_EVERY_MS = 30 * MINUTE_MS;

export class RateLimiter {
  readonly #deps: RateLimiterDeps;
  readonly #ceilings = new SharedQuota();
  #spending: RateWindow;
  /** Attempts of earlier boots, until the service's time has shown their age. */
  #past: readonly PlacedAttempt[];
  /** Newest attempt in the request log, also one that was given back: a crash may lose that. */
  #newest: { readonly id: number; readonly at: MonotonicMs };
  #inFlight = 0;
  #answeredOnce = false;
  /** Day limit of the last response. */
  #doubted: number | null = null;
  #notedAt: MonotonicMs = Number.NEGATIVE_INFINITY;

  constructor(deps: RateLimiterDeps) {
    this.#deps = deps;
    const { account, requestLog, memory, clock } = deps;
    const now = clock.monotonicMs();
    const attempts = requestLog.recent(account, MAX_ATTEMPTS);
    const note = readJson(memory, `idle/${account}`, idleNote);
    const placed = placeAttempts(attempts, note, clock.boot);
    this.#newest = { id: attempts.at(-1)?.id ?? 0, at: placed.at(-1)?.at ?? now };
    this.#past = placed.filter((_, i) => attempts[i]?.boot !== clock.boot);
    this.#spending = new RateWindow(placed);
    this.#restoreCeilings(attempts, now);
    if (deps.isLogIncomplete) this.#assumeUsed(now);
  }

  /** Returns why the quota is too small for the fetch schedule; null if it is not. */
  get shortage(): Text | null {
    return this.#deps.source.shortage?.() ?? null;
  }

  /** Returns the earliest time for a request of this share; `now` if it is allowed immediately. */
  earliest(share: Share, now: MonotonicMs): MonotonicMs {
    return this.hold(share, now).until;
  }

  /** Returns the earliest time for a request of this share, and what holds it back until then. */
  hold(share: Share, now: MonotonicMs): Hold {
    const budget = this.#deps.source.budget(now);
    const kept = share === "prices" ? now : this.#spending.keptUntil(budget, now);
    const others = this.#ceilings.until(share, budget, this.#spending, now);
    const until = Math.max(kept, others, this.#spending.earliest(share, budget, now));
    // The first response of this process states the limits. Others could use up what several requests count on.
    if (until <= now && this.#inFlight > 0 && (!this.#answeredOnce || now < this.#ceilings.sharedUntil))
      return { until: now + FIRST_ANSWER_WAIT_MS, why: message("held.first"), isQuota: false };
    if (until - now > LONG_WAIT_MS) this.#noteIdle(now);
    const day = budget.find(({ reserve }) => reserve);
    const forPrices = message("held.prices", { count: day?.reserve?.count ?? 0, limit: day?.limit ?? 0 });
    const why = until === others ? message("held.others") : until === kept ? forPrices : message("held.quota");
    return { until, why, isQuota: true };
  }

  /** Acquires a permit. The attempt of a granted permit is on disk before this returns. */
  acquire(share: Share, seriesId: number | null, range: Interval | null): PermitResult {
    const { account, clock, requestLog } = this.#deps;
    const monotonicMs = clock.monotonicMs();
    const hold = this.hold(share, monotonicMs);
    if (hold.until > monotonicMs) return { kind: "wait", ...hold };
    const at = clock.now();
    const id = requestLog.spend({ account, share, at, boot: clock.boot, monotonicMs, serverMs: null, seriesId, range });
    if (id === null) {
      const why = message("held.not_writable");
      return { kind: "wait", until: monotonicMs + UNWRITTEN_WAIT_MS, why, isQuota: false };
    }
    const attempt = this.count(id, share, monotonicMs);
    this.#inFlight++;
    return { kind: "go", permit: this.#permit(id, attempt) };
  }

  /** Counts an attempt that is in the request log. */
  count(id: number, share: Share, at: MonotonicMs): Attempt {
    const attempt = { share, at };
    this.#newest = { id, at };
    this.#spending.add(attempt);
    return attempt;
  }

  #permit(attemptId: number, attempt: Attempt): Permit {
    const { account, requestLog } = this.#deps;
    return new GrantedPermit({
      account,
      attemptId,
      onNotes: (notes) => this.#learn(attempt, notes),
      onSettled: (notes) => {
        this.#inFlight--;
        requestLog.settle(attemptId, notes?.status ?? 0, notes?.requestId ?? null, serviceTime(notes));
      },
      onUnsent: () => {
        this.#inFlight--;
        this.#spending.remove(attempt);
        requestLog.giveBack(account, attemptId);
      },
    });
  }

  #learn(attempt: Attempt, given: AnswerNotes): void {
    const { clock, source } = this.#deps;
    const now = clock.monotonicMs();
    const notes = this.#withoutDoubt(given, source.budget(now));
    const serverMs = serviceTime(notes);
    this.#answeredOnce = true;
    source.learn(notes, now);
    if (notes.quota.day && serverMs !== null) this.#spending.answered(attempt, serverMs);
    if (serverMs !== null) this.#agePast(serverMs, now);
    this.#ceilings.apply({ attempt, quota: notes.quota, serverMs, now, budget: source.budget(now) }, this.#spending);
    this.#keepCeilings(now);
  }

  /** Omits a day limit that is too low to be believed, until the next response repeats it. */
  #withoutDoubt(notes: AnswerNotes, budget: readonly RateLimit[]): AnswerNotes {
    const limit = notes.quota.day?.limit ?? null;
    const known = budget.find(({ name }) => name === "day")?.limit ?? 0;
    const isBelieved = limit === null || limit === this.#doubted || limit >= known || isPlausibleDayLimit(limit, known);
    this.#doubted = limit;
    if (isBelieved) return notes;
    const { day: _, ...quota } = notes.quota;
    return { ...notes, quota };
  }

  #agePast(serverNow: EpochMs, now: MonotonicMs): void {
    if (this.#past.length === 0) return;
    const aged = ageByServerTime(this.#past, serverNow, now);
    const past: ReadonlySet<Attempt> = new Set(this.#past);
    const thisBoot = this.#spending.attempts.filter((attempt) => !past.has(attempt));
    this.#past = [];
    this.#spending = new RateWindow([...aged, ...thisBoot]);
  }

  /** Records the idle time on disk; otherwise a nightly reboot could block all requests permanently. */
  #noteIdle(now: MonotonicMs): void {
    if (now - this.#notedAt < NOTE_EVERY_MS) return;
    this.#notedAt = now;
    const { account, memory } = this.#deps;
    const note: IdleNote = { ...this.#placeAt(now), idleMs: Math.floor(now - this.#newest.at) };
    memory.write(`idle/${account}`, JSON.stringify(note));
  }

  #placeAt(now: MonotonicMs) {
    return { attemptId: this.#newest.id, boot: this.#deps.clock.boot, monotonicMs: Math.floor(now) };
  }

  #keepCeilings(now: MonotonicMs): void {
    const { account, memory } = this.#deps;
    const sharedMs = this.#ceilings.sharedUntil - now;
    const ceilings = this.#ceilings.kept(this.#spending, now);
    const kept: z.infer<typeof storedCeilings> = { ...this.#placeAt(now), sharedMs, ceilings };
    const text = sharedMs > 0 ? JSON.stringify(kept) : "";
    if (text !== (memory.read(`ceilings/${account}`) ?? "")) memory.write(`ceilings/${account}`, text);
  }

  /** Assumes that all is used except the part that is otherwise never used, until the service reports the quota. */
  #assumeUsed(now: MonotonicMs): void {
    const limit = this.#deps.source.budget(now).find(({ name }) => name === "day")?.limit ?? 0;
    const known = this.#spending.count("all", now - DAY_WINDOW_MS);
    const day = { window: "day", left: Math.ceil(limit * UNUSED_PART), restMs: DAY_WINDOW_MS } as const;
    this.#ceilings.sharedUntil = now + DAY_WINDOW_MS;
    this.#ceilings.restore(day, known, now);
    this.#ceilings.restore({ window: "minute", left: 0, restMs: SERVICE_WINDOW_MS.minute + FLIGHT_MS }, 0, now);
    this.#keepCeilings(now);
  }

  /** Restores the reported quotas, after a reboot for their full remaining time: the time off is unknown. */
  #restoreCeilings(attempts: readonly SpentAttempt[], now: MonotonicMs): void {
    const found = readJson(this.#deps.memory, `ceilings/${this.#deps.account}`, storedCeilings);
    if (!found) return;
    const { boot, monotonicMs, attemptId, sharedMs, ceilings } = found;
    const passedMs = now - (boot === this.#deps.clock.boot ? monotonicMs : 0);
    const spent = attempts.filter(({ id }) => id > attemptId).length;
    this.#ceilings.sharedUntil = now + sharedMs - passedMs;
    for (const ceiling of ceilings)
      this.#ceilings.restore({ ...ceiling, restMs: ceiling.restMs - passedMs }, spent, now);
  }
}

const storedCeilings = z.object({
  attemptId: z.number(),
  boot: z.string(),
  monotonicMs: z.number(),
  sharedMs: z.number(),
  ceilings: z.array(storedSharedQuota),
});
