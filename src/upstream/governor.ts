/**
 * The governor of one account: no request leaves without its leave, and each is on disk before its socket opens.
 *
 * Time here is monotonic. Attempts of an earlier boot are at least as old as this boot; how much older is known only
 * after the service has told its own time, which each attempt carries along.
 */
import type { QuotaWindow } from "../contract/limits.ts";
import type { QuotaStanding } from "../contract/quota-headers.ts";
import { type EpochMs, HOUR_MS, type Interval } from "../core/interval.ts";
import {
  type Attempt,
  type BudgetWindow,
  type Ceiling,
  DAY_WINDOW_MS,
  earliestAttempt,
  FLIGHT_MS,
  type MonotonicMs,
  type Share,
} from "../core/quota.ts";
import type { AnswerNotes } from "./client.ts";

/** The ledger as the governor needs it. */
export interface SpendLedger {
  spend(spend: {
    readonly account: string;
    readonly share: Share;
    readonly at: EpochMs;
    readonly boot: string;
    readonly monotonicMs: MonotonicMs;
    readonly serverMs: EpochMs | null;
    readonly seriesId: number | null;
    readonly range: Interval | null;
  }): number;
  settle(id: number, status: number, requestId: string | null, serverMs: EpochMs | null): void;
  recent(
    account: string,
    count: number,
  ): readonly {
    readonly share: Share;
    readonly boot: string;
    readonly monotonicMs: MonotonicMs;
    readonly serverMs: EpochMs | null;
  }[];
}

/** The clocks as the governor needs them. `boot` names the span in which monotonic times compare. */
export interface GovernorClock {
  readonly boot: string;
  now(): EpochMs;
  monotonicMs(): MonotonicMs;
}

/** How an account's budget comes about: from learned limits, or by the governor's own adaption. */
export interface BudgetSource {
  budget(now: MonotonicMs): readonly BudgetWindow[];
  learn(notes: AnswerNotes, now: MonotonicMs): void;
}

/** A spend on its way. `serverMs` of an earlier boot's attempt is null where the service's time was not known. */
interface Spent extends Attempt {
  at: MonotonicMs;
  readonly serverMs: EpochMs | null;
  readonly thisBoot: boolean;
}

/** A leave to send one request; to be settled whatever happens. */
export interface Leave {
  readonly attemptId: number;
  readonly note: (notes: AnswerNotes) => void;
  readonly settle: () => void;
}

export type LeaveVerdict =
  | { readonly kind: "go"; readonly leave: Leave }
  | { readonly kind: "wait"; readonly untilMs: MonotonicMs };

/** Attempts read back at a start; more than any day limit seen lets through. */
const READ_BACK = 10_000;
/** The service's clock never stands this far back: such an attempt was made under a simulated clock. */
const OTHER_TIMELINE_MS = HOUR_MS;
/** While the first answer of a process is on its way, others look again after this long. */
const FIRST_ANSWER_WAIT_MS = 1_000;

export class Governor {
  readonly #account: string;
  readonly #ledger: SpendLedger;
  readonly #clock: GovernorClock;
  readonly #source: BudgetSource;
  #attempts: Spent[];
  #inFlight = 0;
  #answeredOnce = false;
  /** The service's clock minus the monotonic one; never too large, since an answer is older than its arrival. */
  #serverOffsetMs: number | null = null;
  readonly #ceilings = new Map<QuotaWindow, Ceiling>();

