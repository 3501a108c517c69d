/** Starts the configured integrations. The others are not loaded. */
import { isDeepStrictEqual } from "node:util";
import { dashboardUrlOf } from "../config/dashboard-url.ts";
import type { Config } from "../config/schema.ts";
import type { PlugSnapshot } from "../core/plugs/plug-snapshot.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { PlannedState } from "../plans/open-plans.ts";
import type { ProxySettings } from "../service/client/proxy.ts";
import type { ChangeBus } from "../state/change-bus.ts";
import { ArchiveBacklog, forgetBacklog } from "../storage/archive-backlog.ts";
import type { Storage } from "../storage/open-storage.ts";
import type { SharedConnection } from "./homeassistant/shared-connection.ts";
import type { SwitchedEntities } from "./homeassistant/switched-entities.ts";

export interface IntegrationsOptions {
  readonly config: Pick<
    Config,
    "api" | "archive" | "home_assistant" | "language" | "mdns" | "notify" | "retention" | "service" | "update_feed"
  >;
  readonly clock: Clock;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  readonly proxy?: ProxySettings | null;
  /** Fires when the daemon ends. */
  readonly signal: AbortSignal;
}

/** What uses the connection to Home Assistant. */
export interface HomeAssistant {
  readonly connection: SharedConnection;
  readonly entities: SwitchedEntities;
}

export interface Integrations {
  /** Called once the API listens on a port. */
  readonly run: (apiPort: number) => void;
  /** Applies another configuration: notifications start, stop or change. The rest needs a restart. */
  readonly configure: (config: Pick<Config, "api" | "notify">) => void;
  readonly close: () => Promise<void>;
}

/** Prepares the connection to Home Assistant; null if none is configured. Nothing is connected yet. */
export async function openHomeAssistant(
  { config, clock, random, signal }: IntegrationsOptions,
  { problems, stats }: Pick<PlannedState, "problems" | "stats">,
): Promise<HomeAssistant | null> {
  if (!config.home_assistant) return null;
  const { SharedConnection } = await import("./homeassistant/shared-connection.ts");
  const { SwitchedEntities } = await import("./homeassistant/switched-entities.ts");
  const connection = new SharedConnection(config.home_assistant);
  const heartbeat = () => stats.heartbeat("switching in Home Assistant", signal);
  return { connection, entities: new SwitchedEntities({ connection, clock, random, problems, heartbeat }) };
}

/** Nothing is loaded or connected before `run`. */
export function startIntegrations(
  options: IntegrationsOptions & {
    readonly homeAssistant: HomeAssistant | null;
    readonly plugs: () => readonly PlugSnapshot[];
  },
  storage: ArchivedStorage,
  state: PlannedState,
  changes: ChangeBus,
): Integrations {
  const running: Promise<void>[] = [];
  let used = notifyingOf(options.config);
  let stopNotifying = new AbortController();
  let notifying = Promise.resolve();
  const notify = () => {
    const { account, click } = used;
    if (!account) return;
    const signal = AbortSignal.any([options.signal, stopNotifying.signal]);
    notifying = notifying.then(() => runNotifications({ ...options, account, click, signal }, storage, state));
  };
  return {
    configure(config) {
      const next = notifyingOf(config);
      if (isDeepStrictEqual(next, used)) return;
      used = next;
      stopNotifying.abort();
      stopNotifying = new AbortController();
      state.problems.end(NOTIFICATIONS);
      notify();
    },
    run(apiPort) {
      const { archive, mdns, update_feed: feed } = options.config;
      const { homeAssistant } = options;
      if (mdns !== undefined) running.push(runMdns(options, mdns, apiPort));
      notify();
      if (feed !== undefined) running.push(runUpdateCheck({ ...options, feed }, storage, state, changes));
      if (homeAssistant) running.push(runStatistics({ ...options, ...homeAssistant }, storage, state, changes));
      if (archive) running.push(runArchive({ ...options, account: archive }, storage, state, changes));
      else forgetBacklog(storage.database, storage.writing);
    },
    close: async () => void (await Promise.all([...running, notifying])),
  };
}

async function runMdns({ config, clock, log, signal }: IntegrationsOptions, name: string, port: number): Promise<void> {
  const { announceDashboard } = await import("./mdns/mdns-loop.ts");
  await announceDashboard({ name, host: config.api.host, port, clock, log }, signal);
}

