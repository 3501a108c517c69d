/**
 * Loop that collects data for one account: gets the next request, sends it, stores the response and reports changes.
 *
 * `core/fetching/fetch-schedule.ts` decides what to request, the account whether it may be sent now.
 */

import type { Answered, FetchFailure, FetchResult } from "../../core/fetching/fetch-outcome.ts";
import { nextFetch } from "../../core/fetching/fetch-schedule.ts";
import type {
  AccountTarget,
  CollectTarget,
  FetchRequest,
  Priority,
  SeriesState,
} from "../../core/fetching/fetch-types.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import type { LoopHeartbeat } from "../../core/runtime/loop-heartbeat.ts";
import { LoopWaker } from "../../core/runtime/loop-waker.ts";
import { type Envelope, type Rows, type SeriesKey, seriesName, WHOLE } from "../../core/series/series.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { EpochMs, Interval } from "../../core/time/interval.ts";
import { Semaphore } from "./semaphore.ts";
import { SharedFlights } from "./shared-flights.ts";

/** Interface to the service. */
export interface FetchPort {
  ask(step: FetchRequest): Promise<FetchResult | (FetchFailure & { readonly settled: boolean })>;
  notBefore(series: SeriesKey, priority: Priority, now: EpochMs): EpochMs;
  /**
   * Called when nothing can be sent. `heldUntil` is the end of the pause of a due request, null without one. Returns
   * when to call it again; infinity if it need not be called.
   */
  rest?(heldUntil: EpochMs | null, now: EpochMs): EpochMs;
}

/** Interface to the series store and the request log. */
export interface StorePort {
  stateOf(series: SeriesKey): SeriesState;
  /**
   * Stores a response and, with its last part, that it was answered at `at`. Resolves to null if it cannot be written
   * now.
   */
  keep(
    series: SeriesKey,
    range: Interval,
    answer: { readonly rows: Rows; readonly envelope: Envelope; readonly at: EpochMs },
  ): Promise<{ readonly changed: boolean; readonly strayRows: number } | null>;
  /** Records a request that ended without data, so that it waits for its next regular time. */
  noteAnswered(series: SeriesKey, at: EpochMs): void;
}

export type CollectorLog = Readonly<Record<"debug" | "info" | "warn", (facts: object, text: string) => void>>;

export interface CollectorDeps {
  readonly asking: FetchPort;
  /** Requests of the account in flight, including those of the LAN. */
  readonly flights?: SharedFlights;
  readonly keeping: StorePort;
  readonly targets: () => readonly CollectTarget[];
  readonly accountTargets: (now: EpochMs) => readonly AccountTarget[];
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly offsetMs: number;
  readonly historyFrom: (now: EpochMs) => EpochMs;
  /** Called for every response that changed the storage. */
  readonly onChange: (series: SeriesKey) => void;
  readonly log: CollectorLog;
  /** Limits how many collectors run at a time. */
  readonly semaphore?: Semaphore;
  /** Notified when the loop works and until when it sleeps. */
  readonly heartbeat?: Pick<LoopHeartbeat, "turn" | "sleep">;
}

/** Minimum pause after a request that failed or that the rate limiter deferred; it prevents a busy loop. */
const MIN_PAUSE_MS = 1_000;
/** Pause before another attempt to store a response. */
const UNWRITTEN_PAUSE_MS = 30_000;

type Asked = Exclude<FetchRequest, { readonly kind: "sleep" }>;

interface Unwritten {
  readonly step: Asked;
  readonly answer: Answered;
  readonly at: EpochMs;
}

