/**
 * Starts the demo at a fixed moment: the built program with an almost stopped clock, all random numbers 0.5, and the
 * simulator's default seed. Its output is then the same at every start. Only the command line and the environment are
 * used, so these tests do not depend on internals.
 */
import { vi } from "vitest";
import { DaemonProcess } from "../processes/daemon-process.ts";
import { HANG_MS } from "../runner/time-limits.ts";

/** Ordinary day after the prices of tomorrow are published. */
const START = "2026-06-10T12:20:00Z";
/** Simulated seconds per second: 1 ms of simulated time takes 11 days. */
const STANDS_STILL = "0.000000001";
/** Time that one step adds: the third-party interface accepts one request in 10 s. */
const STEP_MS = 11_000;
const STEP_NS = BigInt(Math.round((STEP_MS / Number(STANDS_STILL)) * 1e6));
/**
 * Script that runs before the program. `Math.random` decides the times of requests and the client ids in the output. On
 * SIGUSR2 the clock of `--clock` moves one step: the program reads time only from `hrtime`.
 */
const BEFORE = `Math.random = () => 0.5;
const { bigint } = process.hrtime;
let ahead = 0n;
process.hrtime.bigint = () => bigint() + ahead;
process.on("SIGUSR2", () => { ahead += ${STEP_NS}n; });`;

/** Keys of the demo's LAN API. */
export const GOLDEN_KEYS = { control: "demo", read: "reader-of-the-golden-files", few: "few-requests-a-minute" };
const PARTNER = { name: "partner", api_key: "golden-partner", api_secret: "golden-secret" };
/** Origin of another website that CORS allows. */
export const GOLDEN_ORIGIN = "https://panel.example.org";

/** Demo with plugs, keys of each kind and a CORS origin, so that its output shows everything. */
const ENVIRONMENT = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(BEFORE)}`,
  ELBRO_API_PORT: "0",
  ELBRO_BROKER_PORT: "0",
  // As in an installation of an earlier version, which keeps its entities.
  ELBRO_MQTT_TIME_ENTITIES: "false",
  ELBRO_API_REQUESTS_PER_MINUTE: "1000",
  ELBRO_API_CORS: JSON.stringify([GOLDEN_ORIGIN]),
  ELBRO_API_KEYS: JSON.stringify([
    { name: "demo", key: GOLDEN_KEYS.control, scopes: ["read", "control"] },
    { name: "reader", key: GOLDEN_KEYS.read },
    { name: "few", key: GOLDEN_KEYS.few, requests_per_minute: 2 },
  ]),
  ELBRO_API_THIRD_PARTY_KEYS: JSON.stringify([PARTNER]),
  ELBRO_PLUGS: JSON.stringify([
    { name: "Dehumidifier", family: "tasmota", topic: "tasmota_9C02D1", home: "home", signal: "cheap" },
    { name: "Sauna", family: "shelly_gen2", topic: "shellypro1pm-a1b2c3", signal_topic: "house/sauna", min_on: 10 },
    { name: "Radiator", family: "zigbee2mqtt", topic: "Radiator", home: "stugan", signal: "cheap" },
  ]),
};

export interface GoldenDemo extends AsyncDisposable {
  readonly apiPort: number;
  readonly brokerPort: number;
  /** Moves the clock by one step. */
  readonly step: () => Promise<void>;
}

/** Starts the demo at the moment of the golden files. */
export async function startGoldenDemo(): Promise<GoldenDemo> {
  const daemon = new DaemonProcess(["run", "--clock", START, "--speed", STANDS_STILL], ENVIRONMENT);
  try {
    const brokerPort = Number(/-p (\d+)/.exec(await daemon.line(/mosquitto_sub/))?.[1]);
    const apiPort = Number(/127\.0\.0\.1:(\d+)/.exec(await daemon.line(/healthz/))?.[1]);
    let now = Date.parse(START);
    return {
      ...{ apiPort, brokerPort },
      async step() {
        now += STEP_MS;
        daemon.signal("SIGUSR2");
        // On a busy machine the signal can arrive after requests that were sent later.
        await vi.waitUntil(async () => (await timeOf(apiPort)) === now, { timeout: HANG_MS });
      },
      // Ends as under a service manager, so that the demo deletes its data directory.
      [Symbol.asyncDispose]: async () => void (await daemon.end("SIGTERM")),
    };
  } catch (error) {
    await daemon[Symbol.asyncDispose]();
    throw error;
  }
}

/** Returns the daemon's current time, in epoch ms. */
async function timeOf(apiPort: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${apiPort}/local/v1/session`);
  return Date.parse(((await answer.json()) as { now: string }).now);
}
