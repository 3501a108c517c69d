/** The collectors of all accounts: starts them, and follows accounts that come and go. */

import type { Clock } from "../core/runtime/clock.ts";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { Account } from "../service/client/account.ts";
import { Semaphore } from "../service/client/semaphore.ts";
import { consumerTargets } from "../service/contract/polled-series.ts";
import type { Accounts } from "./accounts/accounts.ts";
import type { ChangeBus } from "./change-bus.ts";
import { Collector, type CollectorLog } from "./collector.ts";
import type { Homes } from "./homes.ts";
import type { Places } from "./places/places.ts";
import type { RuntimeStats } from "./runtime-stats.ts";
import type { SeriesRepository } from "./series-repository.ts";

export interface CollectorsDeps {
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly homes: Homes;
  readonly places: Places;
  readonly repository: SeriesRepository;
  readonly stats: RuntimeStats;
  readonly changes: ChangeBus;
  readonly log: CollectorLog;
  readonly historyFrom: (now: EpochMs) => EpochMs;
  /** Returns whether the time is possible. If not, nothing is requested. */
  readonly isTimePossible: (now: EpochMs) => boolean;
  /** Time offset of this installation, below MAX_OFFSET_MS. */
  readonly offsetMs: number;
  readonly maxOffsetMs: number;
  readonly signal: AbortSignal;
}

interface Collecting {
  readonly collector: Collector;
  /** Fires when the account or the daemon ends. */
  readonly lifetime: AbortSignal;
  readonly end: AbortController;
}

/** Maximum number of scheduled requests in flight, of all accounts together. */
const MAX_POLLING = 3;

export class Collectors {
  readonly #deps: CollectorsDeps;
  readonly #polling = new Semaphore(MAX_POLLING);
  readonly #collecting = new Map<Account, Collecting>();
  readonly #running = new Set<Promise<void>>();
  #isRunning = false;

  constructor(deps: CollectorsDeps) {
    this.#deps = deps;
    this.follow();
  }

  /** Makes every account, or those with these names, check at once which requests are due. */
  refresh(only?: ReadonlySet<string>): void {
    for (const [{ name }, { collector }] of this.#collecting) if (only?.has(name) ?? true) collector.wake();
  }

  /** Starts the collectors of new accounts and ends those of removed ones. */
  follow(): void {
    const { all } = this.#deps.accounts;
    for (const [account, { end }] of this.#collecting) {
      if (all.includes(account)) continue;
      end.abort();
      this.#collecting.delete(account);
    }
    for (const [i, account] of all.entries()) {
      if (this.#collecting.has(account)) continue;
      const collecting = this.#open(account, i);
      this.#collecting.set(account, collecting);
      if (this.#isRunning) this.#start(collecting);
    }
  }

  run(): void {
    this.#isRunning = true;
    for (const collecting of this.#collecting.values()) this.#start(collecting);
  }

  /** Resolves when every collector has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #start({ collector, lifetime }: Collecting): void {
    const loop = collector.run(lifetime).finally(() => this.#running.delete(loop));
    this.#running.add(loop);
  }

  #open(account: Account, i: number): Collecting {
    const { accounts, homes, places, repository, stats, changes, clock, isTimePossible, signal } = this.#deps;
    const { calendar, historyFrom, log, offsetMs, maxOffsetMs } = this.#deps;
    const isThirdParty = account === accounts.thirdParty;
    const end = new AbortController();
    const lifetime = AbortSignal.any([signal, end.signal]);
    const collector = new Collector({
      calendar,
      clock,
      historyFrom,
      log,
      semaphore: this.#polling,
      // Distributes the accounts over the range of offsets that installations use.
      offsetMs: (offsetMs + Math.floor((i * maxOffsetMs) / accounts.all.length)) % maxOffsetMs,
      account,
      repository,
      targets: () => (isThirdParty || !isTimePossible(clock.now()) ? [] : homes.targets(account.name)),
      accountTargets(now) {
        if (!isThirdParty) return consumerTargets(account.name);
        return isTimePossible(now) ? places.targets(now) : [];
      },
      onChange: (series) => changes.seriesChanged.emit(series),
      heartbeat: stats.heartbeat(`collecting ${account.name}`, lifetime),
    });
    return { collector, lifetime, end };
  }
}
