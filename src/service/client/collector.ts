/**
 * The loop that collects for one account: next step, do it, record it, tell.
 *
 * What to ask is decided in `core/timetable`; whether it may go out now, by the account. This file only carries out.
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
import { Gate } from "./gate.ts";
import { SharedFlights } from "./shared-flights.ts";

/** The service, as the collector needs it. */
export interface FetchPort {
  ask(step: FetchRequest): Promise<FetchResult | (FetchFailure & { readonly settled: boolean })>;
  notBefore(series: SeriesKey, priority: Priority, now: EpochMs): EpochMs;
}

/** The series store and the request log, as the collector needs them. */
export interface StorePort {
  stateOf(series: SeriesKey): SeriesState;
  /** Stores an answer and, with the last of it, that it was answered at `at`. Null where that cannot be written now. */
  keep(
    series: SeriesKey,
    range: Interval,
    rows: Rows,
    envelope: Envelope,
    at: EpochMs,
  ): Promise<{ readonly changed: boolean; readonly strayRows: number } | null>;
  /** Notes a request that is over without data to keep: the next regular time is soon enough. */
  noteAnswered(series: SeriesKey, at: EpochMs): void;
}

export type CollectorLog = Readonly<Record<"debug" | "info" | "warn", (facts: object, text: string) => void>>;

export interface CollectorDeps {
  readonly asking: FetchPort;
  /** Requests of the account in flight, the LAN's among them. */
  readonly flights?: SharedFlights;
  readonly keeping: StorePort;
  readonly targets: () => readonly CollectTarget[];
  readonly accountTargets: (now: EpochMs) => readonly AccountTarget[];
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly offsetMs: number;
  readonly historyFrom: (now: EpochMs) => EpochMs;
  /** Told of every answer that changed what is in storage. */
  readonly onChange: (series: SeriesKey) => void;
  readonly log: CollectorLog;
  /** The collectors of many accounts take their turns through it. */
  readonly gate?: Gate;
  /** Told when the loop turns and until when it sleeps. */
  readonly pulse?: Pick<LoopHeartbeat, "turn" | "sleep">;
}

/** A pause after a request that the rate limiter kept in although it seemed due; a bound against a spinning loop. */
const MIN_PAUSE_MS = 1_000;
/** A pause before an answer that could not be stored is tried again. */
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
  /** Names of series whose last answer had rows that nobody asked for. Bounded by the series. */
  readonly #straying = new Set<string>();
  /** An answer that could not be stored yet: it was paid for, and nothing else is asked before. */
  #unwritten: Unwritten | null = null;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
  }

  /** Looks again at once, for instance because the owner asked for a refresh. */
  wake(): void {
    this.#waker.wake();
  }

  /** Runs until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, pulse, gate = new Gate(1) } = this.#deps;
    while (!signal.aborted) {
      // In line behind others it may be as late as they are.
      pulse?.sleep(Number.POSITIVE_INFINITY);
      const until = await gate.pass(async () => {
        pulse?.turn();
        if (signal.aborted) return 0;
        return this.#unwritten ? this.#keep(this.#unwritten) : this.#takeStep();
      });
      if (until <= clock.now()) continue;
      pulse?.sleep(until);
      await this.#waker.sleep((wake) => clock.sleepUntil(until, wake), signal);
    }
  }

  /** Takes the next step. Returns the time until which to pause; the past for none. */
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
    if (step.kind === "sleep") return step.until;
    const { flights = new SharedFlights() } = this.#deps;
    const range = step.range ?? null;
    const other = flights.overlapping(step.series, range);
    if (!other) return flights.run(step.series, range, () => this.#carryOut(step));
    await other;
    return 0;
  }

  /** Asks and records. Returns the time until which to pause; the past for none. */
  async #carryOut(step: Asked): Promise<EpochMs> {
    const { asking, keeping, clock } = this.#deps;
    const outcome = await asking.ask(step);
    switch (outcome.kind) {
      case "answered":
        return this.#keep({ step, answer: outcome, at: clock.now() });
      case "withheld":
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
    const change = await keeping.keep(step.series, step.range ?? WHOLE, rows, envelope, at);
    if (!change) {
      this.#unwritten = asked;
      return clock.now() + UNWRITTEN_PAUSE_MS;
    }
    const series = seriesName(step.series);
    this.#tellStrays(series, change.strayRows);
    log.debug({ series, rows: rows.length, changed: change.changed, priority: step.priority }, "answered");
    if (step.priority === "backfill" && step.range) {
      const from = new Date(step.range.start).toISOString().slice(0, 10);
      log.info({ series, from, rows: rows.length }, "history filled");
    }
    // A part of it may have been stored the first time.
    if (change.changed || this.#unwritten) onChange(step.series);
    this.#unwritten = null;
    return 0;
  }

  /** Rows outside the range that was asked are told when they begin to come, and when they no longer do. */
  #tellStrays(series: string, rows: number): void {
    const { log } = this.#deps;
    if (rows > 0 && !this.#straying.has(series)) {
      this.#straying.add(series);
      log.warn({ series, rows }, "rows outside the range that was asked are left out");
    } else if (rows === 0 && this.#straying.delete(series)) log.info({ series }, "no more rows outside the range");
  }
}
