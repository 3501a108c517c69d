/**
 * Makes the messages of the current state, in parts: each home, all places, each circle of plans that depend on each
 * other, all plugs, and the daemon.
 */
import { dashboardUrlOf } from "../config/dashboard-url.ts";
import type { Config } from "../config/schema/schema.ts";
import { awayText } from "../core/planning/setting-rows.ts";
import type { PlugSnapshot } from "../core/plugs/plug-snapshot.ts";
import type { Home, HomeSnapshot } from "../core/prices/home-snapshot.ts";
import type { HomeUsage } from "../core/prices/usage.ts";
import { shardName, shardOfConfig } from "../core/sharding/shard.ts";
import type { DaemonState } from "../core/status/daemon-status.ts";
import { HOMEPAGE, VERSION } from "../core/status/version.ts";
import { type EpochMs, MINUTE_MS, QUARTER_MS, stepEnd } from "../core/time/interval.ts";
import type { PlannedState } from "../plans/open-plans.ts";
import { exportSnapshotOf, exportTimelineOf } from "../state/export-prices.ts";
import { publishedSnapshot } from "../state/price-reader.ts";
import type { KeyValueStore } from "../storage/key-value-store.ts";
import type { RetainedMessage } from "./client/message.ts";
import { Announcer } from "./homeassistant/announcer.ts";
import { daemonDevice } from "./homeassistant/daemon-entities.ts";
import { type Device, deviceTopic, EVENT_TOPIC, stateMessages } from "./homeassistant/entity.ts";
import { type Happening, Happenings } from "./homeassistant/happenings.ts";
import { homeDevice } from "./homeassistant/home-entities.ts";
import { placeDevice } from "./homeassistant/place-entities.ts";
import { planDevice } from "./homeassistant/plan-entities.ts";
import { plugDevice } from "./homeassistant/plug-entities.ts";
import { PLACES, PLANS } from "./parts.ts";
import { daemonMessages, type RefusedTopic } from "./topics/daemon-topics.ts";
import { exportMessage, formatMessages } from "./topics/format-topics.ts";
import { homeMessages, urgentMessages } from "./topics/home-topics.ts";
import { placeMessages } from "./topics/place-topics.ts";
import { awayMessage, planMessages, signalMessage } from "./topics/plan-topics.ts";
import { plugMessages } from "./topics/plug-topics.ts";
import { peakMessages, usageMessages } from "./topics/usage-topics.ts";

export interface StatePublisherDeps
  extends Pick<PlannedState, "homes" | "places" | "plans" | "homeReader" | "calendar" | "isTimeTrusted" | "problems"> {
  readonly log: { info(facts: object, text: string): void };
  readonly config: Config;
  readonly settings: KeyValueStore;
}

/** Messages of a part, and the time until which they stay valid without new data. */
export interface PublishedPart {
  /** Every message of the part. A topic that is missing has no value any more. */
  readonly messages: readonly RetainedMessage[];
  /** Events since the part was made before; not retained. */
  readonly events: readonly RetainedMessage[];
  readonly until: EpochMs;
}

/** Maximum time between two heartbeats. */
const MAX_SLEEP_MS = 60 * MINUTE_MS;

export class StatePublisher {
  readonly #deps: StatePublisherDeps;
  readonly #announcer: Announcer;
  readonly #happenings: Happenings;
  /** Whether the quarter-hour prices of a home repeated its hourly prices when last read. Bounded by the homes. */
  readonly #repeating = new Map<string, boolean>();
  /** Returns the plugs. Empty until the plugs module calls `showPlugs`. */
  #plugs: () => readonly PlugSnapshot[] = () => [];
  #refusedCommand: RefusedTopic | null = null;