  constructor(account: string, ledger: SpendLedger, clock: GovernorClock, source: BudgetSource) {
    this.#account = account;
    this.#ledger = ledger;
    this.#clock = clock;
    this.#source = source;
    this.#attempts = ledger.recent(account, READ_BACK).map((spent) => {
      const thisBoot = spent.boot === clock.boot;
      return { share: spent.share, at: thisBoot ? spent.monotonicMs : 0, serverMs: spent.serverMs, thisBoot };
    });
    this.#attempts.sort((a, b) => a.at - b.at);
    this.#forget(clock.monotonicMs());
  }

  /** The earliest moment a share may ask, seen from `now`; `now` itself for at once. */
  earliest(share: Share, now: MonotonicMs): MonotonicMs {
    this.#forget(now);
    if (!this.#answeredOnce && this.#inFlight > 0) return now + FIRST_ANSWER_WAIT_MS;
    return earliestAttempt(this.#attempts, share, this.#source.budget(now), [...this.#ceilings.values()], now);
  }

  /** Asks for leave. A `go` is spent and on disk when this returns. */
  request(share: Share, seriesId: number | null, range: Interval | null): LeaveVerdict {
    const monotonicMs = this.#clock.monotonicMs();
    const untilMs = this.earliest(share, monotonicMs);
    if (untilMs > monotonicMs) return { kind: "wait", untilMs };
    const serverMs = this.#serverOffsetMs === null ? null : monotonicMs + this.#serverOffsetMs + FLIGHT_MS;
    const spend = {
      account: this.#account,
      share,
      at: this.#clock.now(),
      boot: this.#clock.boot,
      monotonicMs,
      serverMs,
      seriesId,
      range,
    };
    const attemptId = this.#ledger.spend(spend);
    this.#attempts.push({ share, at: monotonicMs, serverMs, thisBoot: true });
    this.#inFlight++;
    return { kind: "go", leave: this.#leave(attemptId, monotonicMs) };
  }

  /** How many attempts of the last rolling day there are, by share. */
  spentToday(): Readonly<Record<Share, number>> {
    this.#forget(this.#clock.monotonicMs());
    const count = (share: Share) => this.#attempts.filter((attempt) => attempt.share === share).length;
    return { poll: count("poll"), lan: count("lan") };
  }

  #leave(attemptId: number, sentAt: MonotonicMs): Leave {
    let open = true;
    let noted: AnswerNotes | null = null;
    return {
      attemptId,
      note: (notes) => {
        noted = notes;
        this.#learn(notes, sentAt);
      },
      settle: () => {
        if (!open) return;
        open = false;
        this.#inFlight--;
        this.#ledger.settle(attemptId, noted?.status ?? 0, noted?.requestId ?? null, noted?.serverMs ?? null);
      },
    };
  }

  #learn(notes: AnswerNotes, sentAt: MonotonicMs): void {
    const now = this.#clock.monotonicMs();
    this.#answeredOnce = true;
    this.#source.learn(notes, now);
    if (notes.serverMs === null) return;
    this.#serverOffsetMs = notes.serverMs - now;
    this.#ageEarlierBoots(notes.serverMs, now);
    this.#lowerCeilings(notes.quota, notes.serverMs, sentAt, now);
  }

  /** With the service's time known, an attempt of an earlier boot may turn out older than this boot. */
  #ageEarlierBoots(serverNow: EpochMs, now: MonotonicMs): void {
    let moved = false;
    for (const attempt of this.#attempts) {
      if (attempt.thisBoot || attempt.serverMs === null) continue;
      const anotherTimeline = attempt.serverMs - serverNow > OTHER_TIMELINE_MS;
      const at = anotherTimeline
        ? Number.NEGATIVE_INFINITY
        : Math.min(attempt.at, now - (serverNow - attempt.serverMs));
      moved ||= at !== attempt.at;
      attempt.at = at;
    }
    if (moved) this.#attempts.sort((a, b) => a.at - b.at);
  }

  #lowerCeilings(quota: Partial<QuotaStanding>, serverNow: EpochMs, sentAt: MonotonicMs, now: MonotonicMs): void {
    for (const window of ["minute", "day"] as const) {
      const standing = quota[window];
      if (!standing) continue;
      const untilReset = standing.resetSec * 1_000 - serverNow + FLIGHT_MS;
      const longest = window === "day" ? 25 * HOUR_MS : 2 * FLIGHT_MS + 60_000;
      this.#ceilings.set(window, {
        remaining: Math.max(0, standing.remaining - (this.#inFlight - 1)),
        since: sentAt,
        until: now + Math.min(untilReset, longest),
      });
    }
  }

  #forget(now: MonotonicMs): void {
    const first = this.#attempts.findIndex((attempt) => attempt.at > now - DAY_WINDOW_MS);
    if (first > 0) this.#attempts = this.#attempts.slice(first);
    else if (first < 0) this.#attempts = [];
  }
}
