/**
 * Composition root of the running daemon: opens the modules in order and closes them in reverse.
 * The command line passes in everything that depends on the process: arguments, environment, signals, output.
 */

import { requireKeys } from "./api/auth/require-key.ts";
import { asideProblem } from "./api/settings/set-aside.ts";
import { type ServerDeps, type ServerOptions, serveCommand, startServer } from "./api/start.ts";
import { DEFAULT_HINT } from "./config/command-hint.ts";
import { ConfigurationEditor } from "./config/editing/configuration-editor.ts";
import { ConfigurationFiles } from "./config/editing/configuration-files.ts";
import { OverlayHistory } from "./config/editing/overlay-history.ts";
import { type ConfigurationSource, OverlayWriter } from "./config/editing/overlay-writer.ts";
import { SettingsEditor } from "./config/editing/settings-editor.ts";
import type { Config } from "./config/schema/schema.ts";
import { LogMemory } from "./core/runtime/log-memory.ts";
import type { Calendar } from "./core/time/calendar.ts";
import type { EpochMs } from "./core/time/interval.ts";
import { openHomeAssistant, startIntegrations } from "./integrations/start-integrations.ts";
import { type Mqtt, type MqttOptions, startMqtt } from "./mqtt/start-mqtt.ts";
import { currentPrices, type HouseOverview, nextRuns } from "./plans/house-overview.ts";
import { openPlans } from "./plans/open-plans.ts";
import { Plugs } from "./plugs/plug-wiring.ts";
import { openService, type ServiceOptions } from "./service/client/open-service.ts";
import { ChangeBus } from "./state/change-bus.ts";
import { ConfigReload } from "./state/config-reload.ts";
import { openState, type State, type StateOptions } from "./state/open-state.ts";
import { writeWhole } from "./storage/atomic-file.ts";
import { openStorage, type StorageOptions } from "./storage/open-storage.ts";

type ModuleOptions = StorageOptions & ServiceOptions & StateOptions & MqttOptions & ServerOptions;

export interface DaemonOptions extends Omit<ModuleOptions, "signal"> {
  /** Source of the configuration. Without it, plans and plugs cannot be saved. */
  readonly source?: ConfigurationSource;
  /** Called with every configuration that is applied. */
  readonly onConfig?: (config: Config) => void;
}

export interface Daemon {
  readonly apiPort: number;
  /** Port of the embedded broker; null if another broker is used. */
  readonly brokerPort: number | null;
  /** Called with each part of the state that is published. */
  readonly published: Mqtt["published"];
  readonly calendar: Calendar;
  /** Returns the prices at `now` of at most `most` homes and places. */
  currentPrices(now: EpochMs, most: number): HouseOverview["prices"];
  nextRuns(now: EpochMs): HouseOverview["runs"];
  /**
   * Reads the configuration again and applies the keys that can change while the daemon runs.
   * An invalid configuration changes nothing and is reported as a problem. Returns the configuration in use.
   */
  reload(read: () => Promise<Config>, by?: string): Promise<Config>;
  /** Whether an uploaded copy replaced page.yaml at this start, so that the daemon has to start again. */
  readonly isOverlayReplaced: boolean;
  /** Whether the service was changed by a reload. Its data is another's, so the daemon has to start again. */
  isOtherService(): boolean;
  /** Publishes `offline` and closes everything within 2 s. */
  stop(): Promise<void>;
}

/**
 * Size in bytes of the pool from which Node allocates small buffers; 64 kB by default. A small buffer that is kept
 * keeps its whole pool in memory. mqtt-packet keeps four bytes for every message length that it has ever written. With
 * the default, resident memory would grow by 100 MB in a year.
 */
const BUFFER_POOL_BYTES = 512;

/**
 * Starts every module. Rejects with a StartError for problems that the owner can fix; the modules that were opened are
 * closed then.
 */
export async function startDaemon(given: DaemonOptions): Promise<Daemon> {
  Buffer.poolSize = BUFFER_POOL_BYTES;
  const modules = new OpenModules();
  try {
    return await openModules(given, modules);
  } catch (error) {
    await modules.close();
    throw error;
  }
}

/** The opened modules. They are closed in reverse. */
class OpenModules {
  readonly stopping = new AbortController();
  readonly #opened: { close(): unknown }[] = [];

  add<Module extends { close(): unknown }>(module: Module): Module {
    this.#opened.push(module);
    return module;
  }

