/**
 * The composition root of the running daemon: a table of parts in start order. It knows every folder and decides
 * nothing; what may touch the process (arguments, environment, signals, output) is handed in by `main.ts`.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type Accounts, askingOf, openAccounts } from "./accounts.ts";
import type { Clock } from "./collector/clock.ts";
import { Collector, type CollectorLog } from "./collector/collector.ts";
import { Edges } from "./collector/edges.ts";
import { TimeTrust } from "./collector/time-trust.ts";
import type { Config } from "./config/schema.ts";
import { Calendar, SERVICE_ZONE } from "./core/calendar.ts";
import { type EpochMs, MINUTE_MS } from "./core/interval.ts";
import { Problems } from "./core/problem.ts";
import type { SeriesKey } from "./core/series.ts";
import { Homes } from "./homes.ts";
import { House } from "./house.ts";
import { lanRouter } from "./lan.ts";
import { Library } from "./library.ts";
import { type BrokerAddress, openBrokerStream } from "./mqtt/broker-stream.ts";
import type { EmbeddedBroker } from "./mqtt/embedded-broker.ts";
import { openLink } from "./mqtt/link.ts";
import { Places } from "./places.ts";
import { type Listener, listen } from "./server/listener.ts";
import { Showing } from "./showing.ts";
import { DatabaseError } from "./store/database.ts";
import { type OpenedDatabase, openOrRestore } from "./store/recovery.ts";
import { historyStart } from "./store/retention.ts";
import { Settings } from "./store/settings.ts";
import { reportRecovery, Upkeep } from "./upkeep.ts";
import type { Account } from "./upstream/account.ts";
import type { ProxySettings } from "./upstream/proxy.ts";
import { RELEASED_AT, VERSION } from "./version.ts";

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
  /** Lets any client of this machine into the embedded broker; in the demo on loopback only. */
  readonly anonymousBroker: boolean;
}

export interface Daemon {
  readonly apiPort: number;
  /** Port of the embedded broker; null where another broker is used. */
  readonly brokerPort: number | null;
  /** Says `offline` and closes everything, in under two seconds. */
  stop(): Promise<void>;
}

/** Why the daemon cannot start, in one sentence for its owner. */
export class StartError extends Error {}

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
  const stop = new AbortController();
  const { database, databasePath, recovery } = openDataDir(config.data_dir, clock.now());
  const settings = new Settings(database);
  const calendar = new Calendar(SERVICE_ZONE, transitionsIn(settings));
  const library = new Library(database, calendar, () => clock.now());
  const offsetMs = Number(settings.once("offset_ms", () => String(Math.floor(random() * MOST_OFFSET_MS))));
  const problems = new Problems((problem, state) => {
    const { code, subject, detail, advice, requestId } = problem;
    if (state === "started") log.warn({ code, subject, detail, requestId }, `problem: ${advice}`);
    else log.info({ code, subject }, "problem ended");
    edges.wake();
  });
  const trust = options.simulatedTime
    ? null
    : new TimeTrust({ releasedAt: RELEASED_AT, lastToldMs: library.ledger.serverTime(), clock });
  const accounts = openAccounts({
    config,
    library,
    settings,
    clock,
    problems,
    random,
    proxy: options.proxy ?? null,
    signal: stop.signal,
    onServerTime: (serverMs) => {
      trust?.note(serverMs);
      trust?.tell(problems, clock.now());
    },
    onSpent: (account, operation, outcome) => log.debug({ account, operation, outcome }, "asked"),
  });
  const homes = new Homes(
    accounts.consumers.map((account) => account.name),
    config.homes,
    library,
    settings,
  );
  const house = new House({
    shelf: library.shelf,
    calendar,
    memory: settings,
    thresholds: { ...config.levels, veryCheap: config.levels.very_cheap },
    costField: config.service.cost_field,
  });
  const changed = (series: SeriesKey) => {
    house.changed(series);
    edges.wake();
  };
  const startedAt = clock.now();
  const places = new Places(config, library, calendar);
  const wantedFrom = (now: EpochMs) => historyFrom(config, calendar, now);
  const shown = {
    config,
    accounts,
    calendar,
    historyFrom: wantedFrom,
    homes,
    places,
    house,
    library,
    settings,
    problems,
  };
  const showing = new Showing({ ...shown, startedAt, isTimeTrusted: (now) => trust?.trusted(now) ?? true, log });
  const edges = new Edges(clock, (now) => {
    trust?.tell(problems, now);
    const { messages, until } = showing.at(now);
    link.show(messages);
    return until;
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
    });
  const collectors = [...accounts.consumers, ...(accounts.thirdParty ? [accounts.thirdParty] : [])].map(collectorOf);
  const broker = await startBroker(options);
  const link = openLink(
    {
      open: broker ? async () => broker.open() : (wake) => openBrokerStream(addressOf(config), wake),
      ...(broker ? {} : loginOf(config)),
      clientId: settings.once("client_id", () => `elbro_${Math.floor(random() * 2 ** 32).toString(16)}`),
      baseTopic: config.mqtt.base_topic,
      discoveryPrefix: config.mqtt.discovery_prefix,
      commands: {
        "command/refresh": () => {
          for (const collector of collectors) collector.wake();
          edges.wake();
          return { kind: "done" };
        },
        "+/plan/+/+/set": ([home, plan]) => ({ kind: "refused", reason: `${home} has no plan "${plan}"` }),
      },
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
  const api = await startApi(options, { accounts, homes, library, calendar, changed, startedAt });
  if (recovery) reportRecovery(recovery, problems, startedAt);
  const kept = { database, databasePath, library, settings };
  const upkeep = new Upkeep({ ...kept, calendar, clock, problems, years: config.retention.years, offsetMs, log });
  // The rest of the state takes tens of milliseconds to make; the prices are on their way before.
  const showingAll = link.upSoon.then(() => edges.run(stop.signal));
  const loops = [showingAll, ...[upkeep, ...collectors].map((loop) => loop.run(stop.signal))];
  return {
    apiPort: api.port,
    brokerPort: broker?.port ?? null,
    async stop() {
      stop.abort();
      await Promise.all([link.closed, api.close(), accounts.close()]);
      await broker?.close();
      await Promise.all(loops);
      library.close();
      database.close();
    },
  };
}

/** The transitions of the service's zone, kept until Node brings another time zone database. */
function transitionsIn(settings: Settings) {
  const name = (year: number) => `transitions/${SERVICE_ZONE}/${process.versions.tz}/${year}`;
  return {
    read: (year: number) => settings.read(name(year)),
    write: (year: number, text: string) => settings.write(name(year), text),
  };
}

/** Where the back-fill stops: what is beyond the kept years would be deleted again. */
function historyFrom({ history, retention }: Config, calendar: Calendar, now: EpochMs): EpochMs {
  const wanted = calendar.shift(now, "day", -Math.round((history.months * 365) / 12));
  return Math.max(wanted, historyStart(now, retention.years, calendar));
}

function openDataDir(dataDir: string, now: EpochMs): OpenedDatabase & { readonly databasePath: string } {
  const databasePath = path.join(dataDir, "elbro.db");
  try {
    mkdirSync(dataDir, { recursive: true });
    return { ...openOrRestore(databasePath, now), databasePath };
  } catch (error) {
    if (error instanceof DatabaseError) throw new StartError(error.message);
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `cannot write to the data directory ${dataDir} (${why}); set data_dir or ELBRO_DATA_DIR to a folder this user may write`,
    );
  }
}