async function runUpdateCheck(
  { feed, clock, log, signal, proxy = null }: IntegrationsOptions & { readonly feed: string },
  { settings }: Pick<Storage, "settings">,
  { stats }: PlannedState,
  changes: ChangeBus,
): Promise<void> {
  const { UpdateLoop } = await import("./updates/update-loop.ts");
  const loop = new UpdateLoop({
    ...{ feed, clock, log, proxy, memory: settings, heartbeat: stats.heartbeat("checking for updates", signal) },
    onRelease(release) {
      stats.update = release;
      changes.stateChanged.emit({ home: null });
    },
  });
  await loop.run(signal);
}

/** Returns the keys that notifications depend on. */
function notifyingOf({ notify: account, api }: Pick<Config, "api" | "notify">) {
  return { account, click: dashboardUrlOf(api) };
}

/** Subject of the problem that notifications cannot be sent. */
const NOTIFICATIONS = "notifications";
/** Maximum number of homes whose prices are checked for notifications once a minute. */
const MAX_NOTIFIED_HOMES = 50;

async function runNotifications(
  options: IntegrationsOptions & {
    readonly account: NonNullable<Config["notify"]>;
    readonly click: string | undefined;
  },
  { settings }: Pick<Storage, "settings">,
  state: PlannedState,
): Promise<void> {
  const { NotifyLoop } = await import("./notify/notify-loop.ts");
  const { conditionsIn } = await import("./notify/conditions.ts");
  const { publish } = await import("./notify/publish.ts");
  const { config, account, click, clock, log, random, signal, proxy } = options;
  const { homes, homeReader, plans, problems, calendar, isTimeTrusted, stats } = state;
  const language = account.language ?? config.language;
  const loop = new NotifyLoop({
    ...{ account, click, clock, log, random, calendar, problems, isTimeTrusted },
    conditions: async (now) =>
      conditionsIn({
        homes: homes
          .list()
          .slice(0, MAX_NOTIFIED_HOMES)
          .map((home) => homeReader.snapshot(home, now)),
        plans: plans.snapshots,
        problems: problems.list(),
        ...{ calendar, now, language },
      }),
    publish: (note, stop) => publish(account, note, stop, proxy ? { proxy } : {}),
    memory: settings,
    heartbeat: stats.heartbeat("notifying", signal),
  });
  await loop.run(signal);
}

async function runArchive(
  options: IntegrationsOptions & {
    readonly account: NonNullable<Config["archive"]>;
    readonly plugs: () => readonly PlugSnapshot[];
  },
  { database, settings, writing }: ArchivedStorage,
  { problems, stats }: PlannedState,
  changes: ChangeBus,
): Promise<void> {
  const { ArchiveLoop } = await import("./archive/archive-loop.ts");
  const { account, plugs, clock, log, random, signal } = options;
  const figures = { rows: 0, count: () => loop.count() };
  const loop = new ArchiveLoop({
    ...{ account, plugs, problems, clock, log, random },
    openBacklog: () => ArchiveBacklog.open(database, settings, writing),
    heartbeat: stats.heartbeat("archiving", signal),
    onWritten(rows) {
      figures.rows += rows;
    },
  });
  stats.archive = figures;
  changes.seriesChanged.subscribe(() => loop.changed());
  await loop.run(signal);
}

async function runStatistics(
  { config, connection, clock, log, random, signal }: IntegrationsOptions & Pick<HomeAssistant, "connection">,
  { settings }: Pick<Storage, "settings">,
  state: PlannedState,
  changes: ChangeBus,
): Promise<void> {
  const { StatisticsLoop } = await import("./homeassistant/statistics-loop.ts");
  const { homes, calendar, problems, repository, stats } = state;
  const loop = new StatisticsLoop({
    ...{ connection, homes, calendar, problems, clock, log, random },
    store: repository.store,
    memory: settings,
    ...{ language: config.language, costField: config.service.cost_field },
    retentionYears: config.retention.years,
    heartbeat: stats.heartbeat("importing statistics", signal),
  });
  changes.seriesChanged.subscribe((series) => loop.changed(series));
  await loop.run(signal);
}

type ArchivedStorage = Pick<Storage, "settings" | "database" | "writing">;
