/** Configuration of test daemons. */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import type * as z from "zod/mini";
import type { ConfigurationSource } from "../../../src/config/editing/overlay-writer.ts";
import { loadConfiguration, readConfiguration } from "../../../src/config/reading/load-config-file.ts";
import { type Config, configSchema } from "../../../src/config/schema/schema.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";

/** Key of the LAN API. */
export const LAN_KEY = "key-of-a-test";

/** Past months that a test daemon fetches by default: 13, the default of users, take most of the time of a short test. */
export const SHORT_HISTORY = { months: 1 };

/** Top-level keys of the configuration, as the owner writes them. */
export type ConfigInput = Partial<z.input<typeof configSchema>>;

/** Returns a configuration for `simulator` on free ports. `overrides` replace whole top-level keys. */
export function configFor(simulator: Simulator, dataDir: string, overrides: ConfigInput = {}): Config {
  const basics = {
    service: { base_url: simulator.url },
    consumer: { api_key: simulator.keys.consumerKey ?? "no-key" },
    broker: { host: "127.0.0.1", port: 0 },
    api: { host: "127.0.0.1", port: 0, keys: [{ name: "test", key: LAN_KEY }] },
    history: SHORT_HISTORY,
    data_dir: dataDir,
  };
  return configSchema.parse({ ...basics, ...overrides });
}

/** Creates an `elbro.yaml` for `simulator` on free ports if it does not exist. `more` is appended to it. */
export function fileFor(simulator: Simulator, dataDir: string, more: string): ConfigurationSource {
  const file = path.join(dataDir, "elbro.yaml");
  const text = `# The house of a test
service: { base_url: "${simulator.url}" }
consumer:
  api_key: ${simulator.keys.consumerKey} # from the app
broker: { host: 127.0.0.1, port: 0 }
api: { host: 127.0.0.1, port: 0, keys: [{ name: test, key: ${LAN_KEY}, scopes: [control, admin] }], requests_per_minute: 10000, requests_per_day: 100000 }
data_dir: ${dataDir}
${/^history:/m.test(more) ? "" : `history: { months: ${SHORT_HISTORY.months} }\n`}${more}`;
  if (!existsSync(file)) writeFileSync(file, text, { mode: 0o640 });
  return {
    path: file,
    isSetOutside: () => false,
    readWith: (texts) => readConfiguration(file, {}, texts),
    read: async () => loadConfiguration(file, {}).config,
  };
}
