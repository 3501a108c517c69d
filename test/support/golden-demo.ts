/**
 * The demo as users start it, at one moment: the built program with a clock that stands still, random numbers that are
 * one half, and the simulator's usual seed. What it shows is then the same at every start. Only the command line and the
 * environment are used, so that nothing inside the program is known here.
 */
import { DaemonProcess } from "./daemon-process.ts";

/** A day on which the prices of tomorrow are out, and on which nothing is special. */
const START = Date.parse("2026-06-10T12:20:00Z");
/** Simulated seconds per second. A millisecond passes in eleven days. */
const STANDS_STILL = "0.000000001";
/** The one source of random numbers that decides what is shown: when requests are sent, ids of clients. */
const NO_CHANCE = "--import data:text/javascript,Math.random=()=>0.5";

/** Keys of the demo's LAN API. */
export const GOLDEN_KEYS = { control: "demo", read: "reader-of-the-golden-files", few: "few-requests-a-minute" };
export const GOLDEN_PARTNER = { apiKey: "golden-partner", apiSecret: "golden-secret" };
/** A page elsewhere that may read answers. */
export const GOLDEN_ORIGIN = "https://panel.example.org";

/** The demo, with what it lacks to show everything: plugs, keys of each kind, a page elsewhere. */
const ENVIRONMENT = {
  NODE_OPTIONS: NO_CHANCE,
  ELBRO_API_PORT: "0",
  ELBRO_BROKER_PORT: "0",
  ELBRO_API_REQUESTS_PER_MINUTE: "1000",
  ELBRO_API_CORS: JSON.stringify([GOLDEN_ORIGIN]),
  ELBRO_API_KEYS: JSON.stringify([
    { name: "demo", key: GOLDEN_KEYS.control, scopes: ["read", "control"] },
    { name: "reader", key: GOLDEN_KEYS.read },
    { name: "few", key: GOLDEN_KEYS.few, requests_per_minute: 2 },
  ]),
  ELBRO_API_THIRD_PARTY_KEYS: JSON.stringify([
    { name: "partner", api_key: GOLDEN_PARTNER.apiKey, api_secret: GOLDEN_PARTNER.apiSecret },
  ]),
  ELBRO_PLUGS: JSON.stringify([
    { name: "Dehumidifier", family: "tasmota", topic: "tasmota_9C02D1", home: "home", signal: "cheap" },
    { name: "Sauna", family: "shelly_gen2", topic: "shellypro1pm-a1b2c3", signal_topic: "house/sauna", min_on: 10 },
    { name: "Radiator", family: "zigbee2mqtt", topic: "Radiator", home: "stugan", signal: "cheap" },
  ]),
};

export interface GoldenDemo extends AsyncDisposable {
  readonly apiPort: number;
  readonly brokerPort: number;
  /** Ends it as a service manager does, so that everything it keeps is written. */
  readonly end: () => Promise<void>;
}

/** Starts it, `secondsLater` than the moment of the golden files. */
export async function startGoldenDemo(dataDir: string, secondsLater = 0): Promise<GoldenDemo> {
  const clock = new Date(START + secondsLater * 1_000).toISOString();
  const daemon = new DaemonProcess(["run", "--clock", clock, "--speed", STANDS_STILL], {
    ...ENVIRONMENT,
    ELBRO_DATA_DIR: dataDir,
  });
  try {
    const brokerPort = Number(/-p (\d+)/.exec(await daemon.line(/mosquitto_sub/))?.[1]);
    const apiPort = Number(/127\.0\.0\.1:(\d+)/.exec(await daemon.line(/healthz/))?.[1]);
    return {
      ...{ apiPort, brokerPort },
      end: async () => void (await daemon.end("SIGTERM")),
      [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
    };
  } catch (error) {
    await daemon[Symbol.asyncDispose]();
    throw error;
  }
}
