/**
 * The composition root of the running daemon: a table of parts in start order. It knows every folder and decides
 * nothing; what may touch the process (arguments, environment, signals, output) is handed in by `main.ts`.
 */
import { askingOf, openAccounts } from "./accounts.ts";
import { startBroker, wayTo } from "./broker.ts";
import type { Clock } from "./collector/clock.ts";
import { Collector, type CollectorLog } from "./collector/collector.ts";
import { Edges } from "./collector/edges.ts";
import { TimeTrust } from "./collector/time-trust.ts";
import { planDefinitions } from "./config/plan-schema.ts";
import type { Config } from "./config/schema.ts";
import { Calendar, SERVICE_ZONE } from "./core/calendar.ts";
import type { BackfillState } from "./core/daemon-state.ts";
import { type EpochMs, MINUTE_MS } from "./core/interval.ts";
import { Problems } from "./core/problem.ts";
import type { SeriesKey } from "./core/series.ts";
import { openDataDir, transitionsIn } from "./data-dir.ts";
import { openFormats } from "./formats.ts";
import { Homes } from "./homes.ts";
import { House } from "./house.ts";
import { Library } from "./library.ts";
import { LiveFeed } from "./live-feed.ts";
import { Mending } from "./mending.ts";
import { openLink } from "./mqtt/link.ts";
import { Places } from "./places.ts";
import { Plans } from "./plans.ts";
import { Reloading } from "./reload.ts";
import { requireKeys } from "./require-keys.ts";
import { Showing } from "./showing.ts";
import { PlanStore } from "./store/plan-store.ts";
import { historyStart } from "./store/retention.ts";
import { Settings } from "./store/settings.ts";
import { Writing } from "./store/writing.ts";
import { openSwitching } from "./switching.ts";
import { reportRecovery, Upkeep } from "./upkeep.ts";
import type { Account } from "./upstream/account.ts";
import type { ProxySettings } from "./upstream/proxy.ts";
import { RELEASED_AT } from "./version.ts";
import { Vitals } from "./vitals.ts";

export interface DaemonOptions {
  readonly config: Config;
  readonly clock: Clock;
  /** The clock is another than the machine's, and right by definition. */
  readonly simulatedTime: boolean;
  readonly log: CollectorLog;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** The way out to the service, where the environment names a proxy. */
  readonly proxy?: ProxySettings | null;
  /** Told how much of the wanted history is there, whenever something is shown; for somebody who looks on. */
  readonly onProgress?: (history: BackfillState | null) => void;
  /** Lets any client of this machine into the embedded broker; in the demo on loopback only. */
  readonly anonymousBroker: boolean;
  /** Home Assistant hands on what its users ask, and needs no key. */
  readonly ingress?: boolean;
  /** Told once if requests come by the hundred a second. */
  readonly onRush?: () => void;
}

export interface Daemon {
  readonly apiPort: number;
  /** Port of the embedded broker; null where another broker is used. */
  readonly brokerPort: number | null;
  /**
   * Reads the configuration again and takes over what can change while it runs. A bad one changes nothing: it is told
   * as a problem. Gives back the configuration that is in use.
   */
  reload(read: () => Promise<Config>): Promise<Config>;
  /** Says `offline` and closes everything, in under two seconds. */
  stop(): Promise<void>;
}

const MOST_OFFSET_MS = 8 * MINUTE_MS;

/**
 * Node cuts small buffers from a pool of 64 kB, and one of them that is kept keeps its pool. mqtt-packet keeps four
 * bytes for every length of message it ever wrote (`varByteIntCache`): half a megabyte a day, without this.
 */
const BUFFER_POOL_BYTES = 512;

