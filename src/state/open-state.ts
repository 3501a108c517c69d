/** Opens the current state: accounts, homes, places, prices and usage, and the loops that keep them current. */

import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config/schema/schema.ts";
import { message } from "../core/language/text.ts";
import type { Home } from "../core/prices/home-snapshot.ts";
import { type LevelThresholds, thresholdsOf } from "../core/prices/level.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { SeriesKey } from "../core/series/series.ts";
import { shardOfConfig } from "../core/sharding/shard.ts";
import type { DaemonState } from "../core/status/daemon-status.ts";
import { Problems, setProblem } from "../core/status/problem.ts";
import { RELEASED_AT } from "../core/status/version.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { DAY_MS, type EpochMs, formatInstant } from "../core/time/interval.ts";
import { MAX_OFFSET_MS } from "../core/time/schedule-slots.ts";
import type { Account } from "../service/client/account.ts";
import type { Service, ServiceOptions } from "../service/client/open-service.ts";
import { serviceCalendar } from "../service/service-calendar.ts";
import { type Storage, type StorageOptions, transitionsIn } from "../storage/open-storage.ts";
import { importUpload } from "../storage/recovery/import-copy.ts";
import type { RequestLog, TriedAttempt } from "../storage/request-log.ts";
import { historyStart } from "../storage/retention.ts";
import { WriteRecoveryLoop } from "../storage/write-recovery-loop.ts";
import { type Accounts, openAccounts } from "./accounts/accounts.ts";
import { THIRD_PARTY } from "./accounts/open-account.ts";
import { RefusedFiles } from "./accounts/refused-files.ts";
import { SharedAccounts } from "./accounts/shared-accounts.ts";
import type { ChangeBus } from "./change-bus.ts";
import { ClockGuard } from "./clock-guard.ts";
import type { CollectorLog } from "./collector.ts";
import { Collectors, type CollectorsDeps } from "./collectors.ts";
import { DaemonStates } from "./daemon-status.ts";
import { DataDirWatch } from "./data-dir-watch.ts";
import { HeapWatch } from "./heap-watch.ts";
import { Homes } from "./homes.ts";
import { DAMAGED_VALUES, NightlyMaintenance, reportRecovery } from "./nightly-maintenance.ts";
import { Places } from "./places/places.ts";
import { HomeReader } from "./price-reader.ts";
import { RuntimeStats } from "./runtime-stats.ts";
import { SeriesRepository } from "./series-repository.ts";

export interface StateOptions extends StorageOptions, ServiceOptions {
  readonly config: Config;
  readonly clock: Clock;
  /** True if the clock is simulated. Such a clock is always trusted. */
  readonly simulatedTime: boolean;
  readonly log: CollectorLog;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Requests of the set-up of this home, which count for its accounts. */
  readonly tried?: readonly TriedAttempt[];
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
  /** See `Homes.endFormer`. Returns whether it was possible. */
  readonly endFormer: (id: string, to: string | null) => boolean;
  /** Applies accounts, homes and levels of a new configuration. Those that it omits end. */
  readonly configure: (next: Config) => void;
  /** Makes the copy of the database now. Returns the reason of a failure; null on success. */
  readonly copyNow: () => Promise<string | null>;
  /** Imports an uploaded file into a new database. Returns why it cannot be used; null if it is imported. */
  readonly importUpload: (file: string, target: string) => Promise<string | null>;
  readonly run: () => void;
  /** Waits for the loops and writes the pending entries of the request log. */
  readonly close: () => Promise<void>;
}

type Basics = Pick<State, "startedAt" | "calendar" | "thresholds" | "problems" | "stats" | "repository">;

