/** Connects the configured plugs with plans, signals and MQTT, and runs their loop. */

import { entryId } from "../config/entry-list.ts";
import { unknownHome } from "../config/reading/suggest-key.ts";
import { deviceOf, type PlugConfig, plansOf, whenLostOfPlug } from "../config/schema/plug-schema.ts";
import type { Config } from "../config/schema/schema.ts";
import type { Language } from "../core/language/language.ts";
import { message, messageOr, sayIn } from "../core/language/text.ts";
import type { PlugSnapshot } from "../core/plugs/plug-snapshot.ts";
import type { Wanted } from "../core/plugs/plug-types.ts";
import type { HomeSnapshot } from "../core/prices/home-snapshot.ts";
import type { PlaceSnapshot } from "../core/prices/place-snapshot.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { slugOf } from "../core/text/slug.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { Mqtt } from "../mqtt/start-mqtt.ts";
import type { PlannedState } from "../plans/open-plans.ts";
import type { ChangeBus } from "../state/change-bus.ts";
import { DueLoop } from "../state/due-loop.ts";
import type { Storage } from "../storage/open-storage.ts";
import { PlugEnergyStore } from "../storage/plug-energy-store.ts";
import { type Announced, AnnouncedPlugs } from "./announced-plugs.ts";
import { openHttpPlug } from "./http-plug.ts";
import { plugEnergy } from "./plug-energy.ts";
import { PlugManager, type PlugManagerDeps } from "./plug-manager.ts";

export interface PlugsOptions {
  readonly config: Pick<Config, "plans" | "plugs" | "mqtt" | "accounts_dir" | "language">;
  readonly clock: Clock;
  readonly log: PlugManagerDeps["log"];
  /** Null if no Home Assistant is configured. */
  readonly homeAssistant: PlugManagerDeps["homeAssistant"];
  /** Fires when the daemon stops. */
  readonly signal: AbortSignal;
}

/** Parts of the state that plugs follow. */
type Followed = Pick<PlannedState, "homes" | "homeReader" | "places" | "plans" | "problems">;

type Signal = Pick<HomeSnapshot | PlaceSnapshot, "cheap" | "current" | "level" | "nextChangeAt">;

export interface PlugsDeps {
  readonly storage: Pick<Storage, "settings" | "database" | "writing">;
  readonly state: Followed & Pick<PlannedState, "calendar" | "isTimeTrusted" | "stats">;
  readonly mqtt: Pick<Mqtt, "client" | "publisher" | "published">;
  readonly changes: ChangeBus;
}

/** The only item of the loop: all plugs are switched together. */
const ALL_PLUGS: ReadonlySet<string> = new Set(["plugs"]);

/** The configured plugs. Subscribes at once, and switches them after `run`. */
export class Plugs {
  readonly #options: PlugsOptions;
  readonly #deps: PlugsDeps;
  readonly #energyStore: PlugEnergyStore;
  readonly #manager: PlugManager;
  readonly #announced: AnnouncedPlugs;
  #config: Pick<Config, "plans" | "plugs">;
  /** Null while there are no plugs. */
  #loop: DueLoop | null = null;
  #isRunning = false;
  #running: Promise<void> | null = null;

