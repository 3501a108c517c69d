/** Starts MQTT: the embedded broker, the client, and the loop that publishes the state at each change. */

import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { dashboardUrlOf } from "../config/dashboard-url.ts";
import type { Config } from "../config/schema/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { shardName, shardOfConfig } from "../core/sharding/shard.ts";
import type { PlannedState } from "../plans/open-plans.ts";
import type { ChangeBus, Listeners } from "../state/change-bus.ts";
import { OVER_MQTT } from "../storage/noted-changes.ts";
import type { Storage } from "../storage/open-storage.ts";
import { BatteryTopics } from "./battery-topics.ts";
import { connectionTo, startBroker } from "./broker/start-broker.ts";
import type { CommandHandler, CommandTable } from "./client/commands.ts";
import { MqttClient, type MqttClientLog } from "./client/mqtt-client.ts";
import { otherShards } from "./other-shards.ts";
import { PLACES, PLUGS, partOfPlans } from "./parts.ts";
import { Publication, type PublicationOptions, type PublishedChange } from "./publication.ts";
import { daemonTopic, StatePublisher } from "./state-publisher.ts";

export interface MqttOptions extends PublicationOptions {
  readonly config: Config;
  readonly log: MqttClientLog;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Accepts clients of this machine at the embedded broker without a login. Used by the demo on loopback only. */
  readonly anonymousBroker: boolean;
  /** The record of this start: long retained messages are ignored while something is set aside. */
  readonly starts?: { readonly record: { readonly aside: object | null } };
  /** Identifier of this machine; empty by default. */
  readonly machine?: string;
}

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
  readonly firstState: Promise<void>;
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
  let others = otherShards(config);
  const client = new MqttClient(
    {
      ...connectionTo(broker, config),
      clientId: clientIdOf(options, storage.settings),
      baseTopic: config.mqtt.base_topic,
      statusTopic: `${daemonTopic(config)}/status`,
      isOthers: (topic) => others.publish(topic),
      discoveryPrefix: config.mqtt.discovery_prefix,
      commands: commandsOf(state, { changes, clock, isOwnHome: (home) => others.isOwnHome(home) }),
      onRefusedCommand: (command, reason) => {
        showing.showRefused({ command, reason, at: clock.now() });
        changes.stateChanged.emit({ home: null });
      },
      ignoresDocuments: Boolean(options.starts?.record.aside),
      memory: storage.settings,
      ...{ log, random: options.random },
    },
    signal,
  );
  const batteries = new BatteryTopics({ client, plans: state.plans, now: () => clock.now() });
  client.addListener(batteries);
  const { loop, published } = new Publication(options, { state, showing, client });
  changes.stateChanged.subscribe(({ home }) => loop.changed(...(home === null ? [] : [home]), PLACES, PLUGS));
  changes.plansDecided.subscribe(({ circle }) => {
    loop.changed(partOfPlans(circle));
    batteries.update();
  });
  let running: Promise<void> | null = null;
  return {
    client,
    publisher: showing,
    published,
    brokerPort: broker?.port ?? null,
    firstState: loop.ready,
    configure(next) {
      others = otherShards(next);
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

/** Returns the commands that the daemon accepts, by topic below the base topic. */
function commandsOf(
  { plans, refresh }: Pick<PlannedState, "plans" | "refresh">,
  {
    changes,
    clock,
    isOwnHome,
  }: { readonly changes: ChangeBus; readonly clock: Clock; readonly isOwnHome: (home: string | undefined) => boolean },
): CommandTable {
  const atHome =
    (command: CommandHandler): CommandHandler =>
    (levels, payload) =>
      isOwnHome(levels[0]) ? command(levels, payload) : { kind: "ignored" };
  return {
    "command/refresh": () => {
      refresh();
      changes.stateChanged.emit({ home: null });
      return { kind: "done" };
    },
    "+/once/set": atHome((levels, payload) => plans.onceAt(levels, payload, clock.now())),
    "+/away/set": atHome(([home = ""], payload) => plans.holidays.set(home, payload, clock.now(), OVER_MQTT)),
    "+/plan/+/+/set": atHome((levels, payload) => plans.commands.take(levels, payload, clock.now())),
  };
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
  const stored = isCopy ? null : settings.read("client_id");
  const id = stored ?? `elbro_${Math.floor(random() * 2 ** 32).toString(16)}`;
  if (stored === null) settings.write("client_id", id);
  if (settings.read("client_place") !== place) settings.write("client_place", place);
  const shard = shardName(shardOfConfig(config));
  return shard === null ? id : id.replace("elbro_", `elbro_${shard}_`);
}
