/** Starts the HTTP API and the socket for commands. Everything they need is loaded here, after the first prices are out. */

import type { ChangeBus } from "./change-bus.ts";
import type { Clock } from "./collector/clock.ts";
import type { Config } from "./config/schema.ts";
import type { SeriesKey } from "./core/series.ts";
import { LiveFeed } from "./live-feed.ts";
import type { State } from "./open-state.ts";
import type { Storage } from "./open-storage.ts";
import type { Reloading } from "./reload.ts";
import type { Mqtt } from "./start-mqtt.ts";
import type { PlugsModule } from "./switching.ts";

export interface ServerOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
  /** Home Assistant passes requests of its users on, and needs no key. */
  readonly ingress?: boolean;
  /** Fires when the daemon ends. */
  readonly signal: AbortSignal;
}

/** The modules that the API shows. */
export interface ServerDeps {
  readonly storage: Storage;
  readonly state: State;
  readonly mqtt: Mqtt;
  readonly plugs: PlugsModule;
  readonly reloading: Reloading;
}

export interface Server {
  readonly port: number;
  /** Ends the event streams. */
  readonly shutdown: () => void;
  readonly close: () => Promise<void>;
}

/** Resolves when the API listens. Errors: throws a StartError where the port cannot be had. */
export async function startServer(options: ServerOptions, deps: ServerDeps, changes: ChangeBus): Promise<Server> {
  const { config, clock, log, ingress = false, signal } = options;
  const { storage, state, mqtt, plugs, reloading } = deps;
  const live = new LiveFeed({ baseTopic: config.mqtt.base_topic, homes: state.homes, startedAt: state.startedAt });
  mqtt.published.subscribe((messages) => live.show(messages));
  changes.seriesChanged.subscribe((series) => live.changed(series));
  const lan = {
    ...{ ...state, ...storage, config, clock, log, ingress, signal, live, plugs, link: mqtt.client },
    onChange: (series: SeriesKey) => changes.seriesChanged.emit(series),
  };
  await mqtt.client.upSoon;
  const { openLan } = await import("./lan-service.ts");
  const api = await openLan(lan);
  reloading.subscribe((next) => {
    api.take(next);
    changes.stateChanged.emit({ home: null });
  });
  const { openDaemonDesk } = await import("./daemon-desk.ts");
  const desk = openDaemonDesk(lan, () => reloading.used, signal);
  return {
    port: api.port,
    shutdown: () => live.close(),
    close: async () => void (await Promise.all([api.close(), desk])),
  };
}
