/** Collects data for one account: asks for the next request, sends it, stores the response, reports changes. */

import { nextFetch } from "../core/fetching/fetch-schedule.ts";
import type { AccountTarget, CollectTarget, FetchRequest, Priority } from "../core/fetching/fetch-types.ts";
import type { Share } from "../core/fetching/rate-limit.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { LoopWaker } from "../core/runtime/loop-waker.ts";
import { type LoopOptions, runLoop } from "../core/runtime/run-loop.ts";
import { type Envelope, type Rows, type SeriesKey, seriesName, WHOLE } from "../core/series/series.ts";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { Account, AccountRequest } from "../service/client/account.ts";
import { Semaphore } from "../service/client/semaphore.ts";
import type { OperationId } from "../service/contract/operations.ts";
import { operationIdOf, paramsOf, takeApart } from "../service/contract/series-mapping.ts";
import type { SeriesRepository } from "./series-repository.ts";

export type CollectorLog = Readonly<Record<"debug" | "info" | "warn", (facts: object, text: string) => void>>;

export interface CollectorDeps {
  readonly account: Pick<Account, "ask" | "flights" | "notBefore" | "rest">;
  readonly repository: Pick<
    SeriesRepository,
    "doubtAddresses" | "idOf" | "keep" | "noteAnswered" | "stateOf" | "withStored"
  >;
  readonly targets: () => readonly CollectTarget[];
  readonly accountTargets: (now: EpochMs) => readonly AccountTarget[];
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly offsetMs: number;
  readonly historyFrom: (now: EpochMs) => EpochMs;
  /** Called for every response that changed the storage. */
  readonly onChange: (series: SeriesKey) => void;
  readonly log: CollectorLog;
  readonly semaphore?: Semaphore;
  readonly heartbeat?: LoopOptions["heartbeat"];
}

/** Minimum pause after a request that failed or that the rate limiter deferred; it prevents a busy loop. */
const MIN_PAUSE_MS = 1_000;
/** Pause before another attempt to store a response. */
const UNWRITTEN_PAUSE_MS = 30_000;

/** Response to a request of the schedule. */
interface Answer {
  readonly step: FetchRequest;
  readonly rows: Rows;
  readonly envelope: Envelope;
  readonly at: EpochMs;
  readonly isWhole: boolean;
}

export class Collector {
  readonly #deps: CollectorDeps;
  readonly #waker = new LoopWaker();
  /** Names of series whose last response had rows outside the requested range. Bounded by the series. */
  readonly #straying = new Set<string>();
  /** Response that could not be stored yet. Nothing else is requested before it is stored, because it used quota. */
  #unwritten: Answer | null = null;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
  }

  /** Ends the sleep, for example because the owner requested a refresh. */
  wake(): void {
    this.#waker.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, heartbeat, semaphore = new Semaphore(1) } = this.#deps;
    await runLoop({ clock, heartbeat, waker: this.#waker }, signal, () => {
      // While it waits for other collectors, the loop does not count as late.
      heartbeat?.sleep(Number.POSITIVE_INFINITY);
      return semaphore.pass(async () => {
        heartbeat?.turn();
        if (signal.aborted) return 0;
        return this.#unwritten ? this.#keep(this.#unwritten) : this.#takeStep();
      });
    });
  }

  /** Sends the next request. Returns the end of the pause after it; a past time for none. */
  async #takeStep(): Promise<EpochMs> {
    const { clock, account, repository, calendar, offsetMs } = this.#deps;
    const now = clock.now();
    const step = nextFetch({
      now,
      calendar,
      offsetMs,
      targets: this.#deps.targets(),
      accountTargets: this.#deps.accountTargets(now),
      stateOf: (series) => repository.stateOf(series),
      notBefore({ series, priority }, ownTime) {
        const request = {
          operation: operationIdOf(series),
          params: paramsOf(series, undefined),
          share: shareOf(priority),
        };
        return account.notBefore(request, now, ownTime);
      },
      historyFrom: this.#deps.historyFrom(now),
    });
    if (step.kind === "sleep") return Math.min(step.until, account.rest(step.heldUntil, now));
    const range = step.range ?? null;
    const other = account.flights.overlapping(step.series, range);
    if (!other) return account.flights.run(step.series, range, () => this.#carryOut(step));
    await other;
    return 0;
  }

  /** Sends a request and stores the response. Returns the end of the pause after it; a past time for none. */
  async #carryOut(step: FetchRequest): Promise<EpochMs> {
    const { account, repository, clock } = this.#deps;
    const reply = await account.ask(requestOf(step, repository));
    switch (reply.kind) {
      case "ok": {
        const { rows, envelope } = takeApart(operationIdOf(step.series), reply.body);
        const at = clock.now();
        const allRows = repository.withStored(step.series, rows, { dropped: reply.dropped, at });
        return this.#keep({ step, rows: allRows, envelope, at, isWhole: !reply.dropped });
      }
      case "deferred":
        return Math.max(reply.until, clock.now() + MIN_PAUSE_MS);
      default:
        if (reply.kind === "refused" && reply.status === 404 && step.series.place !== "")
          repository.doubtAddresses(step.series.account, clock.now());
        if (reply.settled) repository.noteAnswered(step.series, clock.now());
        return clock.now() + MIN_PAUSE_MS;
    }
  }

  async #keep(answer: Answer): Promise<EpochMs> {
    const { repository, clock, log, onChange } = this.#deps;
    const { step, rows } = answer;
    const change = await repository.keep(step.series, step.range ?? WHOLE, answer);
    if (!change) {
      this.#unwritten = answer;
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

/** Returns a request of the schedule as the account sends it. */
export function requestOf(
  { series, range, priority }: FetchRequest,
  repository: Pick<SeriesRepository, "idOf">,
): AccountRequest<OperationId> {
  const [share, seriesId] = [shareOf(priority), repository.idOf(series)];
  return { operation: operationIdOf(series), params: paramsOf(series, range), share, seriesId, range: range ?? null };
}

/** Returns the share of the quota. Prices may use all of it; back-fill leaves room for all other scheduled requests. */
export function shareOf(priority: Priority): Share {
  if (priority === "today" || priority === "tomorrow") return "prices";
  return priority === "backfill" ? "backfill" : "poll";
}