  async close(): Promise<void> {
    this.stopping.abort();
    const errors: unknown[] = [];
    for (const module of this.#opened.toReversed())
      try {
        await module.close();
      } catch (error) {
        // The others are closed too: the database must not stay locked.
        errors.push(error);
      }
    if (errors.length > 0) throw errors[0];
  }
}

/**
 * Opens the modules that answer the requests of a command while no daemon runs, and serves them at a socket. Nothing is
 * collected, published or switched. Rejects with a StartError if the data directory cannot be used.
 */
export async function serveCommandOffline(
  given: DaemonOptions,
  socketPath: string,
): Promise<{ close(): Promise<void> }> {
  const modules = new OpenModules();
  try {
    const options = { ...given, signal: modules.stopping.signal };
    const { config, clock, log } = options;
    const logLines = new LogMemory(() => clock.now());
    const changes = new ChangeBus();
    const { storage, state } = openData(options, modules, changes);
    const reloading = new ConfigReload(config, { clock, problems: state.problems, log }, () => undefined);
    const editors = openEditors(options, reloading, state.problems);
    await serveCommand(options, { storage, state, reloading, logLines, editors }, changes, socketPath);
  } catch (error) {
    await modules.close();
    throw error;
  }
  return modules;
}

/** Opens stored data, accounts and plans. Sends no request. */
function openData(options: DaemonOptions & { signal: AbortSignal }, modules: OpenModules, changes: ChangeBus) {
  const storage = modules.add(openStorage(options));
  const service = modules.add(openService(options));
  const basis = modules.add(openState(options, storage, service, changes));
  const planning = modules.add(openPlans(options, storage, basis, changes));
  return { storage, planning, state: { ...basis, plans: planning.plans, decided: planning.decided } };
}

/** Opens what shows and changes the configuration. All editors share one writer, so changes never mix. */
function openEditors(
  { source, config, clock, starts }: DaemonOptions,
  reloading: ConfigReload,
  problems: State["problems"],
): ServerDeps["editors"] & Pick<OverlayWriter, "report"> {
  if (starts?.record.aside) problems.start(asideProblem(starts.record.aside));
  const files = new ConfigurationFiles(source?.path ?? null, config.data_dir, writeWhole);
  const overlay = new OverlayWriter({ source: source ?? null, files, reloading, clock, problems });
  return {
    editor: new ConfigurationEditor(overlay),
    settings: new SettingsEditor(overlay),
    history: new OverlayHistory(overlay, files),
    // Reads the configuration again. At a start it follows the first price, which `startServer` lets go out.
    report: () => overlay.report(),
  };
}

async function openModules(given: DaemonOptions, modules: OpenModules): Promise<Daemon> {
  const logLines = new LogMemory(() => given.clock.now());
  const options = { ...given, log: logLines.recording(given.log), signal: modules.stopping.signal };
  const { config, clock, log, ingress = false, commandHint = DEFAULT_HINT } = options;
  const checkKeys = (next: Config) => ingress || requireKeys(next, commandHint);
  checkKeys(config);
  const changes = new ChangeBus();
  const { storage, state, planning } = openData(options, modules, changes);
  const mqtt = modules.add(await startMqtt(options, storage, state, changes));
  const homeAssistant = await openHomeAssistant(options, state);
  if (homeAssistant) modules.add(homeAssistant.entities);
  const plugs = modules.add(
    new Plugs({ ...options, homeAssistant: homeAssistant?.entities }, { storage, state, mqtt, changes }),
  );
  const used = { ...options, homeAssistant, plugs: () => plugs.snapshots() };
  const integrations = modules.add(startIntegrations(used, storage, state, changes));
  const reloading = new ConfigReload(config, { clock, problems: state.problems, log }, checkKeys);
  reloading.applied.subscribe((next) => {
    mqtt.configure(next);
    state.configure(next);
    planning.configure(next);
    plugs.configure(next);
    integrations.configure(next);
    options.onConfig?.(next);
  });
  const editors = openEditors(options, reloading, state.problems);
  const shown = { storage, state, mqtt, plugs, reloading, logLines, editors };
  const server = modules.add(await startServer(options, shown, changes));
  editors.report();
  planning.run();
  // The retained topics of plans and the plugs keep their state until the plans are decided.
  await planning.decided();
  for (const module of [mqtt, plugs]) module.run();
  integrations.run(server.port);
  // Stored data is published before any request is sent. With 100 homes this takes a second.
  void mqtt.firstState.then(() => state.run());
  return {
    apiPort: server.port,
    brokerPort: mqtt.brokerPort,
    published: mqtt.published,
    calendar: state.calendar,
    currentPrices: (now, most) => currentPrices(state, now, most),
    nextRuns: (now) => nextRuns(state, now),
    async reload(read, by) {
      const used = await reloading.reload(read, by);
      editors.report();
      return used;
    },
    isOverlayReplaced: storage.isOverlayReplaced,
    isOtherService: () => reloading.isOtherService,
    async stop() {
      try {
        plugs.shutdown();
        server.shutdown();
      } finally {
        await modules.close();
      }
    },
  };
}
