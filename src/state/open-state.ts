/** Opens the current state: accounts, homes, places, prices and usage, and the loops that keep them current. */

import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config/schema.ts";
import { type LevelThresholds, thresholdsOf } from "../core/prices/level.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { shardOfConfig } from "../core/sharding/shard.ts";
import type { DaemonState } from "../core/status/daemon-status.ts";
import { Problems } from "../core/status/problem.ts";
import { RELEASED_AT } from "../core/status/version.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { DAY_MS, type EpochMs, MINUTE_MS } from "../core/time/interval.ts";
import type { Account } from "../service/client/account.ts";
import { Collector, type CollectorLog } from "../service/client/collector.ts";
import type { Service, ServiceOptions } from "../service/client/open-service.ts";
import { Semaphore } from "../service/client/semaphore.ts";
import { consumerTargets } from "../service/contract/polled-series.ts";
import { serviceCalendar } from "../service/service-calendar.ts";
import { flawOfUpload } from "../storage/file-check.ts";
import { type Storage, type StorageOptions, transitionsIn } from "../storage/open-storage.ts";
import { historyStart } from "../storage/retention.ts";
import { WriteRecoveryLoop } from "../storage/write-recovery-loop.ts";
import { type Accounts, fetchPortOf, openAccounts, THIRD_PARTY } from "./accounts.ts";
import type { ChangeBus } from "./change-bus.ts";
import { ClockGuard } from "./clock-guard.ts";
import { DaemonStates } from "./daemon-status.ts";
import { DataDirWatch } from "./data-dir-watch.ts";
import { HeapWatch } from "./heap-watch.ts";
import { Homes } from "./homes.ts";
import { DAMAGED_VALUES, NightlyMaintenance, reportRecovery } from "./nightly-maintenance.ts";
import { Places } from "./places.ts";
import { HomeReader } from "./price-reader.ts";
import { RefusedFiles } from "./refused-files.ts";
import { RuntimeStats } from "./runtime-stats.ts";
import { SeriesRepository } from "./series-repository.ts";
import { SharedAccounts } from "./shared-accounts.ts";

export interface StateOptions extends StorageOptions, ServiceOptions {
  readonly config: Config;
  readonly clock: Clock;
  /** True if the clock is simulated. Such a clock is always trusted. */
  readonly simulatedTime: boolean;
  readonly log: CollectorLog;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Fires when the daemon stops. */
  readonly signal: AbortSignal;
}

export interface State {
  readonly startedAt: EpochMs;
  readonly calendar: Calendar;
  readonly thresholds: LevelThresholds;
  readonly problems: Problems;
  readonly stats: RuntimeStats;
  readonly repository: SeriesRepository;
  readonly accounts: Accounts;
  readonly homes: Homes;
  readonly places: Places;
  readonly homeReader: HomeReader;
  /** Returns whether the clock is plausible; if not, no price signal is ON. */
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  /** Starts or ends the problem of a wrong clock. Returns when to call it again; infinity if it need not be called. */
  readonly checkClock: (now: EpochMs) => EpochMs;
  /** Starts or ends the problems of a missing data directory and of too little memory. */
  readonly checkMachine: (now: EpochMs) => void;
  /** Reads the state of the daemon at `now`, in slices. */
  readonly daemonState: (now: EpochMs) => Promise<DaemonState>;
  /** Makes every account, or those with these names, check at once which requests are due. */
  readonly refresh: (accounts?: ReadonlySet<string>) => void;
  /** Applies accounts, homes and levels of a new configuration. Those that it omits end. */
  readonly configure: (next: Config) => void;
  /** Makes the copy of the database now. Returns the reason of a failure; null on success. */
  readonly copyNow: () => Promise<string | null>;
  /** Returns why an uploaded file cannot replace the database; null if it can. */
  readonly flawOfUpload: (file: string) => Promise<string | null>;
  readonly run: () => void;
  /** Waits for the loops and writes the pending entries of the request log. */
  readonly close: () => Promise<void>;
}

/** Range of the random time offset of an installation, so that not all ask in the same second. */
const MAX_OFFSET_MS = 8 * MINUTE_MS;

/** Maximum number of scheduled requests in flight, of all accounts together. */
const MAX_POLLING = 3;

type Basics = Pick<State, "startedAt" | "calendar" | "thresholds" | "problems" | "stats" | "repository">;

