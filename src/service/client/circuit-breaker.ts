/** Circuit breaker of one account: which scopes are paused, until when, and why. */

import * as z from "zod/mini";
import type { FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import type { MonotonicMs } from "../../core/fetching/rate-limit.ts";
import {
  BREAKER_FAILURES,
  breakerWaitMs,
  judge,
  type Need,
  type Scope,
  UNKNOWN_ADDRESS_MS,
  type Verdict,
} from "../../core/fetching/retry-policy.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { MINUTE_MS } from "../../core/time/interval.ts";
import type { RateLimiterClock } from "./rate-limiter.ts";

/** Names of the scopes that a failure of one request may affect. `account` is the account's name. */
export type Scopes = Readonly<Record<Scope, string>>;

export interface CircuitBreakerDeps {
  readonly account: string;
  readonly memory: KeyValue;
  readonly clock: RateLimiterClock;
  readonly random: () => number;
  /** Identifies the key without revealing it, because responses to an old key do not apply to a new one. */
  readonly keyMark: string;
}

/** Pause of a scope, after `streak` consecutive failures of the same kind before the last one. */
interface Pause {
  readonly kind: string;
  readonly streak: number;
  readonly since: MonotonicMs;
  readonly until: MonotonicMs;
}

/** Scope, kind, streak, and remaining time in ms. */
const storedPause = z.tuple([z.string(), z.string(), z.number(), z.number()]);
type StoredPause = z.infer<typeof storedPause>;
const storedPauses = z.object({
  boot: z.string(),
  monotonicMs: z.number(),
  wall: z.number(),
  keyMark: z.string(),
  silences: z.array(storedPause),
});

/** Shorter pauses are not written to disk, unless the service requested them. */
const MIN_STORED_MS = MINUTE_MS;
/** Maximum scopes, because LAN clients may send any number of different requests. */
const MAX_SCOPES = 500;
const BREAKER = "the breaker";
/** Kind of a pause after a request that was not sent. It cost no quota, so the breaker does not count it. */
const UNSENT = "unsent";

export class CircuitBreaker {
  readonly #deps: CircuitBreakerDeps;
  /** Pauses by scope, oldest first. Expired ones stay for their streak until a response arrives. */
  readonly #pauses = new Map<string, Pause>();
  /** Ends of the stored pauses, by scope. Bounded by MAX_SCOPES. */
  #stored: ReadonlyMap<string, MonotonicMs> = new Map();
  #failures = 0;
  #lastFailureAt: MonotonicMs = Number.NEGATIVE_INFINITY;

  constructor(deps: CircuitBreakerDeps) {
    this.#deps = deps;
    this.#restore();
  }

  /** Returns the restored pauses, without those that LAN clients' own requests caused. */
  restored(): { readonly name: string; readonly kind: string; readonly verdict: Verdict }[] {
    const { account, clock, random } = this.#deps;
    return [...this.#pauses].flatMap(([name, { kind, streak, until }]) => {
      const subject = name === BREAKER ? account : name;
      const isOwners = subject === account || subject.startsWith(`${account} `);
      const verdict = judge(failureOf(kind), streak, random);
      return isOwners && until > clock.monotonicMs() && verdict.scope !== "request"
        ? [{ name: subject, kind, verdict }]
        : [];
    });
  }

  /**
   * Returns until when no request is allowed in these scopes; a past time if none are paused. `ownTime` returns the next
   * time of a request's own schedule after a failure: a pause for an outage does not last longer. Unit: monotonic ms.
   */
  pausedUntil(scopes: Scopes, ownTime?: (since: MonotonicMs) => MonotonicMs): MonotonicMs {
    const { account, place, series, request } = scopes;
    const ends = [account, BREAKER, place, series, request].map((name) => {
      const pause = this.#pauses.get(name);
      if (!pause || !ownTime || !judge(failureOf(pause.kind), 0, () => 0).trouble) return pause?.until ?? 0;
      return Math.min(pause.until, ownTime(pause.since));
    });
    return Math.max(...ends);
  }

  /** Returns the stored fields of the failure behind a pause; null if no scope is paused. */
  cause({ account, place, series, request }: Scopes): FetchFailure | null {
    const now = this.#deps.clock.monotonicMs();
    const pauses = [account, place, series, request, BREAKER].map((name) => this.#pauses.get(name));
    const kind = pauses.find((pause) => pause !== undefined && pause.until > now)?.kind;
    return kind === undefined ? null : failureOf(kind);
  }

  /** Records a failure of a request sent at `sentAt`, and returns its consequence. */
  failure(scopes: Scopes, failure: FetchFailure, sentAt: MonotonicMs, need: Need = "other"): Verdict {
    const now = this.#deps.clock.monotonicMs();
    const kind = kindOf(failure);
    const lost = failure.kind === "refused" && failure.status === 404;
    const streak = lost ? this.#countLost(scopes.place, sentAt, now) : this.#streakOf(scopes, kind, sentAt);
    const verdict = judge(failure, streak, this.#deps.random, need);
    if (verdict.trouble && kind !== UNSENT && sentAt >= this.#lastFailureAt) this.#countFailure(kind, now);
    this.#pause(scopes[verdict.scope], { kind, streak, since: now, until: now + verdict.waitMs });
    if (verdict.waitMs >= MIN_STORED_MS || kind.startsWith("429") || this.#isStoredOver(now)) this.#keep(now);
    return verdict;
  }

  /** Records a response: ends the pauses of its scopes. A pause of the account that has not ended stays. */
  success(scopes: Scopes): void {
    const now = this.#deps.clock.monotonicMs();
    const ended = [scopes.series, scopes.request, scopes.place, lostName(scopes.place), BREAKER];
    if ((this.#pauses.get(scopes.account)?.until ?? 0) <= now) ended.push(scopes.account);
    this.#failures = 0;
    for (const name of ended) this.#pauses.delete(name);
    if (this.#isStoredOver(now)) this.#keep(now);
  }

  /** Returns true if a stored pause has ended. It is removed, because a reboot would start it again. */
  #isStoredOver(now: MonotonicMs): boolean {
    return [...this.#stored].some(([name, until]) => until <= now || !this.#pauses.has(name));
  }

  /** Returns the streak. Requests that were in flight together count as one failure. */
  #streakOf(scopes: Scopes, kind: string, sentAt: MonotonicMs): number {
    const last = [scopes.account, scopes.series].map((name) => this.#pauses.get(name)).find((s) => s?.kind === kind);
    return last ? last.streak + (sentAt < last.since ? 0 : 1) : 0;
  }

  /** Counts the 404 responses of an address in the last day. An address that was dropped stays dropped. */
  #countLost(place: string, sentAt: MonotonicMs, now: MonotonicMs): number {
    const name = lostName(place);
    const before = this.#pauses.get(name);
    const still = before !== undefined && before.until > now;
    const streak = still ? before.streak + (sentAt < before.since ? 0 : 1) : 0;
    const until = still ? before.until : now + UNKNOWN_ADDRESS_MS;
    this.#pause(name, { kind: "404", streak, since: now, until });
    return Math.max(streak, this.#pauses.get(place)?.streak ?? 0);
  }

  /** Opens the breaker at the fifth consecutive failure; each further one doubles the time. */
  #countFailure(kind: string, now: MonotonicMs): void {
    this.#lastFailureAt = now;
    if (++this.#failures < BREAKER_FAILURES) return;
    const openings = this.#failures - BREAKER_FAILURES;
    this.#pause(BREAKER, { kind, streak: openings, since: now, until: now + breakerWaitMs(openings) });
    this.#keep(now);
  }

  /** Starts a pause, unless a longer one exists. */
  #pause(name: string, pause: Pause): void {
    const before = this.#pauses.get(name);
    if (before && before.until > pause.until) return;
    this.#pauses.delete(name);
    this.#pauses.set(name, pause);
    if (this.#pauses.size <= MAX_SCOPES) return;
    const oldest = [...this.#pauses.keys()].find((other) => other !== this.#deps.account && other !== BREAKER);
    if (oldest !== undefined) this.#pauses.delete(oldest);
  }

  #keep(now: MonotonicMs): void {
    const { account, memory, clock, keyMark } = this.#deps;
    const pauses = [...this.#pauses].flatMap(([name, { kind, streak, until }]): StoredPause[] =>
      until > now ? [[name, kind, streak, Math.ceil(until - now)]] : [],
    );
    const stored: z.infer<typeof storedPauses> = {
      boot: clock.boot,
      monotonicMs: Math.floor(now),
      wall: clock.now(),
      keyMark,
      silences: pauses,
    };
    this.#stored = new Map(pauses.map(([name, , , restMs]) => [name, now + restMs]));
    memory.write(`silence/${account}`, JSON.stringify(stored));
  }

  /**
   * Restores the pauses. After a reboot, the wall clock counts the time the machine was off, except for a 429, whose
   * pause must hold even if the clock is wrong.
   */
  #restore(): void {
    const { account, memory, clock, keyMark } = this.#deps;
    const stored = readJson(memory, `silence/${account}`, storedPauses);
    if (!stored) return;
    const now = clock.monotonicMs();
    const sameBoot = stored.boot === clock.boot;
    const passedMs = Math.max(0, sameBoot ? now - stored.monotonicMs : now);
    const passedByWallMs = sameBoot ? passedMs : Math.max(passedMs, clock.now() - stored.wall);
    const onDisk = new Map<string, MonotonicMs>();
    this.#stored = onDisk;
    for (const [name, kind, streak, restMs] of stored.silences) {
      const limited = kind.startsWith("429");
      if (stored.keyMark !== keyMark && !limited) continue;
      const restNowMs = restMs - (limited ? passedMs : passedByWallMs);
      onDisk.set(name, now + restNowMs);
      if (restNowMs <= 0) continue;
      this.#pauses.set(name, { kind, streak, since: now, until: now + restNowMs });
      if (name === BREAKER) this.#failures = BREAKER_FAILURES + streak;
    }
  }
}

function kindOf(failure: FetchFailure): string {
  if (failure.kind === "refused") return `${failure.status} ${failure.code ?? ""}`.trim();
  return failure.kind === "unreachable" && failure.isUnsent ? UNSENT : failure.kind;
}

/** Returns the failure behind a pause, reconstructed from its kind. */
function failureOf(kind: string): FetchFailure {
  const why = "an earlier attempt failed";
  if (kind === UNSENT) return { kind: "unreachable", why, isUnsent: true };
  if (kind === "malformed") return { kind, why, requestId: null };
  const [status = "", code = null] = kind.split(" ");
  if (!/^\d{3}$/.test(status)) return { kind: "unreachable", why };
  const reason = "the service reported it";
  return { kind: "refused", status: Number(status), code, reason, retryAfterMs: null, requestId: null };
}

/** Returns the name of the 404 count of an address; it pauses nothing by itself. */
function lostName(place: string): string {
  return `unknown ${place}`;
}