/** Opens the state. Sends no request before `run`. */
export function openState(options: StateOptions, storage: Storage, service: Service, changes: ChangeBus): State {
  const { config, clock, log } = options;
  const basics = openBasics(options, storage, changes);
  const { startedAt, calendar, problems, repository } = basics;
  repository.requestLog.take(options.tried ?? []);
  const guard = clockGuardOf(options, repository.requestLog, () => void askForTime(accounts.all[0]));
  const checkClock = (now: EpochMs) => guard.report(problems, now);
  const dataDir = new DataDirWatch(storage.databasePath);
  const heap = new HeapWatch();
  const refused = new RefusedFiles(problems);
  refused.report(config.accounts?.refused, startedAt);
  const shared = new SharedAccounts(shardOfConfig(config), storage.settings);
  const accounts = openAccounts({
    ...options,
    service,
    repository,
    calendar,
    problems,
    settings: storage.settings,
    spendsUnknown: storage.recovery !== null,
    spendsElsewhere: (account) => shared.isNew(account),
    onServerTime(serverMs) {
      if (options.simulatedTime) return;
      guard.note(serverMs, clock.now());
      checkClock(clock.now());
    },
    onSpent(account, operation, outcome) {
      basics.stats.asked.add(account, operation, outcome);
      log.debug({ account, operation, outcome }, "asked");
      // The collector waits for the end of the pause, also if a LAN client caused it.
      if (outcome === "429") loops.refresh(new Set([account]));
    },
  });
  shared.keep(accounts.all);
  const historyFrom = (now: EpochMs) => historyStartOf(config, calendar, now);
  const state = { ...basics, accounts, ...openHomes(options, storage, basics, accounts) };
  emitHomeChanges(state, changes, clock);
  const daemonStates = new DaemonStates({ ...state, historyFrom });
  const isTimePossible = (now: EpochMs) => guard.isPossible(now);
  const loops = openLoops(options, storage, { ...state, changes, historyFrom, isTimePossible });
  reportDamage(options, storage, problems, () => loops.refresh());
  return {
    ...state,
    ...loops,
    configure(next) {
      refused.report(next.accounts?.refused, clock.now());
      accounts.configure(next);
      shared.keep(accounts.all);
      loops.follow(configureHomes(state, next, changes));
    },
    endFormer: (id, to) => endFormer(state, changes, { id, to }),
    isTimeTrusted: (now) => guard.trusted(now),
    checkClock,
    checkMachine(now) {
      dataDir.report(problems, now);
      heap.report(problems, Math.max(state.homes.ids.size, accounts.consumers.length), now);
    },
    daemonState: (now) => daemonStates.at(now),
  };
}

/** Opens the homes, the places, and the reader of their prices. */
function openHomes(
  { config }: StateOptions,
  { settings: memory }: Storage,
  { calendar, thresholds, repository }: Basics,
  accounts: Accounts,
): Pick<State, "homes" | "homeReader" | "places"> {
  const names = accounts.consumers.map(({ name }) => name);
  const { store, doubtful } = repository;
  return {
    homes: new Homes(names, config.homes, repository, memory),
    homeReader: new HomeReader({ calendar, thresholds, store, doubtful, memory, costField: config.service.cost_field }),
    places: new Places({ config, repository, calendar, memory, thresholds }),
  };
}

function reportDamage({ clock, log }: StateOptions, storage: Storage, problems: Problems, refresh: () => void): void {
  storage.writing.onDamage((what) => {
    log.warn({ what }, "stored data is damaged; ignoring it");
    problems.start({ code: "values_damaged", subject: DAMAGED_VALUES, since: clock.now(), detail: what });
    refresh();
  });
  if (storage.recovery) reportRecovery(storage.recovery, problems, clock.now());
}

/** A simulated clock is always trusted. */
function clockGuardOf({ clock, simulatedTime }: StateOptions, requestLog: RequestLog, onDoubt: () => void): ClockGuard {
  if (simulatedTime) return new ClockGuard({ releasedAt: Number.NEGATIVE_INFINITY, lastServerMs: null, clock });
  return new ClockGuard({
    releasedAt: RELEASED_AT,
    lastServerMs: requestLog.serverTime(),
    serverTimeInBoot: requestLog.serverTimeOf(clock.boot),
    clock,
    onDoubt,
  });
}

type HomeParts = Pick<State, "accounts" | "homes" | "homeReader" | "thresholds">;

/** Emits the homes whose data changes when a series does. */
function emitHomeChanges(
  { homes, homeReader, problems, repository }: HomeParts & Pick<State, "problems" | "repository">,
  { seriesChanged, stateChanged }: ChangeBus,
  clock: Clock,
): void {
  const reportDoubt = (series: SeriesKey) => reportImplausible(series, repository, problems, clock.now());
  for (const series of repository.doubtful.list()) reportDoubt(series);
  const followList = () => {
    const { gone, relocated } = homes.takeChanges();
    for (const home of gone) {
      homeReader.forget(home);
      endHome(home, problems, clock.now());
      stateChanged.emit({ home: home.id });
    }
    for (const home of relocated)
      for (const each of repository.forgetPrices(home.account, home.addressId, clock.now())) homeReader.changed(each);
  };
  followList();
  seriesChanged.subscribe((series) => {
    homeReader.changed(series);
    reportDoubt(series);
    if (series.operation === "addresses") followList();
    const ofAccount = series.operation === "addresses" ? homes.of(series.account) : [];
    for (const { id } of ofAccount) stateChanged.emit({ home: id });
    stateChanged.emit({ home: homes.at(series.place)?.id ?? null });
  });
}

