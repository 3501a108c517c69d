/** Starts the HTTP API and the socket of the commands. Loads their modules after the first prices were published. */

import { DEFAULT_HINT } from "../config/command-hint.ts";
import type { SeriesKey } from "../core/series/series.ts";
import type { Mqtt } from "../mqtt/start-mqtt.ts";
import type { ChangeBus } from "../state/change-bus.ts";
import type { ConfigReload } from "../state/config-reload.ts";
import type { ApiDeps } from "./deps.ts";
import { EventFeed } from "./event-source.ts";
import { openSocket, serveSocket } from "./socket.ts";

export interface ServerOptions
  extends Pick<ApiDeps, "config" | "clock" | "log" | "signal">,
    Partial<Pick<ApiDeps, "ingress" | "proxy" | "commandHint" | "setup" | "onCrash" | "starts">> {}

/** Modules whose data the API serves. */
export interface ServerDeps extends Pick<ApiDeps, "storage" | "state" | "plugs" | "logLines"> {
  readonly mqtt: Mqtt;
  readonly reloading: ConfigReload;
  readonly editors: Pick<ApiDeps, "editor" | "settings" | "history">;
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
  const broker = () => ({ url: reloading.used.mqtt.url, trouble: mqtt.client.status().trouble });
  const api = apiDeps(options, deps, changes, broker);
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
  plugs: { snapshots: () => [], todayKwh: () => 0, announced: async () => [], tryOut: () => "no daemon is running" },
} satisfies ApiParts;

/** Serves the endpoints at a socket for a command, while no daemon runs. */
export async function serveCommand(
  options: ServerOptions,
  deps: Omit<ServerDeps, keyof typeof IDLE>,
  changes: ChangeBus,
  socketPath: string,
): Promise<void> {
  const { openOwnersApi } = await import("./api.ts");
  const api = openOwnersApi(apiDeps(options, { ...deps, ...IDLE }, changes, null));
  await serveSocket(socketPath, api.owners, options.signal);
}

function apiDeps(
  options: ServerOptions,
  { editors, ...modules }: Omit<ServerDeps, keyof ApiParts> & ApiParts,
  changes: ChangeBus,
  broker: ApiDeps["broker"],
) {
  const { homes, startedAt } = modules.state;
  return {
    ingress: false,
    commandHint: DEFAULT_HINT,
    setup: null,
    proxy: null,
    ...options,
    ...modules,
    ...editors,
    events: new EventFeed({ baseTopic: options.config.mqtt.base_topic, homes, startedAt }),
    broker,
    onSeriesChanged: (series: SeriesKey) => changes.seriesChanged.emit(series),
  };
}

type ApiParts = Pick<ApiDeps, "mqtt" | "plugs">;
