/** The demo: an invented house on loopback, for a first look without a key. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Clock } from "./collector/clock.ts";
import type { Config } from "./config/schema.ts";
import type { Simulator } from "./simulator/simulator.ts";

/** Opens the demo's API; it protects nothing but an invention. */
const DEMO_KEY = "demo";

const LOOPBACK_HOST = "127.0.0.1";

export interface Demo {
  readonly config: Config;
  readonly close: () => Promise<void>;
}

/** Whether a configuration names nothing to collect from, so that only the demo has something to show. */
export function isDemo(config: Config): boolean {
  return config.consumer === undefined && config.third_party === undefined;
}

/**
 * Starts the simulator and fits the configuration to it. Ports and topics of the configuration stay; without a data
 * directory of the user's, what the demo keeps is gone with it.
 */
export async function startDemo(config: Config, clock: Clock, hasDataDir: boolean): Promise<Demo> {
  const { startSimulator } = await import("./simulator/simulator.ts");
  const simulator: Simulator = await startSimulator({ now: () => clock.now() });
  const dataDir = hasDataDir ? config.data_dir : mkdtempSync(path.join(tmpdir(), "elbro-demo-"));
  return {
    config: {
      ...config,
      service: { base_url: simulator.url },
      consumer: {
        name: "consumer",
        ...(simulator.keys.consumerKey === null ? {} : { api_key: simulator.keys.consumerKey }),
      },
      third_party: {
        api_key: simulator.keys.thirdParty.apiKey,
        api_secret: simulator.keys.thirdParty.apiSecret,
        hash_encoding: "hex",
        places: [],
      },
      broker: { ...config.broker, host: LOOPBACK_HOST },
      api: {
        ...config.api,
        host: LOOPBACK_HOST,
        keys: config.api.keys.length > 0 ? config.api.keys : [{ name: "demo", key: DEMO_KEY }],
      },
      data_dir: dataDir,
    },
    async close() {
      await simulator.close();
      if (!hasDataDir) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What a person who started the demo wants to know. */
export function demoGreeting(ports: { readonly api: number; readonly broker: number | null }, key: string): string {
  const mqtt =
    ports.broker === null
      ? ""
      : `  topics   mosquitto_sub -p ${ports.broker} -v -t 'elbro/#'     (or: npx mqtt sub -p ${ports.broker} -v -t 'elbro/#')\n`;
  return `elbro shows an invented house: no account, no key, nothing leaves this machine.
${mqtt}  API      curl -H 'Authorization: Bearer ${key}' http://${LOOPBACK_HOST}:${ports.api}/consumer/v1/me/addresses
  key      ${key}
  health   http://${LOOPBACK_HOST}:${ports.api}/healthz
For your own house: put your key into config/elbro.yaml (see the README). Ctrl-C ends.
`;
}
