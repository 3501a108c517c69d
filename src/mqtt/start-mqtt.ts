/** Starts MQTT: the embedded broker, the client, and the loop that publishes the state at each change. */

import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { dashboardUrlOf } from "../config/dashboard-url.ts";
import type { Config } from "../config/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { shardName, shardOfConfig } from "../core/sharding/shard.ts";
import type { BackfillState } from "../core/status/daemon-status.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { PlannedState } from "../plans/open-plans.ts";
import { type ChangeBus, Listeners } from "../state/change-bus.ts";
import { DueLoop } from "../state/due-loop.ts";
import type { Storage } from "../storage/open-storage.ts";
import { BatteryTopics } from "./battery-topics.ts";
import { connectionTo, startBroker } from "./broker/start-broker.ts";
import { BrokerWatch } from "./broker-watch.ts";
import type { Message } from "./client/message.ts";
import { type MqttClient, type MqttClientLog, openMqttClient } from "./client/mqtt-client.ts";
import { OtherShards } from "./other-shards.ts";
import { DAEMON, daemonTopic, PLACES, PLUGS, partOfPlans, StatePublisher } from "./state-publisher.ts";

export interface MqttOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: MqttClientLog;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Accepts clients of this machine at the embedded broker without a login. Used by the demo on loopback only. */
  readonly anonymousBroker: boolean;
  /** Identifier of this machine; empty by default. */
  readonly machine?: string;
  /** Called when the daemon's own state is published, with the progress of the back-fill. */
  readonly onProgress?: (history: BackfillState | null) => void;
  /** Fires when the daemon stops. */
  readonly signal: AbortSignal;
}

/** Messages of a published part, or the names of all parts from now on. */
export type PublishedChange =
  | { readonly part: string; readonly messages: readonly Message[] }
  | { readonly kept: ReadonlySet<string> };

export interface Mqtt {
  readonly client: MqttClient;
  readonly publisher: Pick<StatePublisher, "showPlugs">;
  /** Called with each published part, and when the names of the parts change. */
  readonly published: Listeners<PublishedChange>;
  /** Port of the embedded broker; null if another broker is used. */
  readonly brokerPort: number | null;
  /** Applies the accounts of a new configuration. */
  readonly configure: (next: Config) => void;
  readonly run: () => void;
  /** Resolves when the loop has shown the stored state. */
  readonly shown: Promise<void>;
  /** Waits until `offline` was published and the connection is closed. */
  readonly close: () => Promise<void>;
}

/**
 * Starts MQTT. Prices are published as soon as the connection is up; everything else follows after `run`.
 * Rejects with a StartError if the embedded broker cannot use its port.
 */
export async function startMqtt(
  options: MqttOptions,
  storage: Storage,
  state: PlannedState,
  changes: ChangeBus,
): Promise<Mqtt> {
  const { config, clock, log, signal } = options;
  const broker = await startBroker(config, log, { anonymous: options.anonymousBroker });
  const showing = new StatePublisher({ ...state, settings: storage.settings, config, log });
  const others = new OtherShards(config);
  const client = openMqttClient(
    {
      ...connectionTo(broker, config),
      clientId: clientIdOf(options, storage.settings),
      baseTopic: config.mqtt.base_topic,
      statusTopic: `${daemonTopic(config)}/status`,
      isOthers: (topic) => others.publish(topic),
      discoveryPrefix: config.mqtt.discovery_prefix,
      commands: {
        "command/refresh": () => {
          state.refresh();
          changes.stateChanged.emit({ home: null });
          return { kind: "done" };
        },
        "+/once/set": (levels, payload) =>
          others.isOwnHome(levels[0]) ? state.plans.onceAt(levels, payload, clock.now()) : { kind: "ignored" },
        "+/away/set": ([home = ""], payload) =>
          others.isOwnHome(home) ? state.plans.setAway(home, payload, clock.now()) : { kind: "ignored" },
        "+/plan/+/+/set": (levels, payload) =>
          others.isOwnHome(levels[0]) ? state.plans.command(levels, payload, clock.now()) : { kind: "ignored" },
      },
      onRefusedCommand: (command, reason) => {
        showing.showRefused({ command, reason, at: clock.now() });
        changes.stateChanged.emit({ home: null });
      },
      memory: storage.settings,
      ...{ log, random: options.random },
    },
    signal,
  );
  const batteries = new BatteryTopics({ client, plans: state.plans, now: () => clock.now(), log });
  client.addListener(batteries);
  showFirstPrices(state, showing, client);
  const { loop, published } = publicationLoop(options, state, showing, client);
  changes.stateChanged.subscribe(({ home }) => loop.changed(...(home === null ? [] : [home]), PLACES, PLUGS));
  let { circles } = state.plans;
  changes.plansDecided.subscribe(({ circle }) => {
    loop.changed(partOfPlans(circle));
    // The set is another one after the plans were replaced.
    if (circles !== state.plans.circles) batteries.take();
    circles = state.plans.circles;
  });
  let running: Promise<void> | null = null;
  return {
    ...{ client, publisher: showing, published, brokerPort: broker?.port ?? null, shown: loop.ready },
    configure(next) {
      others.configure(next);
      if (next.broker.tls) broker?.useTls(next.broker.tls);
      const { homes, plans } = state;
      if (showing.linkTo(dashboardUrlOf(next.api)))
        loop.changed(...homes.ids, ...[...plans.circles].map(partOfPlans), PLACES, PLUGS);
    },
    run() {
      running = loop.run(signal);
    },
    async close() {
      await Promise.all([client.closed, running]);
      await broker?.close();
    },
  };
}