/** Opens the state. Sends no request before `run`. */
export function openState(options: StateOptions, storage: Storage, service: Service, changes: ChangeBus): State {
  const { config, clock, simulatedTime, random, signal, log, proxy = null } = options;
  const basics = openBasics(options, storage, changes);
  const { startedAt, calendar, thresholds, problems, repository, stats } = basics;
  const guard = new ClockGuard({
    // A simulated clock is always trusted.
    releasedAt: simulatedTime ? Number.NEGATIVE_INFINITY : RELEASED_AT,
    lastServerMs: simulatedTime ? null : repository.requestLog.serverTime(),
    serverTimeInBoot: simulatedTime ? null : repository.requestLog.serverTimeOf(clock.boot),
    clock,
    onDoubt: () => void askForTime(accounts.all[0]),
  });
  const isTimeTrusted = (now: EpochMs) => guard.trusted(now);
  const checkClock = (now: EpochMs) => guard.report(problems, now);
  const dataDir = new DataDirWatch(storage.databasePath);
  const heap = new HeapWatch();
  const shared = new SharedAccounts(shardOfConfig(config), storage.settings);
  const refused = new RefusedFiles(problems);
  refused.report(config.accounts?.refused, startedAt);
  const accounts = openAccounts({
    ...{ config, service, repository, clock, problems, random, proxy, signal },
    settings: storage.settings,
    spendsUnknown: storage.recovery !== null,
    spendsElsewhere: (account) => shared.isNew(account),
    onServerTime(serverMs) {
      if (simulatedTime) return;
      guard.note(serverMs, clock.now());
      checkClock(clock.now());
    },
    onSpent(account, operation, outcome) {
      stats.asked.add(account, operation, outcome);
      log.debug({ account, operation, outcome }, "asked");
      // The collector waits for the end of the pause, also if a LAN client caused it.
      if (outcome === "429") loops.refresh(new Set([account]));
    },
  });
  shared.keep(accounts.all);
  const homes = new Homes(namesOf(accounts.consumers), config.homes, repository, storage.settings);
  const homeReader = new HomeReader({
    ...{ calendar, thresholds, store: repository.store, memory: storage.settings },
    costField: config.service.cost_field,
  });
  const places = new Places({ config, repository, calendar, memory: storage.settings, thresholds });
  changes.seriesChanged.subscribe((series) => {
    homeReader.changed(series);
    const ofAccount = series.operation === "addresses" ? homes.of(series.account) : [];
    for (const { id } of ofAccount) changes.stateChanged.emit({ home: id });
    changes.stateChanged.emit({ home: homes.at(series.place)?.id ?? null });
  });
  const historyFrom = (now: EpochMs) => historyStartOf(config, calendar, now);
  const state = { ...basics, accounts, homes, homeReader, places };
  const daemonStates = new DaemonStates({ ...state, historyFrom });
  const isTimePossible = (now: EpochMs) => guard.isPossible(now);
  const loops = openLoops(options, storage, changes, { ...state, historyFrom, isTimePossible });
  storage.writing.onDamage((what) => {
    log.warn({ what }, "stored data is damaged; ignoring it");
    problems.start({ code: "values_damaged", subject: DAMAGED_VALUES, since: clock.now(), detail: what });
    loops.refresh();
  });
  if (storage.recovery) reportRecovery(storage.recovery, problems, clock.now());
  return {
    ...state,
    ...loops,
    configure(next) {
      refused.report(next.accounts?.refused, clock.now());
      accounts.configure(next);
      shared.keep(accounts.all);
      const levelsChanged = !isDeepStrictEqual(thresholds, thresholdsOf(next.levels));
      // Changed in place, because other modules hold this object.
      Object.assign(thresholds, thresholdsOf(next.levels));
      const changed = homes.configure(namesOf(accounts.consumers), next.homes);
      for (const home of changed) homeReader.forget(home);
      loops.follow();
      if (changed.length > 0) loops.refresh(new Set(changed.map(({ account }) => account)));
      for (const id of levelsChanged ? homes.ids : changed.map(({ id }) => id)) changes.stateChanged.emit({ home: id });
      changes.stateChanged.emit({ home: null });
    },
    isTimeTrusted,
    checkClock,
    checkMachine(now) {
      dataDir.report(problems, now);
      heap.report(problems, Math.max(homes.ids.size, accounts.consumers.length), now);
    },
    daemonState: (now) => daemonStates.at(now),
  };
}

function openBasics({ config, clock, log }: StateOptions, storage: Storage, changes: ChangeBus): Basics {
  const stats = new RuntimeStats(clock);
  const calendar = serviceCalendar(transitionsIn(storage.settings));
  const problems = new Problems((problem, state) => changes.problem.emit({ problem, state }));
  changes.problem.subscribe(({ problem, state }) => {
    stats.problems.note(problem, state, clock.now());
    const { code, subject, detail, advice, requestId } = problem;
    if (state === "started") log.warn({ code, subject, detail, requestId }, `problem: ${advice}`);
    else log.info({ code, subject }, "problem ended");
    changes.stateChanged.emit({ home: null });
  });
  return {
    ...{ stats, calendar, problems },
    startedAt: clock.now(),
    thresholds: thresholdsOf(config.levels),
    repository: new SeriesRepository(storage.database, calendar, () => clock.now(), storage.writing),
  };
}