/** Starts every part. Errors: throws a StartError for what the owner can mend. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, clock, log, random } = options;
  Buffer.poolSize = BUFFER_POOL_BYTES;
  const { ingress = false } = options;
  if (!ingress) requireKeys(config);
  const stop = new AbortController();
  const { database, databasePath, recovery, outdated } = openDataDir(config.data_dir, clock.now());
  if (outdated !== null)
    log.warn({ file: outdated }, "database of an older version set aside; its prices and usage are asked for again");
  const writing = new Writing(database);
  const settings = new Settings(database, writing);
  const calendar = new Calendar(SERVICE_ZONE, transitionsIn(settings));
  const library = new Library(database, calendar, () => clock.now(), writing);
  const offsetMs = Number(settings.once("offset_ms", () => String(Math.floor(random() * MOST_OFFSET_MS))));
  const vitals = new Vitals(clock);
  const problems = new Problems((problem, state) => {
    vitals.problems.note(problem, state, clock.now());
    const { code, subject, detail, advice, requestId } = problem;
    if (state === "started") log.warn({ code, subject, detail, requestId }, `problem: ${advice}`);
    else log.info({ code, subject }, "problem ended");
    edges.wake();
  });
  const trust = options.simulatedTime
    ? null
    : new TimeTrust({ releasedAt: RELEASED_AT, lastToldMs: library.ledger.serverTime(), clock });
  const trusted = (now: EpochMs) => trust?.trusted(now) ?? true;
  const accounts = openAccounts({
    config,
    library,
    settings,
    clock,
    problems,
    random,
    proxy: options.proxy ?? null,
    spendsUnknown: recovery !== null,
    signal: stop.signal,
    onServerTime: (serverMs) => {
      trust?.note(serverMs);
      trust?.tell(problems, clock.now());
      switching.wake();
    },
    onSpent: (account, operation, outcome) => {
      vitals.asked.add(account, operation, outcome);
      log.debug({ account, operation, outcome }, "asked");
    },
  });
  const homes = new Homes(
    accounts.consumers.map((account) => account.name),
    config.homes,
    library,
    settings,
  );
  const thresholds = { ...config.levels, veryCheap: config.levels.very_cheap };
  const house = new House({
    shelf: library.shelf,
    calendar,
    memory: settings,
    thresholds,
    costField: config.service.cost_field,
  });
  const changed = (series: SeriesKey) => {
    house.changed(series);
    live.changed(series);
    edges.wake();
  };
  const startedAt = clock.now();
  const places = new Places({ config, library, calendar, memory: settings, thresholds });
  const plans = new Plans({
    definitions: planDefinitions(config.plans),
    store: new PlanStore(database, writing),
    timelineOf: (home, now) => house.timeline(home, now),
    isTimeTrusted: trusted,
    onChange: () => edges.wake(),
    ...{ homes, calendar, thresholds, problems, startedAt },
  });
  const wantedFrom = (now: EpochMs) => historyFrom(config, calendar, now);
  const shown = {
    config,
    accounts,
    calendar,
    historyFrom: wantedFrom,
    homes,
    places,
    plans,
    house,
    library,
    settings,
    problems,
  };
  const showing = new Showing({
    ...shown,
    formatOf: await openFormats(config, homes, calendar),
    plugs: () => plugs.snapshots(),
    startedAt,
    isTimeTrusted: trusted,
    log,
  });
  const live = new LiveFeed({ baseTopic: config.mqtt.base_topic, homes, startedAt });
  const edges = new Edges(
    clock,
    (now) => {
      trust?.tell(problems, now);
      const { messages, until } = showing.at(now);
      link.show(messages);
      live.show(messages);
      switching.wake();
      options.onProgress?.(showing.daemon(now).backfill);
      return until;
    },
    vitals.pulse("showing"),
  );
  const { plugs, loop: switching } = openSwitching({
    plugs: config.plugs,
    baseTopic: config.mqtt.base_topic,
    publishOnce: (topic, payload) => link.publishOnce(topic, payload),
    planWanted: (plan, home, at) => plans.wanted(plan, home, at),
    trusted,
    memory: settings,
    onChange: () => edges.wake(),
    pulse: config.plugs.length > 0 ? vitals.pulse("switching") : undefined,
    ...{ clock, homes, house, places, problems, log },
  });
  const collectorOf = (account: Account) =>
    new Collector({
      account: account.name,
      asking: askingOf(account, library),
      keeping: library,
      targets: () => (account === accounts.thirdParty ? [] : homes.targets(account.name)),
      places: (now) => (account === accounts.thirdParty ? places.targets(now) : []),
      calendar,
      clock,
      offsetMs,
      historyFrom: wantedFrom,
      onChange: changed,
      log,
      pulse: vitals.pulse(`collecting ${account.name}`),
    });
  const collectors = [...accounts.consumers, ...(accounts.thirdParty ? [accounts.thirdParty] : [])].map(collectorOf);
  const broker = await startBroker(config, log, { anonymous: options.anonymousBroker });
  const link = openLink(
    {
      ...wayTo(broker, config),
      clientId: settings.once("client_id", () => `elbro_${Math.floor(random() * 2 ** 32).toString(16)}`),
      baseTopic: config.mqtt.base_topic,
      discoveryPrefix: config.mqtt.discovery_prefix,
      commands: {
        "command/refresh": () => {
          for (const collector of collectors) collector.wake();
          edges.wake();
          return { kind: "done" };
        },
        "+/plan/+/+/set": (levels, payload) => plans.command(levels, payload, clock.now()),
      },
      listener: plugs,
      remembered: {
        read: () => settings.read("mqtt_retained"),
        write: (text) => settings.write("mqtt_retained", text),
      },
      log,
      random,
    },
    stop.signal,
  );
  link.showFirst(showing.pricesAt(startedAt));
  const watched = { vitals, live, showing, link, plugs, database, databasePath, signal: stop.signal };
  const lan = { ...shown, ...watched, clock, startedAt, isTimeTrusted: trusted, onChange: changed, log, ingress };
  // What listens, routes and admits takes ten milliseconds to load; the prices are on their way before.
  const api = await link.upSoon.then(async () => (await import("./lan-service.ts")).openLan(lan, options.onRush));
  if (recovery) reportRecovery(recovery, problems, startedAt);
  const kept = { database, databasePath, library, settings, writing };
  const upkeep = new Upkeep({ ...kept, calendar, clock, problems, years: config.retention.years, offsetMs, log });
  const onMended = () => {
    for (const collector of collectors) collector.wake();
  };
  const mending = new Mending({ writing, clock, problems, onMended });
  // The rest of the state takes tens of milliseconds to make; the prices are on their way before.
  const showingAll = link.upSoon.then(() => edges.run(stop.signal));
  const loops = [
    showingAll,
    ...[upkeep, mending, ...(config.plugs.length > 0 ? [switching] : []), ...collectors].map((loop) =>
      loop.run(stop.signal),
    ),
  ];
  const reloading = new Reloading(config, { clock, problems, log }, (next) => {
    if (!ingress) requireKeys(next);
    plans.take(planDefinitions(next.plans));
    api.take(next);
    edges.wake();
  });
  const desk = link.upSoon.then(async () =>
    (await import("./daemon-desk.ts")).openDaemonDesk(lan, () => reloading.used, stop.signal),
  );
  return {
    apiPort: api.port,
    brokerPort: broker?.port ?? null,
    reload: (read) => reloading.reload(read),
    async stop() {
      plugs.leave();
      live.close();
      stop.abort();
      await Promise.all([link.closed, api.close(), accounts.close(), desk]);
      await broker?.close();
      await Promise.all(loops);
      library.close();
      database.close();
    },
  };
}

/** Where the back-fill stops: what is beyond the kept years would be deleted again. */
function historyFrom({ history, retention }: Config, calendar: Calendar, now: EpochMs): EpochMs {
  const wanted = calendar.shift(now, "day", -Math.round((history.months * 365) / 12));
  return Math.max(wanted, historyStart(now, retention.years, calendar));
}