  constructor(deps: StatePublisherDeps) {
    const { base_topic: baseTopic, discovery_prefix: prefix, time_entities: timeEntities } = deps.config.mqtt;
    const { language } = deps.config;
    this.#deps = deps;
    this.#happenings = new Happenings(deps.calendar);
    const dashboardUrl = dashboardUrlOf(deps.config.api);
    const daemon = shardName(shardOfConfig(deps.config));
    this.#announcer = new Announcer(
      { baseTopic, daemon, prefix, language, version: VERSION, supportUrl: HOMEPAGE, timeEntities, dashboardUrl },
      deps.settings,
    );
  }

  /** Links the devices in Home Assistant to another dashboard. Returns whether their messages change. */
  linkTo(dashboardUrl: string | undefined): boolean {
    return this.#announcer.linkTo(dashboardUrl);
  }

  /** Returns the prices of a home at `now`, or the signals of decided plans. They take a fraction of the time of the whole part. */
  urgent(part: string, now: EpochMs): readonly RetainedMessage[] {
    const { config, homes, homeReader, plans } = this.#deps;
    const base = config.mqtt.base_topic;
    const decided = part.startsWith(PLANS) ? plans.snapshotsOf(part.slice(PLANS.length)) : null;
    if (decided) return decided.map((plan) => signalMessage(base, plan));
    const home = homes.named(part);
    const snapshotOf = (of: Home, at: EpochMs) => homeReader.urgentSnapshot(of, at);
    return home ? urgentMessages(base, publishedSnapshot(this.#deps, home, now, snapshotOf)) : [];
  }

  /** Returns the whole state of a home at `now`. */
  home(home: Home, now: EpochMs): PublishedPart {
    const { config, homes, homeReader, calendar, plans } = this.#deps;
    const base = config.mqtt.base_topic;
    const snapshot = this.#snapshot(home, now);
    const usage = homeReader.usage(home, now);
    const region = homes.address(home.addressId)?.region ?? null;
    const sold = () => exportTimelineOf(this.#deps, home, now);
    const exported = sells(home, usage) ? exportSnapshotOf(this.#deps, home, now) : null;
    const month = homeReader.month(home, now);
    const away = plans.circleOf(home.id) === null ? null : (awayText(plans.holidays.of(home.id)) ?? "off");
    const device = homeDevice({ prices: snapshot, sold: exported, usage, month, away });
    const source = { snapshot, calendar, region, sold };
    // Attributes before their states, because automations react to a change of state.
    const messages = [...homeMessages(base, snapshot), ...formatMessages(base, source)];
    if (exported) messages.push(exportMessage(base, { ...source, snapshot: exported }));
    messages.push(
      ...stateMessages(base, device),
      ...usageMessages(base, home.id, usage),
      ...peakMessages(base, home.id, month),
    );
    if (device.currency !== null) messages.push(this.#announcer.messageOf(device));
    const events = this.#happenings.ofHome(snapshot).map(eventOf(base, device));
    return { messages, events, until: Math.min(now + MAX_SLEEP_MS, snapshot.nextChangeAt) };
  }

  /** Returns a part by its name. */
  part(name: string, now: EpochMs): PublishedPart {
    const home = this.#deps.homes.named(name);
    if (home) return this.home(home, now);
    if (name.startsWith(PLANS)) return this.#planPart(name.slice(PLANS.length));
    return name === PLACES ? this.#placesAt(now) : this.#plugsAt(now);
  }

  #placesAt(now: EpochMs): PublishedPart {
    const { homes, places, isTimeTrusted } = this.#deps;
    const isTrusted = isTimeTrusted(now);
    const snapshots = places.snapshots(now, homes.ids).map((place) => (isTrusted ? place : { ...place, cheap: null }));
    const until = Math.min(now + MAX_SLEEP_MS, ...snapshots.flatMap(({ nextChangeAt }) => nextChangeAt ?? []));
    return { messages: this.#messagesOf(snapshots, placeDevice, placeMessages), events: [], until };
  }

  /** Plans change only when they are decided, at least once in each quarter of an hour. */
  #planPart(circle: string): PublishedPart {
    const { plans, config } = this.#deps;
    const base = config.mqtt.base_topic;
    const snapshots = plans.snapshotsOf(circle);
    const homes = [...new Set(snapshots.map(({ definition }) => definition.home))];
    const away = homes.map((home) => awayMessage(base, home, plans.holidays.of(home)));
    const messages = [...away, ...this.#messagesOf(snapshots, planDevice, planMessages)];
    const events = snapshots.flatMap((plan) => this.#happenings.ofPlan(plan).map(eventOf(base, planDevice(plan))));
    return { messages, events, until: Number.POSITIVE_INFINITY };
  }

  #plugsAt(now: EpochMs): PublishedPart {
    const { plans } = this.#deps;
    const planOf = ({ plan }: PlugSnapshot) => (plan === null ? null : plans.snapshot(plan));
    const deviceOf = (plug: PlugSnapshot) => {
      const plan = planOf(plug);
      return plugDevice(plug, plan && planDevice(plan));
    };
    const messages = this.#messagesOf(this.#plugs(), deviceOf, plugMessages);
    return { messages, events: [], until: stepEnd(now, QUARTER_MS) };
  }

  /** Returns the state messages of all items of a kind, then their discovery documents. */
  #messagesOf<Shown, State>(
    all: readonly Shown[],
    deviceOf: (shown: Shown) => Device<State>,
    topicsOf: (base: string, shown: Shown) => readonly RetainedMessage[],
  ): readonly RetainedMessage[] {
    const base = this.#deps.config.mqtt.base_topic;
    const devices = all.map((plug) => ({ plug, device: deviceOf(plug) }));
    const states = devices.flatMap(({ plug, device }) => [...topicsOf(base, plug), ...stateMessages(base, device)]);
    return [...states, ...devices.map(({ device }) => this.#announcer.messageOf(device))];
  }

  /** Returns the messages about the daemon itself. */
  daemon(state: DaemonState): readonly RetainedMessage[] {
    const { config } = this.#deps;
    const base = config.mqtt.base_topic;
    const view = { ...state, refusedCommand: this.#refusedCommand };
    const shard = shardName(shardOfConfig(config));
    const device = daemonDevice(view, nameOfDaemon(base, shard), shard);
    return [
      ...daemonMessages(daemonTopic(config), view, config.language),
      ...stateMessages(base, device),
      this.#announcer.messageOf(device),
    ];
  }

  /** Sets the source of the plugs to publish. */
  showPlugs(snapshots: () => readonly PlugSnapshot[]): void {
    this.#plugs = snapshots;
  }

  /** Sets the last refused command. */
  showRefused(refused: RefusedTopic): void {
    this.#refusedCommand = refused;
  }

  #snapshot(home: Home, now: EpochMs): HomeSnapshot {
    const { log } = this.#deps;
    const snapshot = publishedSnapshot(this.#deps, home, now);
    if (snapshot.today.length > 0 && snapshot.quartersRepeatHours !== this.#repeating.get(home.id)) {
      if (snapshot.quartersRepeatHours)
        log.info({ home: home.id }, "the service returns the hourly price for all four quarters");
      this.#repeating.set(home.id, snapshot.quartersRepeatHours);
    }
    return snapshot;
  }
}

/** Returns whether a home exports energy: the service has returned its export, or its terms are configured. */
function sells({ exportTerms }: Home, { solarExport, solarExportRevenue }: HomeUsage): boolean {
  return exportTerms !== undefined || solarExport !== null || solarExportRevenue !== null;
}

/** Returns the message of an event of a device. */
function eventOf(base: string, device: Pick<Device<never>, "id" | "path">) {
  return (happening: Happening): RetainedMessage => ({
    topic: `${deviceTopic(base, device)}/${EVENT_TOPIC}`,
    payload: JSON.stringify(happening),
  });
}

/** Returns the topic of the daemon itself. Each shard has its own. */
export function daemonTopic(config: Pick<Config, "mqtt" | "shard">): string {
  const shard = shardName(shardOfConfig(config));
  return shard === null ? config.mqtt.base_topic : `${config.mqtt.base_topic}/${shard}`;
}

/** Returns the name of the daemon, which differs for each base topic and shard. */
function nameOfDaemon(baseTopic: string, shard: string | null): string {
  return ["elbro", ...(baseTopic === "elbro" ? [] : [baseTopic]), ...(shard === null ? [] : [shard])].join(" ");
}
