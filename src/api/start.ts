/** Starts the HTTP API and the admin socket. Loads their modules after the first prices were published. */

import { type CommandHint, DEFAULT_HINT } from "../config/command-hint.ts";
import type { Config } from "../config/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { LogMemory } from "../core/runtime/log-memory.ts";
import type { SeriesKey } from "../core/series/series.ts";
import type { Mqtt } from "../mqtt/start-mqtt.ts";
import type { PlannedState } from "../plans/open-plans.ts";
import type { Plugs } from "../plugs/plug-wiring.ts";
import type { ProxySettings } from "../service/client/proxy.ts";
import type { ChangeBus } from "../state/change-bus.ts";
import type { ConfigReload } from "../state/config-reload.ts";
import type { Storage } from "../storage/open-storage.ts";
import type { ApiDeps } from "./api.ts";
import type { Check } from "./broker-check.ts";
import { EventFeed } from "./event-source.ts";
import type { SetupOptions } from "./setup/setup.ts";
import { openSocket, serveSocket } from "./socket.ts";

export interface ServerOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
  /** True if Home Assistant forwards requests of its users, which then need no key. */
  readonly ingress?: boolean;
  readonly proxy?: ProxySettings | null;
  /** Returns the command line that the owner types; `elbro …` by default. */
  readonly commandHint?: CommandHint;
  /** Options of the set-up, which replaces the demo; null if a set-up is not possible. */
  readonly setup?: SetupOptions | null;
  /** Called with an unexpected error of a request, which is logged and answered. */
  readonly onCrash?: (error: unknown) => void;
  /** Fires when the daemon ends. */
  readonly signal: AbortSignal;
}

/** Modules whose data the API serves. */
export interface ServerDeps {
  readonly storage: Storage;
  readonly state: PlannedState;
  readonly mqtt: Mqtt;
  readonly plugs: Pick<Plugs, "snapshots" | "announced" | "tryOut">;
  readonly reloading: ConfigReload;
  readonly editors: Pick<ApiDeps, "editor" | "settings" | "connections" | "history">;
  readonly logLines: LogMemory;
}

export interface Server {
  readonly port: number;
  /** Ends the event streams. */
  readonly shutdown: () => void;
  readonly close: () => Promise<void>;
}

/** Starts the server. Resolves when the API listens. Rejects with a StartError if the port cannot be used. */
export async function startServer(options: ServerOptions, deps: ServerDeps, changes: ChangeBus): Promise<Server> {
  const { config, log, signal } = options;
  const { mqtt, reloading } = deps;
  const api = apiDeps(options, deps, changes, async () => {
    const { checkOfBroker } = await import("./broker-check.ts");
    return checkOfBroker(reloading.used, mqtt.client.status().trouble);
  });
  const { events } = api;
  mqtt.published.subscribe((change) =>
    "kept" in change ? events.keepParts(change.kept) : events.show(change.messages, change.part),
  );
  changes.seriesChanged.subscribe((series) => events.changed(series));
  await mqtt.client.upSoon;
  const { openApi } = await import("./api.ts");
  const listener = await openApi(api);
  reloading.applied.subscribe((next) => {
    listener.configure(next);
    changes.stateChanged.emit({ home: null });
  });
  const socket = openSocket(config.data_dir, listener.owners, { log, signal });
  return {
    port: listener.port,
    shutdown: () => events.hub.close(),
    close: async () => void (await Promise.all([listener.close(), socket])),
  };
}

/** Modules of which a command needs no more than their absence. */
const IDLE = {
  mqtt: {
    client: {
      status: () => ({
        connected: false,
        trouble: null,
        lastTrouble: null,
        refused: new Map<string, never>(),
        connections: 0,
        published: 0,
      }),
    },
  },
  plugs: { snapshots: () => [], announced: async () => [], tryOut: () => "no daemon is running" },
} satisfies ApiParts;

/** Serves the endpoints at a socket for a command, while no daemon runs. */
export async function serveCommand(
  options: ServerOptions,
  deps: Omit<ServerDeps, keyof typeof IDLE>,
  changes: ChangeBus,
  socketPath: string,
): Promise<{ readonly close: () => Promise<void> }> {
  const [{ openOwnersApi }, { checkConfiguredBroker }] = await Promise.all([
    import("./api.ts"),
    import("./broker-check.ts"),
  ]);
  const api = openOwnersApi(
    apiDeps(options, { ...deps, ...IDLE }, changes, () => checkConfiguredBroker(options.config)),
  );
  await serveSocket(socketPath, api.owners, options.signal);
  return api;
}

/** Returns what the endpoints read and change. */
function apiDeps(
  options: ServerOptions,
  { storage, state, mqtt, plugs, editors, logLines }: Omit<ServerDeps, keyof ApiParts> & ApiParts,
  changes: ChangeBus,
  checkBroker: () => Promise<Check>,
) {
  const { config, ingress = false, commandHint = DEFAULT_HINT, setup = null, proxy = null } = options;
  const events = new EventFeed({ baseTopic: config.mqtt.base_topic, homes: state.homes, startedAt: state.startedAt });
  return {
    ...{ ...options, ingress, commandHint, setup, proxy },
    ...{ storage, state, mqtt, plugs, events, ...editors, logLines, checkBroker },
    onSeriesChanged: (series: SeriesKey) => changes.seriesChanged.emit(series),
  };
}

type ApiParts = Pick<ApiDeps, "mqtt" | "plugs">;