async function startBroker({ config, log, anonymousBroker }: DaemonOptions): Promise<EmbeddedBroker | null> {
  if (config.mqtt.url !== undefined) return null;
  const { startEmbeddedBroker } = await import("./mqtt/embedded-broker.ts");
  const { host, port, ws_port: wsPort, users } = config.broker;
  const { base_topic: baseTopic, discovery_prefix: discoveryPrefix } = config.mqtt;
  const onRefused = (user: string, topic: string) =>
    log.warn(
      { user, topic },
      "the broker dropped a message: only the daemon and users with commands: true may publish there",
    );
  const rules = { users, anonymous: anonymousBroker, baseTopic, discoveryPrefix, onRefused };
  const broker = await onPort("broker", port, () => startEmbeddedBroker({ ...rules, host, port, wsPort }));
  if (users.length === 0 && !anonymousBroker)
    log.warn(
      { host: broker.host },
      "the broker lets nobody in: add broker.users, or set mqtt.url to use another broker",
    );
  else log.info({ host: broker.host, port: broker.port, ws_port: broker.wsPort }, "broker listens");
  return broker;
}

function addressOf({ mqtt: { url = "", ca, cert, key } }: Config): BrokerAddress {
  return { url, ca, cert, key };
}

/** User and password of the configuration, else those of the URL. */
function loginOf({ mqtt }: Config): { username: string | undefined; password: string | undefined } {
  const url = new URL(mqtt.url ?? "");
  const ofUrl = (text: string) => (text === "" ? undefined : decodeURIComponent(text));
  return { username: mqtt.username ?? ofUrl(url.username), password: mqtt.password ?? ofUrl(url.password) };
}

interface ApiParts {
  readonly accounts: Accounts;
  readonly homes: Homes;
  readonly library: Library;
  readonly calendar: Calendar;
  readonly changed: (series: SeriesKey) => void;
  readonly startedAt: EpochMs;
}

function startApi({ config, clock, log }: DaemonOptions, parts: ApiParts): Promise<Listener> {
  const router = lanRouter({
    ...parts,
    config,
    clock,
    onChange: parts.changed,
    onCrash: (error, requestId) => log.warn({ err: error, requestId }, "a request of the LAN failed"),
    health: () => ({ healthy: true, report: { status: "ok", version: VERSION } }),
  });
  if (config.api.keys.length === 0) log.warn({}, "the API answers nobody: api.keys in the configuration is empty");
  return onPort("api", config.api.port, () => listen(router, config.api.host, config.api.port));
}

async function onPort<Result>(part: "api" | "broker", port: number, start: () => Promise<Result>): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    const variable = `${part}.port or ELBRO_${part.toUpperCase()}_PORT`;
    if (code === "EADDRINUSE")
      throw new StartError(`port ${port} of the ${part} is in use by another program; set ${variable} to another`);
    if (code === "EACCES")
      throw new StartError(
        `port ${port} of the ${part} may not be opened by this user; set ${variable} to one above 1023`,
      );
    throw error;
  }
}