/** Time in ms that a start may spend on prices before it continues. One home takes a few milliseconds. */
const FIRST_PRICES_MS = 20;

/** Publishes the prices of the first homes at once. Those of the others follow when the loop runs. */
function showFirstPrices({ homes, startedAt }: PlannedState, showing: StatePublisher, client: MqttClient): void {
  const until = performance.now() + FIRST_PRICES_MS;
  for (const home of homes.list()) {
    client.showFirst(showing.pricesOf(home, startedAt), home.id);
    if (performance.now() > until) return;
  }
}

/**
 * Maximum number of accounts with which the daemon's own state is published at each change. With more accounts, the
 * minimum interval in ms is PACE_MS times their number.
 */
const SHOWN_AT_ONCE = 20;
const PACE_MS = 10;

/** Creates the loop that publishes each part when it changes, at the latest at the next interval boundary. */
function publicationLoop(
  { clock, onProgress, signal }: MqttOptions,
  state: PlannedState,
  showing: StatePublisher,
  client: MqttClient,
) {
  const { homes, plans, accounts, isTimeTrusted } = state;
  const published = new Listeners<PublishedChange>();
  const watch = new BrokerWatch(state.problems);
  let known: readonly unknown[] = [];
  let parts: ReadonlySet<string> = new Set();
  const show = (part: string, messages: readonly Message[]) => {
    client.show(messages, part);
    published.emit({ part, messages });
  };
  let daemonShownAt = Number.NEGATIVE_INFINITY;
  const showDaemon = async (now: EpochMs): Promise<EpochMs> => {
    const paceMs = accounts.all.length > SHOWN_AT_ONCE ? accounts.all.length * PACE_MS : 0;
    const since = clock.monotonicMs() - daemonShownAt;
    if (since < paceMs) return now + paceMs - since;
    daemonShownAt = clock.monotonicMs();
    const daemon = await state.daemonState(now);
    show(DAEMON, showing.daemon(daemon));
    onProgress?.(daemon.backfill);
    return Number.POSITIVE_INFINITY;
  };
  const loop = new DueLoop({
    clock,
    items() {
      const present = [homes.ids, plans.circles];
      if (present.some((each, i) => each !== known[i])) {
        known = present;
        parts = new Set([...homes.ids, PLACES, ...[...plans.circles].map(partOfPlans), PLUGS]);
      }
      return parts;
    },
    work(part, now) {
      const { messages, events, until } = showing.part(part, now);
      show(part, messages);
      for (const { topic, payload } of events) client.sendCommand(topic, payload);
      return until;
    },
    first(part, now) {
      const home = homes.named(part);
      if (home) client.showFirst(showing.pricesOf(home, now), part);
    },
    async kept(kept) {
      if (daemonShownAt === Number.NEGATIVE_INFINITY) await showDaemon(clock.now());
      client.keepParts(new Set([...kept, DAEMON]));
      published.emit({ kept: new Set([...kept, DAEMON]) });
    },
    async finish(now) {
      const clockAt = state.checkClock(now);
      state.checkMachine(now);
      const lookAt = watch.look(client.status(), now, clock.monotonicMs());
      return Math.min(clockAt, lookAt, await showDaemon(now));
    },
    trust: isTimeTrusted,
    heartbeat: state.stats.heartbeat("showing", signal),
  });
  const wake = () => loop.wake();
  client.addListener({ subscriptions: [], onMessage: () => undefined, onUp: wake, onDown: wake, onRefused: wake });
  return { published, loop };
}

/**
 * Returns the client id of this data directory on this machine.
 * A copy of the directory gets an id of its own, because a broker disconnects the older of two clients with one id.
 */
function clientIdOf({ config, machine = "", random }: MqttOptions, settings: Storage["settings"]): string {
  const place = createHash("sha256")
    .update(`${machine}\n${realpathSync(config.data_dir)}`)
    .digest("hex");
  const isCopy = (settings.read("client_place") ?? place) !== place;
  const kept = isCopy ? null : settings.read("client_id");
  const id = kept ?? `elbro_${Math.floor(random() * 2 ** 32).toString(16)}`;
  if (kept === null) settings.write("client_id", id);
  if (settings.read("client_place") !== place) settings.write("client_place", place);
  const shard = shardName(shardOfConfig(config));
  return shard === null ? id : id.replace("elbro_", `elbro_${shard}_`);
}
