/** Starts the HTTP API and the socket for commands. Everything they need is loaded here, after the first prices are out. */

import { type CommandHint, DEFAULT_HINT } from "../config/command-hint.ts";
import type { Config } from "../config/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { LogMemory } from "../core/runtime/log-memory.ts";
import type { SeriesKey } from "../core/series/series.ts";
import type { Mqtt } from "../mqtt/start-mqtt.ts";
import type { PlugsModule } from "../plugs/plug-wiring.ts";
import type { ProxySettings } from "../service/client/proxy.ts";
import type { ChangeBus } from "../state/change-bus.ts";
import type { ConfigReload } from "../state/config-reload.ts";
import type { EntryEditor } from "../state/entry-editor.ts";
import type { State } from "../state/open-state.ts";
import type { SettingsEditor } from "../state/settings-editor.ts";
import type { Storage } from "../storage/open-storage.ts";
import { EventFeed } from "./events/event-source.ts";
import type { SetupOptions } from "./setup/setup.ts";

export interface ServerOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
  /** Home Assistant passes requests of its users on, and needs no key. */
  readonly ingress?: boolean;
  readonly proxy?: ProxySettings | null;
  /** How the owner types a command of this program; `elbro …` by default. */
  readonly commandHint?: CommandHint;
  /** Of an invented house, which a real one may take the place of. */
  readonly setup?: SetupOptions | null;
  /** Fires when the daemon ends. */
  readonly signal: AbortSignal;
}

/** The modules that the API shows. */
export interface ServerDeps {
  readonly storage: Storage;
  readonly state: State;
  readonly mqtt: Mqtt;
  readonly plugs: PlugsModule;
  readonly reloading: ConfigReload;
  readonly editor: EntryEditor;
  readonly settings: SettingsEditor;
  readonly logLines: LogMemory;
}

export interface Server {
  readonly port: number;
  /** Ends the event streams. */
  readonly shutdown: () => void;
  readonly close: () => Promise<void>;
}

/** Resolves when the API listens. Errors: throws a StartError where the port cannot be had. */
export async function startServer(options: ServerOptions, deps: ServerDeps, changes: ChangeBus): Promise<Server> {
  const { config, clock, log, ingress = false, signal, commandHint = DEFAULT_HINT, setup = null } = options;
  const { proxy = null } = options;
  const { storage, state, mqtt, plugs, reloading, editor, settings, logLines } = deps;
  const events = new EventFeed({ baseTopic: config.mqtt.base_topic, homes: state.homes, startedAt: state.startedAt });
  mqtt.published.subscribe((change) =>
    "kept" in change ? events.keepParts(change.kept) : events.show(change.messages, change.part),
  );
  changes.seriesChanged.subscribe((series) => events.changed(series));
  const api = {
    ...{
      config,
      clock,
      log,
      ingress,
      proxy,
      signal,
      commandHint,
      storage,
      state,
      mqtt,
      plugs,
      events,
      editor,
      settings,
      setup,
      logLines,
    },
    onSeriesChanged: (series: SeriesKey) => changes.seriesChanged.emit(series),
  };
  await mqtt.client.upSoon;
  const { openApi } = await import("./api.ts");
  const listener = await openApi(api);
  reloading.applied.subscribe((next) => {
    listener.take(next);
    changes.stateChanged.emit({ home: null });
  });
  const { serveAdmin } = await import("./admin/serve-admin.ts");
  const desk = serveAdmin(api, () => reloading.used, signal);
  return {
    port: listener.port,
    shutdown: () => events.hub.close(),
    close: async () => void (await Promise.all([listener.close(), desk])),
  };
}
