/** Starts the tested household: the built program with the simulator, two homes, a place, plans and a plug. */

import { deviceId, uniqueIdOf } from "../../src/mqtt/homeassistant/device-id.ts";
import type { EntityRow } from "../../src/mqtt/homeassistant/entity.ts";
import { formatRow, homeRows } from "../../src/mqtt/homeassistant/home-entities.ts";
import { placeRows } from "../../src/mqtt/homeassistant/place-entities.ts";
import { planRows } from "../../src/mqtt/homeassistant/plan-entities.ts";
import { plugRows } from "../../src/mqtt/homeassistant/plug-entities.ts";
import { freePort, Mosquitto } from "../support/broker/mosquitto.ts";
import { MqttPlug } from "../support/plugs/mqtt-plug.ts";
import type { DaemonProcess } from "../support/processes/daemon-process.ts";
import { InstalledDaemon } from "../support/processes/installed-daemon.ts";
import type { Broker } from "./mqtt-integration.ts";
import { RetainedTopics } from "./retained-topics.ts";

const LOGIN = { username: "homeassistant", password: "password-of-a-test" };
const BASE_TOPIC = "elbro";
/** Plan that receives the commands of the tests. The plug follows it. */
export const PLAN = { home: "home", id: "dishwasher", topic: `${BASE_TOPIC}/home/plan/dishwasher` };

/** Prefix of the unique ids of the plug's entities. */
export const PLUG_IDS = `${deviceId(BASE_TOPIC, "plug_dishwasher")}-`;
/** Plan that runs only by command: its window starts 6 h from now. */
export const COMMANDED_PLAN = { home: "home", id: "washing_machine", topic: `${BASE_TOPIC}/home/plan/washing_machine` };

/** Parts of the configuration that a restart may change. */
export interface HouseSetup {
  readonly plug: boolean;
  readonly isWashingEnabled: boolean;
  /** The name of the plan `car`. */
  readonly carName: string;
  /** The name of a plan without an id. */
  readonly vanName: string;
  /** The id of the second home. */
  readonly secondHome: string;
}

const SETUP: HouseSetup = {
  plug: true,
  isWashingEnabled: true,
  carName: "Car",
  vanName: "Van",
  secondHome: "stugan",
};

/** Configured URL of the dashboard. */
export const DASHBOARD_URL = "http://192.168.1.5:8080";
export type BrokerKind = "embedded" | "mosquitto";

/** Rows of a plug that measures. The played plug has no meter. */
/** Settings that a plan has only if it uses them. */
const OF_OTHER_PLANS = /^(energy|percent|tolerance|soc_\w+|up_to|cheap_below|days|min_saving|sun|away)$/;
const OF_A_METER = /^(power|(energy|cost)_(previous_)?month)$/;

/** Returns every row that Home Assistant has to show, by unique id, except the daemon's, which depend on its state. */
export function expectedRows(): ReadonlyMap<string, EntityRow<never>> {
  const devices: readonly (readonly [id: string, rows: readonly EntityRow<never>[]])[] = [
    ["home", [...homeRows, formatRow] as readonly EntityRow<never>[]],
    ["cabin", placeRows as readonly EntityRow<never>[]],
    [
      `${PLAN.home}_plan_${PLAN.id}`,
      planRows.filter(({ key }) => !OF_OTHER_PLANS.test(key)) as readonly EntityRow<never>[],
    ],
    [`${PLAN.home}_plan_scooter`, planRows.filter(({ key }) => key === "energy") as readonly EntityRow<never>[]],
    ["plug_dishwasher", plugRows.filter(({ key }) => !OF_A_METER.test(key)) as readonly EntityRow<never>[]],
  ];
  const all = devices.flatMap(([id, rows]) =>
    rows.map((row) => [uniqueIdOf(deviceId(BASE_TOPIC, id), row.key), row] as const),
  );
  return new Map(all);
}

/** Returns the local time of day `inHours` hours from now, for instance `07:30`. */
export function localTime(inHours: number): string {
  const at = new Date(Date.now() + inHours * 3_600_000);
  return at.toLocaleTimeString("en-GB", { timeZone: "Europe/Copenhagen", hour: "2-digit", minute: "2-digit" });
}

/** Tomorrow's prices are published at 00:00, because a plan waits for them if it could not be met without them. */
const AT_MIDNIGHT = -13 * 60;
const LATER = { from: localTime(6), ready_by: localTime(9) };

