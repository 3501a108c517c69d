/** The configuration of test daemons. */
import type * as z from "zod/mini";
import { type Config, configSchema } from "../../../src/config/schema.ts";
import type { Simulator } from "../../../src/service/simulator/simulator.ts";

/** Key of the LAN API. */
export const LAN_KEY = "key-of-a-test";

/** Top-level keys of the configuration, as the owner writes them. */
export type ConfigInput = Partial<z.input<typeof configSchema>>;

/** Returns a configuration for `simulator` on free ports. `overrides` replace whole top-level keys. */
export function configFor(simulator: Simulator, dataDir: string, overrides: ConfigInput = {}): Config {
  const basics = {
    service: { base_url: simulator.url },
    consumer: { api_key: simulator.keys.consumerKey ?? "no-key" },
    broker: { host: "127.0.0.1", port: 0 },
    api: { host: "127.0.0.1", port: 0, keys: [{ name: "test", key: LAN_KEY }] },
    data_dir: dataDir,
  };
  return configSchema.parse({ ...basics, ...overrides });
}