/** Starts or ends the problem of prices that nothing acts on until a second response agrees. */
function reportImplausible(
  series: SeriesKey,
  { doubtful, store }: Pick<SeriesRepository, "doubtful" | "store">,
  problems: Problems,
  since: EpochMs,
): void {
  const { account, place, operation } = series;
  const prices = doubtful.of(series);
  const highest = Math.max(...prices.map(({ price }) => price));
  const price = `${highest} ${store.envelope(series)?.currency ?? ""}`.trim();
  const facts = prices[0] && { count: prices.length, from: formatInstant(prices[0].start), price };
  const detail = facts ? message("found.implausible", facts) : null;
  setProblem(problems, {
    code: "implausible_price",
    subject: `${account} ${operation} ${place} values`,
    address: place,
    since,
    detail,
  });
}

/** Replaces the problems of a home whose address is in no list any more by one, which says so until the next start. */
function endHome({ name, account, addressId }: Home, problems: Problems, since: EpochMs): void {
  for (const { subject, address } of problems.list()) if (address === addressId) problems.end(subject);
  const detail = message("found.home_gone", { home: name });
  problems.start({ code: "address_gone", subject: `${account} ${addressId}`, address: addressId, since, detail });
}

function endFormer(
  { homes, problems }: Pick<State, "homes" | "problems">,
  { stateChanged }: ChangeBus,
  { id, to }: { readonly id: string; readonly to: string | null },
): boolean {
  const former = homes.endFormer(id, to);
  if (former) problems.end(`${former.account} ${former.addressId}`);
  for (const home of former ? [id, to, null] : []) stateChanged.emit({ home });
  return former !== null;
}

/** Applies homes and levels of a new configuration. Returns the names of the accounts whose homes changed. */
function configureHomes(
  { accounts, homes, homeReader, thresholds }: HomeParts,
  next: Config,
  { stateChanged }: ChangeBus,
): ReadonlySet<string> {
  const levelsChanged = !isDeepStrictEqual(thresholds, thresholdsOf(next.levels));
  // Changed in place, because other modules hold this object.
  Object.assign(thresholds, thresholdsOf(next.levels));
  const names = accounts.consumers.map(({ name }) => name);
  const changed = homes.configure(names, next.homes);
  for (const home of changed) homeReader.forget(home);
  for (const id of levelsChanged ? homes.ids : changed.map(({ id }) => id)) stateChanged.emit({ home: id });
  stateChanged.emit({ home: null });
  return new Set(changed.map(({ account }) => account));
}

interface LoopDeps extends Omit<CollectorsDeps, "clock" | "log" | "offsetMs" | "maxOffsetMs" | "signal"> {
  readonly problems: Problems;
}

interface Loops extends Pick<State, "refresh" | "copyNow" | "importUpload" | "run" | "close"> {
  /** Follows accounts that come and go. Refreshes those with these names. */
  readonly follow: (changed: ReadonlySet<string>) => void;
}

/** Creates the loops that fetch, maintain the database and retry failed writes. */
function openLoops({ config, clock, random, log, signal }: StateOptions, storage: Storage, deps: LoopDeps): Loops {
  const stored = Number(storage.settings.once("offset_ms", () => String(Math.floor(random() * MAX_OFFSET_MS))));
  const offsetMs = stored >= 0 && stored <= MAX_OFFSET_MS ? stored : 0;
  const collectors = new Collectors({ ...deps, clock, log, signal, offsetMs, maxOffsetMs: MAX_OFFSET_MS });
  const refresh = (only?: ReadonlySet<string>) => collectors.refresh(only);
  const { years } = config.retention;
  const maintenance = new NightlyMaintenance({ ...storage, ...deps, clock, years, offsetMs, log });
  const { writing } = storage;
  const writeRecovery = new WriteRecoveryLoop({ writing, clock, problems: deps.problems, onRecovered: refresh });
  let running: readonly Promise<void>[] = [];
  return {
    refresh,
    follow(changed) {
      collectors.follow();
      if (changed.size > 0) refresh(changed);
    },
    copyNow: () => maintenance.copy(signal),
    importUpload: (file, target) => importUpload(file, target, { node: process.execPath, signal }),
    run() {
      running = [maintenance, writeRecovery].map((loop) => loop.run(signal));
      collectors.run();
    },
    async close() {
      await Promise.all([...running, collectors.ended()]);
      deps.repository.close();
    },
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
    stats,
    calendar,
    problems,
    startedAt: clock.now(),
    thresholds: thresholdsOf(config.levels),
    repository: new SeriesRepository(storage.database, calendar, () => clock.now(), storage.writing),
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
