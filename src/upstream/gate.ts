/** The error policy of one account at work: what is silent, until when, and why. */
import type { EpochMs } from "../core/interval.ts";
import type { Setback } from "../core/outcome.ts";
import { BREAKER_FAILURES, breakerWaitMs, judge, type Verdict } from "../core/policy.ts";
import type { MonotonicMs } from "../core/quota.ts";
import type { Memory } from "./budget.ts";
import type { GovernorClock } from "./governor.ts";

/** A scope that is silent until a moment, after `streak` setbacks of the same kind. */
interface Silence {
  readonly kind: string;
  readonly streak: number;
  readonly until: MonotonicMs;
}

/** The longest silence believed from a disk of an earlier boot. */
const LONGEST_KEPT_MS = 25 * 60 * 60 * 1_000;

export class Gate {
  readonly #memoryName: string;
  readonly #memory: Memory;
  readonly #clock: GovernorClock;
  readonly #random: () => number;
  #account: Silence | null;
  readonly #series = new Map<string, Silence>();
  #troubles = 0;
  #openings = 0;

  constructor(account: string, memory: Memory, clock: GovernorClock, random: () => number) {
    this.#memoryName = `silence/${account}`;
    this.#memory = memory;
    this.#clock = clock;
    this.#random = random;
    this.#account = this.#restore();
  }

  /** Until when nothing may be asked for a series. Unit: monotonic ms. */
  silentUntil(series: string): MonotonicMs {
    return Math.max(this.#account?.until ?? 0, this.#series.get(series)?.until ?? 0);
  }

  /** Takes note of a setback and says what follows. */
  setback(series: string, setback: Setback): Verdict {
    const kind = setback.kind === "refused" ? `${setback.status} ${setback.code ?? ""}` : setback.kind;
    const last = this.#series.get(series);
    const lastOfAccount = this.#account;
    const inScope = [lastOfAccount, last].find((silence) => silence?.kind === kind);
    const streak = inScope ? inScope.streak + 1 : 0;
    const verdict = judge(setback, streak, this.#random);
    const now = this.#clock.monotonicMs();
    const silence: Silence = { kind, streak, until: now + verdict.waitMs };
    if (verdict.scope === "account") this.#silence(silence);
    else this.#series.set(series, silence);
    if (verdict.trouble) this.#countTrouble(kind, streak, now);
    return verdict;
  }

  /** Takes note of an answer: its series and its account are well, but a silence that still lasts is kept. */
  success(series: string): void {
    this.#series.delete(series);
    if (this.#account && this.#account.until <= this.#clock.monotonicMs()) this.#account = null;
    this.#troubles = 0;
    this.#openings = 0;
  }

  #countTrouble(kind: string, streak: number, now: MonotonicMs): void {
    this.#troubles++;
    if (this.#troubles % BREAKER_FAILURES !== 0) return;
    this.#silence({ kind, streak, until: now + breakerWaitMs(this.#openings++) });
  }

  #silence(silence: Silence): void {
    if (silence.until < (this.#account?.until ?? 0)) return;
    this.#account = silence;
    const waitMs = silence.until - this.#clock.monotonicMs();
    const kept = {
      kind: silence.kind,
      streak: silence.streak,
      boot: this.#clock.boot,
      until: silence.until,
      wall: this.#clock.now() + waitMs,
    };
    this.#memory.write(this.#memoryName, JSON.stringify(kept));
  }

  /**
   * A silence outlives a restart. Within the same boot the monotonic time is exact; across boots the wall clock counts
   * the rest, and a clock that stands before the silence began makes it whole again at most once.
   */
  #restore(): Silence | null {
    const text = this.#memory.read(this.#memoryName);
    if (text === null) return null;
    const kept = JSON.parse(text) as { kind: string; streak: number; boot: string; until: MonotonicMs; wall: EpochMs };
    const now = this.#clock.monotonicMs();
    const restMs = kept.boot === this.#clock.boot ? kept.until - now : kept.wall - this.#clock.now();
    return restMs > 0 ? { kind: kept.kind, streak: kept.streak, until: now + Math.min(restMs, LONGEST_KEPT_MS) } : null;
  }
}