function namesOf(accounts: readonly { readonly name: string }[]): string[] {
  return accounts.map(({ name }) => name);
}

interface LoopDeps
  extends Omit<State, "isTimeTrusted" | "checkClock" | "checkMachine" | "daemonState" | "configure" | keyof Loops> {
  readonly historyFrom: (now: EpochMs) => EpochMs;
  readonly isTimePossible: (now: EpochMs) => boolean;
}

/** `follow` starts the loops of new accounts and ends those of removed ones. */
type Loops = Pick<State, "refresh" | "copyNow" | "flawOfUpload" | "run" | "close"> & { readonly follow: () => void };

/** The collector of an account. */
interface Collecting {
  readonly collector: Collector;
  /** Fires when the account or the daemon ends. */
  readonly lifetime: AbortSignal;
  readonly end: AbortController;
}

/** Creates the loops that fetch, maintain the database and retry failed writes. */
function openLoops(options: StateOptions, storage: Storage, changes: ChangeBus, state: LoopDeps): Loops {
  const { config, clock, random, log, signal } = options;
  const { calendar, problems, repository, accounts, homes, places, historyFrom, isTimePossible, stats } = state;
  const { settings } = storage;
  const kept = Number(settings.once("offset_ms", () => String(Math.floor(random() * MAX_OFFSET_MS))));
  const offsetMs = kept >= 0 && kept <= MAX_OFFSET_MS ? kept : 0;
  const polling = new Semaphore(MAX_POLLING);
  const open = (account: Account, i: number): Collecting => {
    const isThirdParty = account === accounts.thirdParty;
    const end = new AbortController();
    const lifetime = AbortSignal.any([signal, end.signal]);
    const collector = new Collector({
      ...{ calendar, clock, historyFrom, log, semaphore: polling },
      // Distributes the accounts over the range of offsets that installations use.
      offsetMs: (offsetMs + Math.floor((i * MAX_OFFSET_MS) / accounts.all.length)) % MAX_OFFSET_MS,
      asking: fetchPortOf(account, repository),
      flights: account.flights,
      keeping: repository,
      targets: () => (isThirdParty || !isTimePossible(clock.now()) ? [] : homes.targets(account.name)),
      accountTargets(now) {
        if (!isThirdParty) return consumerTargets(account.name);
        return isTimePossible(now) ? places.targets(now) : [];
      },
      onChange: (series) => changes.seriesChanged.emit(series),
      heartbeat: stats.heartbeat(`collecting ${account.name}`, lifetime),
    });
    return { collector, lifetime, end };
  };
  const collecting = new Map(accounts.all.map((account, i) => [account, open(account, i)]));
  const refresh = (only?: ReadonlySet<string>) => {
    for (const [{ name }, { collector }] of collecting) if (only?.has(name) ?? true) collector.wake();
  };
  const years = config.retention.years;
  const maintenance = new NightlyMaintenance({ ...storage, ...state, clock, years, offsetMs, log });
  const writeRecovery = new WriteRecoveryLoop({ writing: storage.writing, clock, problems, onRecovered: refresh });
  const running = new Set<Promise<void>>();
  const start = ({ collector, lifetime }: Collecting) => {
    const loop = collector.run(lifetime).finally(() => running.delete(loop));
    running.add(loop);
  };
  let isRunning = false;
  return {
    refresh,
    follow() {
      const present = new Set(accounts.all);
      for (const [account, { end }] of collecting) {
        if (present.has(account)) continue;
        end.abort();
        collecting.delete(account);
      }
      for (const [i, account] of accounts.all.entries()) {
        if (collecting.has(account)) continue;
        const each = open(account, i);
        collecting.set(account, each);
        if (isRunning) start(each);
      }
    },
    copyNow: () => maintenance.copy(signal),
    flawOfUpload: (file) => flawOfUpload(file, { node: process.execPath, signal }),
    run() {
      isRunning = true;
      for (const loop of [maintenance, writeRecovery]) running.add(loop.run(signal));
      for (const each of collecting.values()) start(each);
    },
    async close() {
      await Promise.all(running);
      repository.close();
    },
  };
}

/** Sends one small request, because its response contains the service's time. Other data of the response is not used. */
async function askForTime(account: Account | undefined): Promise<void> {
  const operation = account?.name === THIRD_PARTY ? "requestCounts" : "addresses";
  await account?.ask({ operation, params: {}, share: "prices", seriesId: null, range: null });
}

/** Returns where the back-fill stops. Anything older than the kept years would be deleted again. */
function historyStartOf({ history, retention }: Config, calendar: Calendar, now: EpochMs): EpochMs {
  const wanted = now - Math.round((history.months * 365) / 12) * DAY_MS;
  return Math.max(wanted, historyStart(now, retention.years, calendar));
}