export class Collector {
  readonly #deps: CollectorDeps;
  readonly #waker = new LoopWaker();
  /** Names of series whose last response had rows outside the requested range. Bounded by the series. */
  readonly #straying = new Set<string>();
  /** Response that could not be stored yet. Nothing else is requested before it is stored, because it used quota. */
  #unwritten: Unwritten | null = null;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
  }

  /** Ends the sleep, for example because the owner requested a refresh. */
  wake(): void {
    this.#waker.wake();
  }

  /** Runs until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, heartbeat, semaphore = new Semaphore(1) } = this.#deps;
    while (!signal.aborted) {
      // While it waits for other collectors, the loop does not count as late.
      heartbeat?.sleep(Number.POSITIVE_INFINITY);
      const until = await semaphore.pass(async () => {
        heartbeat?.turn();
        if (signal.aborted) return 0;
        return this.#unwritten ? this.#keep(this.#unwritten) : this.#takeStep();
      });
      if (until <= clock.now()) continue;
      heartbeat?.sleep(until);
      await this.#waker.sleep((wake) => clock.sleepUntil(until, wake), signal);
    }
  }

  /** Sends the next request. Returns the end of the pause after it; a past time for none. */
  async #takeStep(): Promise<EpochMs> {
    const { clock, asking, keeping, calendar, offsetMs } = this.#deps;
    const now = clock.now();
    const step = nextFetch({
      now,
      calendar,
      offsetMs,
      targets: this.#deps.targets(),
      accountTargets: this.#deps.accountTargets(now),
      stateOf: (series) => keeping.stateOf(series),
      notBefore: (series, priority) => asking.notBefore(series, priority, now),
      historyFrom: this.#deps.historyFrom(now),
    });
    if (step.kind === "sleep") return Math.min(step.until, asking.rest?.(step.heldUntil, now) ?? step.until);
    const { flights = new SharedFlights() } = this.#deps;
    const range = step.range ?? null;
    const other = flights.overlapping(step.series, range);
    if (!other) return flights.run(step.series, range, () => this.#carryOut(step));
    await other;
    return 0;
  }

  /** Sends a request and stores the response. Returns the end of the pause after it; a past time for none. */
  async #carryOut(step: Asked): Promise<EpochMs> {
    const { asking, keeping, clock } = this.#deps;
    const outcome = await asking.ask(step);
    switch (outcome.kind) {
      case "answered":
        return this.#keep({ step, answer: outcome, at: clock.now() });
      case "deferred":
        return Math.max(outcome.until, clock.now() + MIN_PAUSE_MS);
      case "refused":
      case "malformed":
      case "unreachable":
        if ("settled" in outcome && outcome.settled) keeping.noteAnswered(step.series, clock.now());
        return clock.now() + MIN_PAUSE_MS;
    }
  }

  async #keep(asked: Unwritten): Promise<EpochMs> {
    const { keeping, clock, log, onChange } = this.#deps;
    const { step, answer, at } = asked;
    const { rows, envelope } = answer;
    const change = await keeping.keep(step.series, step.range ?? WHOLE, { rows, envelope, at });
    if (!change) {
      this.#unwritten = asked;
      return clock.now() + UNWRITTEN_PAUSE_MS;
    }
    const series = seriesName(step.series);
    this.#reportStrays(series, change.strayRows);
    log.debug({ series, rows: rows.length, changed: change.changed, priority: step.priority }, "answered");
    if (step.priority === "backfill" && step.range) {
      const from = new Date(step.range.start).toISOString().slice(0, 10);
      log.info({ series, from, rows: rows.length }, "history filled");
    }
    // A part of the response may have been stored by the first attempt.
    if (change.changed || this.#unwritten) onChange(step.series);
    this.#unwritten = null;
    return 0;
  }

  /** Logs rows outside the requested range when they first occur and when they stop. */
  #reportStrays(series: string, rows: number): void {
    const { log } = this.#deps;
    if (rows > 0 && !this.#straying.has(series)) {
      this.#straying.add(series);
      log.warn({ series, rows }, "the service returned rows outside the requested range; ignoring them");
    } else if (rows === 0 && this.#straying.delete(series))
      log.info({ series }, "the service no longer returns rows outside the requested range");
  }
}