  constructor(options: PlugsOptions, deps: PlugsDeps) {
    const { storage, mqtt, changes } = deps;
    this.#options = options;
    this.#deps = deps;
    this.#config = options.config;
    this.#energyStore = new PlugEnergyStore(storage.database, storage.writing);
    this.#energyStore.keepOnly(this.#config.plugs.map(entryId));
    this.#manager = this.#openManager();
    this.#announced = new AnnouncedPlugs(mqtt.client);
    mqtt.publisher.showPlugs(() => this.snapshots());
    mqtt.client.addListener(this.#manager);
    mqtt.published.subscribe(() => this.#wake());
    changes.plansDecided.subscribe(() => this.#wake());
    this.#openLoop();
  }

  snapshots(): readonly PlugSnapshot[] {
    return this.#manager.snapshots();
  }

  /** Returns the energy of a plug today, up to the last whole quarter-hour. Unit: kWh. */
  todayKwh(id: string, now: EpochMs): number {
    return this.#energyStore.totals(id, { start: this.#deps.state.calendar.startOf("day", now), end: now }).kwh;
  }

  /** Returns the plugs that announced themselves, with their id in the configuration. The first call takes 1.5 s. */
  async announced(): Promise<readonly (Announced & { readonly configured: string | null })[]> {
    const ids = new Map(this.#config.plugs.map((plug) => [deviceOf(plug), entryId(plug)]));
    return (await this.#announced.list()).map((plug) => ({ ...plug, configured: ids.get(deviceOf(plug)) ?? null }));
  }

  /** Switches a plug ON for 10 s. Returns the reason if it does not; null if the command was sent. */
  tryOut(id: string, now: EpochMs, language: Language): string | null {
    return this.#manager.tryOut(id, now, language);
  }

  /** Applies the plugs of a new configuration. Unchanged ones continue. */
  configure(next: Pick<Config, "plans" | "plugs">): void {
    const { client } = this.#deps.mqtt;
    this.#config = next;
    this.#energyStore.keepOnly(next.plugs.map(entryId));
    const { gone, left, topics } = this.#manager.configure(next.plugs, client.status().connected);
    for (const id of gone) this.#deps.state.problems.end(homeSubject(id));
    client.unsubscribe(left);
    client.subscribe(topics);
    this.#openLoop();
    this.#wake();
  }

  run(): void {
    this.#isRunning = true;
    this.#openLoop();
  }

  /** Sends the last commands. Has to be called while the connection is up. */
  shutdown(): void {
    this.#manager.shutdown();
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#manager.close();
  }

  #wake(): void {
    this.#loop?.changed(...ALL_PLUGS);
  }

  #openLoop(): void {
    const { clock, signal } = this.#options;
    const { stats, isTimeTrusted } = this.#deps.state;
    if (this.#config.plugs.length > 0)
      this.#loop ??= new DueLoop({
        clock,
        items: () => ALL_PLUGS,
        work: (_, now) => this.#manager.tick(now),
        trust: isTimeTrusted,
        heartbeat: stats.heartbeat("switching", signal),
      });
    if (this.#isRunning && this.#loop) this.#running ??= this.#loop.run(signal);
  }

  #openManager(): PlugManager {
    const { config, log, homeAssistant = null } = this.#options;
    const { storage, state, mqtt, changes } = this.#deps;
    const { plans, problems, isTimeTrusted } = state;
    return new PlugManager({
      baseTopic: config.mqtt.base_topic,
      plugs: config.plugs,
      publishOnce: (topic, payload) => mqtt.client.sendCommand(topic, payload),
      wanted: (plug, now) => wantedOf(plug, state, config.language, now),
      isDeciding: (plug, now) => plans.isDue(plans.withOnce(plansOf(plug)), now),
      whenLost: (plug) => whenLostOfPlug(plug, this.#config.plans),
      openHttp: openHttpPlug,
      homeAssistant,
      trusted: isTimeTrusted,
      machineIs: (plug, machine, now) => {
        for (const plan of plansOf(plug)) plans.machineIs(plan, machine, now);
      },
      takesMachine: (plug, now) => plansOf(plug).some((plan) => plans.takesMachine(plan, now)),
      energy: plugEnergy(this.#energyStore, state, () => this.#config.plans),
      memory: storage.settings,
      onChange: () => changes.stateChanged.emit({ home: null }),
      wake: () => this.#wake(),
      problems,
      language: config.language,
      log,
    });
  }
}

function wantedOf(plug: PlugConfig, state: Followed, language: Language, now: EpochMs): Wanted | null {
  const { homes, homeReader, places, plans } = state;
  if (plug.plan !== undefined) return plans.wantedByAny(plansOf(plug), plug.home ?? null);
  const home = plug.home === undefined ? null : homes.named(plug.home);
  if (home) {
    reportHome(plug, null, state, now);
    return wantedAt(home.name, homeReader.snapshot(home, now), language);
  }
  const around = places.snapshots(now, homes.ids);
  // The configuration names a place by its current name; its id may be that of an earlier name.
  const found =
    around.find(({ place }) => place.id === plug.home) ?? around.find(({ place }) => slugOf(place.name) === plug.home);
  const ids = [...homes.ids, ...around.map(({ place }) => place.id)];
  if (homes.known || found) reportHome(plug, found ? null : ids, state, now);
  return found ? wantedAt(found.place.name, found, language) : null;
}

/** Returns the state that the signal of a home or place demands; null if the signal is unknown. */
function wantedAt(name: string, { cheap, current, level, nextChangeAt }: Signal, language: Language): Wanted | null {
  if (cheap === null) return null;
  const say = sayIn(language);
  const isEstimate = current !== null && "estimate" in current && current.estimate;
  const basis = isEstimate ? say(cheap ? "plug.by_estimate" : "plug.only_estimate") : "";
  const reason = `${say("plug.price_is", { name, level: messageOr(`level.${level}`, String(level)) })}${basis}`;
  return { on: cheap, until: nextChangeAt, reason };
}

/** Starts or ends the problem of a plug with an unknown home. `ids` are the known homes; null ends the problem. */
function reportHome(plug: PlugConfig, ids: readonly string[] | null, { problems }: Followed, now: EpochMs): void {
  const subject = homeSubject(entryId(plug));
  if (ids === null) {
    problems.end(subject);
    return;
  }
  const owner = message("word.owner_plug", { name: plug.name });
  problems.start(unknownHome({ subject, since: now, home: plug.home ?? "", owner }, ids));
}

function homeSubject(id: string): string {
  return `home of plug ${id}`;
}
