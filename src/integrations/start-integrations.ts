/** Starts the configured integrations. The others are not loaded. */
import { isDeepStrictEqual } from "node:util";
import { dashboardUrlOf } from "../config/dashboard-url.ts";
import type { Config } from "../config/schema/schema.ts";
import type { PlugSnapshot } from "../core/plugs/plug-snapshot.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { PlannedState } from "../plans/open-plans.ts";
import type { ProxySettings } from "../service/client/proxy.ts";
import type { ChangeBus } from "../state/change-bus.ts";
import type { Storage } from "../storage/open-storage.ts";
import { ArchiveBacklog, forgetBacklog } from "../storage/series/archive-backlog.ts";
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
export type HomeAssistant = { readonly connection: SharedConnection; readonly entities: SwitchedEntities };

export interface Integrations {
  /** Called once the API listens on a port. */
  readonly run: (apiPort: number) => void;
  /** Applies another configuration: notifications start, stop or change. The rest needs a restart. */
  readonly configure: (config: Pick<Config, "api" | "notify">) => void;
  readonly close: () => Promise<void>;
}

interface StartOptions extends IntegrationsOptions {
  readonly homeAssistant: HomeAssistant | null;
  readonly plugs: () => readonly PlugSnapshot[];
}

/** What the loops are made of. */
interface LoopParts extends StartOptions {
  readonly storage: Pick<Storage, "settings" | "database" | "writing">;
  readonly state: PlannedState;
  readonly changes: ChangeBus;
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
  options: StartOptions,
  storage: LoopParts["storage"],
  state: PlannedState,
  changes: ChangeBus,
): Integrations {
  const parts: LoopParts = { ...options, storage, state, changes };
  const running: Promise<void>[] = [];
  let used = notifyingOf(options.config);
  let stopNotifying = new AbortController();
  let notifying = Promise.resolve();
  const notify = () => {
    const { account, click } = used;
    if (!account) return;
    const signal = AbortSignal.any([options.signal, stopNotifying.signal]);
    notifying = notifying.then(() => runNotifications({ ...parts, signal }, account, click));
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
      if (mdns !== undefined) running.push(runMdns(parts, mdns, apiPort));
      notify();
      if (feed !== undefined) running.push(runUpdateCheck(parts, feed));
      if (options.homeAssistant) running.push(runStatistics(parts, options.homeAssistant.connection));
      if (archive) running.push(runArchive(parts, archive));
      else forgetBacklog(storage.database, storage.writing);
    },
    close: async () => void (await Promise.all([...running, notifying])),
  };
}

async function runMdns(parts: LoopParts, name: string, port: number): Promise<void> {
  const { announceDashboard } = await import("./mdns/mdns-loop.ts");
  await announceDashboard({ ...parts, name, host: parts.config.api.host, port }, parts.signal);
}

async function runUpdateCheck(parts: LoopParts, feed: string): Promise<void> {
  const { UpdateLoop } = await import("./updates/update-loop.ts");
  const { stats } = parts.state;
  const loop = new UpdateLoop({
    ...parts,
    feed,
    memory: parts.storage.settings,
    heartbeat: stats.heartbeat("checking for updates", parts.signal),
    onRelease(release) {
      stats.update = release;
      parts.changes.stateChanged.emit({ home: null });
    },
  });
  await loop.run(parts.signal);
}

/** Returns the keys that notifications depend on. */
function notifyingOf({ notify: account, api }: Pick<Config, "api" | "notify">) {
  return { account, click: dashboardUrlOf(api) };
}

/** Subject of the problem that notifications cannot be sent. */
const NOTIFICATIONS = "notifications";
/** Maximum number of homes whose prices are checked for notifications once a minute. */
const MAX_NOTIFIED_HOMES = 50;

/** Maximum number of runs of yesterday that are added up. */
const MAX_NOTIFIED_RUNS = 500;

async function runNotifications(
  parts: LoopParts,
  account: NonNullable<Config["notify"]>,
  click: string | undefined,
): Promise<void> {
  const { NotifyLoop } = await import("./notify/notify-loop.ts");
  const { conditionsIn } = await import("./notify/conditions.ts");
  const { publish } = await import("./notify/publish.ts");
  const { homes, homeReader, plans, problems, calendar, isTimeTrusted, stats } = parts.state;
  const language = account.language ?? parts.config.language;
  const tellsSavings = account.events.includes("saved");
  const loop = new NotifyLoop({
    ...parts,
    account,
    click,
    calendar,
    problems,
    isTimeTrusted,
    conditions: async (now) => {
      const first = homes.list().slice(0, MAX_NOTIFIED_HOMES);
      const snapshots = first.map((home) => homeReader.snapshot(home, now));
      const today = calendar.startOf("day", now);
      const range = { start: calendar.add("day", today, -1), end: today };
      const yesterday = tellsSavings ? plans.results.runs({ home: null, plan: null }, range, MAX_NOTIFIED_RUNS) : [];
      const observed = { homes: snapshots, plans: plans.snapshots, problems: problems.list(), yesterday };
      return conditionsIn({ ...observed, calendar, now, language });
    },
    publish: (note, signal) => publish(account, note, signal, parts.proxy),
    memory: parts.storage.settings,
    heartbeat: stats.heartbeat("notifying", parts.signal),
  });
  await loop.run(parts.signal);
}

async function runArchive(parts: LoopParts, account: NonNullable<Config["archive"]>): Promise<void> {
  const { ArchiveLoop } = await import("./archive/archive-loop.ts");
  const { database, settings, writing } = parts.storage;
  const { problems, stats } = parts.state;
  const figures = { rows: 0, count: () => loop.count() };
  const loop = new ArchiveLoop({
    ...parts,
    account,
    problems,
    openBacklog: () => ArchiveBacklog.open(database, settings, writing),
    heartbeat: stats.heartbeat("archiving", parts.signal),
    onWritten(rows) {
      figures.rows += rows;
    },
  });
  stats.archive = figures;
  parts.changes.seriesChanged.subscribe(() => loop.changed());
  await loop.run(parts.signal);
}

async function runStatistics(parts: LoopParts, connection: SharedConnection): Promise<void> {
  const { StatisticsLoop } = await import("./homeassistant/statistics-loop.ts");
  const { config } = parts;
  const { homes, calendar, problems, repository, stats } = parts.state;
  const loop = new StatisticsLoop({
    ...parts,
    connection,
    homes,
    calendar,
    problems,
    store: repository.store,
    memory: parts.storage.settings,
    language: config.language,
    costField: config.service.cost_field,
    retentionYears: config.retention.years,
    heartbeat: stats.heartbeat("importing statistics", parts.signal),
  });
  parts.changes.seriesChanged.subscribe((series) => loop.changed(series));
  await loop.run(parts.signal);
}