export class PlayedHouse implements AsyncDisposable {
  readonly broker: Broker;
  readonly topics: RetainedTopics;
  readonly #installed: InstalledDaemon;
  /** Null if elbro's embedded broker is used. */
  readonly #mosquitto: Mosquitto | null;
  readonly #plug = new MqttPlug("tasmota", { now: Date.now });
  #daemon: DaemonProcess | null = null;
  #hasPlug = false;

  private constructor(installed: InstalledDaemon, mosquitto: Mosquitto | null, port: number) {
    this.#installed = installed;
    this.#mosquitto = mosquitto;
    this.broker = { port, ...LOGIN };
    this.topics = new RetainedTopics(this.broker);
  }

  static async start(kind: BrokerKind): Promise<PlayedHouse> {
    const users = { [LOGIN.username]: LOGIN.password };
    const mosquitto = kind === "mosquitto" ? await Mosquitto.start({ users }) : null;
    const installed = await InstalledDaemon.prepare({ simulator: { publicationDelayMinutes: () => AT_MIDNIGHT } });
    const house = new PlayedHouse(installed, mosquitto, mosquitto?.port ?? (await freePort()));
    await house.up();
    return house;
  }

  /** Starts or restarts the program, and connects the plug. */
  async up(changes: Partial<HouseSetup> = {}): Promise<void> {
    const setup = { ...SETUP, ...changes };
    this.#configure(setup);
    this.#daemon = await this.#installed.launch({ ELBRO_API_URL: DASHBOARD_URL });
    this.#hasPlug = setup.plug;
    await this.#connectPlug();
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    await this.#daemon?.end(signal);
    this.#daemon = null;
  }

  /** Suspends or resumes the process. Its connections stay open. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#daemon?.signal(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.topics[Symbol.asyncDispose]();
    await this.#plug[Symbol.asyncDispose]();
    await this.#daemon?.[Symbol.asyncDispose]();
    await this.#installed[Symbol.asyncDispose]();
    await this.#mosquitto?.[Symbol.asyncDispose]();
  }

  /** Connects the plug again, as a real device would do by itself. */
  async #connectPlug(): Promise<void> {
    this.#plug.disconnect();
    if (this.#hasPlug) await this.#plug.connect(this.broker.port, LOGIN);
  }

  get hasMosquitto(): boolean {
    return this.#mosquitto !== null;
  }

  /** Kills Mosquitto, which loses its retained messages, and starts it again. */
  async restartMosquitto(): Promise<void> {
    await this.#mosquitto?.down("SIGKILL");
    await this.#mosquitto?.up();
    await this.#connectPlug();
  }

  #configure({ plug, isWashingEnabled, carName, vanName, secondHome }: HouseSetup): void {
    const { simulator } = this.#installed;
    const { apiKey: api_key, apiSecret: api_secret } = simulator.keys.thirdParty;
    const { danish, swedish } = simulator.addressIds;
    const { family, topic } = this.#plug.firmware.setup;
    this.#installed.configure({
      third_party: { api_key, api_secret, places: [{ name: "Cabin", latitude: 56.1, longitude: 10.2 }] },
      homes: [
        { address_id: danish, id: "home", resolution: "fifteenMinutes", format: "nordpool" },
        { address_id: swedish, id: secondHome },
      ],
      ...(this.#mosquitto
        ? { mqtt: { url: `mqtt://127.0.0.1:${this.broker.port}`, ...LOGIN } }
        : {
            broker: {
              host: "127.0.0.1",
              port: this.broker.port,
              users: [{ name: LOGIN.username, password: LOGIN.password, commands: true }],
            },
          }),
      plans: [
        { name: "Dishwasher", home: "home", kind: "window", hours: 2, kwh: 1.1, from: "19:00", ready_by: "06:30" },
        { name: "Water heater", home: "home", kind: "below", cheap_below: "35%" },
        { name: "Scooter", home: "home", kind: "window", kwh: 1.5, kw: 1, from: "19:00", ready_by: "06:30" },
        { name: "Washing machine", home: "home", kind: "window", hours: 1, ...LATER, enabled: isWashingEnabled },
        { name: carName, id: "car", home: "home", kind: "slots", hours: 1, ...LATER },
        { name: "Late car", home: "home", kind: "slots", hours: 1, ...LATER },
        { name: vanName, home: "home", kind: "slots", hours: 1, ...LATER },
      ],
      plugs: plug ? [{ name: "Dishwasher", family, topic, plan: PLAN.id }] : [],
    });
  }
}
