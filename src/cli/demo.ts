/** Demo with simulated data, which needs no key. It listens on loopback, or on all addresses of a container. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod/mini";
import type { Configuration } from "../config/reading/load-config-file.ts";
import { plugs as plugsSchema } from "../config/schema/plug-schema.ts";
import type { Config } from "../config/schema/schema.ts";
import { languageOf } from "../core/language/language.ts";
import { message, textIn } from "../core/language/text.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { StartError } from "../core/status/start-error.ts";
import type { Texts } from "../core/text/fill-text.ts";
import type { Interval } from "../core/time/interval.ts";
import type { Simulator } from "../simulator/simulator.ts";
import { databasePathIn } from "../storage/open-storage.ts";

/** Key of the demo's API on loopback, where it protects simulated data only. */
export const LOOPBACK_KEY = "demo";
const LOOPBACK_HOST = "127.0.0.1";
const SECRET_BYTES = 16;

/** Plans of the demo home. Ids and topics are the same in each language, because documents name them. */
const DEMO_PLANS = [
  plan("dishwasher", "dishwasher", { kind: "window", hours: 2, kwh: 1.1, from: "19:00", ready_by: "06:30" }),
  plan("car", "car", { kind: "slots", hours: 4, kwh: 28, min_run: "30m", from: "17:00", ready_by: "07:00" }),
  plan("water_heater", "hot_water", { kind: "below", cheap_below: "35%", kwh: 8, min_run: "30m" }),
];
const FREEZER = plan("freezer", "freezer", { kind: "avoid", hours: 2, kwh: 2, max_gap: "1h", fallback: ["on"] });

/** Appliances of the demo home with played plugs. The freezer's refuses at first, so that a solved problem is shown. */
const APPLIANCES = [
  { plug: "dishwasher_plug", plan: "dishwasher", watts: 550, hours: 2, from: 19, to: 30.5, oneRun: true },
  { plug: "car_charger", plan: "car", watts: 7_000, hours: 4, from: 17, to: 31, oneRun: false },
  { plug: "water_heater_plug", plan: "water_heater", watts: 2_000, hours: 4, from: 0, to: 24, oneRun: false },
  { plug: "freezer_plug", plan: "freezer", watts: 90, hours: 22, from: 0, to: 24, oneRun: false, refusals: 2 },
] as const;
/** Plug that never lets elbro in, so that an open problem is shown. */
const LOCKED = { plug: "garden_lights", watts: 40, refusals: Number.POSITIVE_INFINITY } as const;

export interface Demo {
  readonly config: Config;
  /** True if the broker requires no login. */
  readonly anonymousBroker: boolean;
  /** Key with which the dashboard opens by itself; null if other machines can reach it, or the owner set keys. */
  readonly openKey: string | null;
  readonly close: () => Promise<void>;
  /** Moves the demo's database into a folder of its own, so that the real home starts with an empty one. Call after `close`. */
  readonly setAside: () => void;
}

export function isDemo(config: Config): boolean {
  return config.consumer === undefined && config.third_party === undefined;
}

/** Throws a StartError for a file without an account. An editor may not have written its text yet. */
export function refuseWithoutAccount({ config, path }: Configuration): void {
  if (path !== null && isDemo(config)) throw new StartError(message("start.no_account", { path }));
}

export interface DemoOptions {
  readonly config: Config;
  readonly clock: Clock;
  /** Address to listen on. On other addresses than loopback, a new key and password are created at each start. */
  readonly host?: string | undefined;
}

/** Starts the simulator and returns its configuration. Without ELBRO_DATA_DIR, its data is deleted at the end. */
export async function startDemo({ config, clock, host = LOOPBACK_HOST }: DemoOptions): Promise<Demo> {
  const hasDataDir = process.env.ELBRO_DATA_DIR !== undefined;
  const isOpen = host === LOOPBACK_HOST;
  const { startSimulator } = await import("../simulator/simulator.ts");
  let loads = (_hour: number) => 0;
  const simulator = await startSimulator({ now: () => clock.now(), loads: (hour) => loads(hour) });
  const { consumerKey, thirdParty: pair } = simulator.keys;
  const newSecret = () => randomBytes(SECRET_BYTES).toString("base64url");
  const dataDir = hasDataDir ? config.data_dir : mkdtempSync(path.join(tmpdir(), "elbro-demo-"));
  const isLiving = config.plans.length === 0 && config.plugs.length === 0;
  const living = isLiving ? await startLiving(simulator, dataDir, clock) : null;
  if (living) loads = living.loads;
  return {
    config: {
      ...config,
      service: { base_url: simulator.url },
      consumer: { name: "consumer", ...(consumerKey !== null && { api_key: consumerKey }) },
      third_party: { api_key: pair.apiKey, api_secret: pair.apiSecret, hash_encoding: "hex", places: [] },
      broker: {
        ...config.broker,
        host,
        users:
          isOpen || config.broker.users.length > 0
            ? config.broker.users
            : [{ name: "demo", password: newSecret(), commands: true }],
      },
      api: {
        ...config.api,
        host,
        keys:
          config.api.keys.length > 0
            ? config.api.keys
            : [{ name: "demo", key: isOpen ? LOOPBACK_KEY : newSecret(), scopes: ["read", "control"] }],
      },
      plans: config.plans.length > 0 ? config.plans : [...DEMO_PLANS, ...(isLiving ? [FREEZER] : [])].map(named),
      plugs: living?.plugs ?? config.plugs,
      data_dir: dataDir,
    },
    anonymousBroker: isOpen,
    openKey: isOpen && config.api.keys.length === 0 ? LOOPBACK_KEY : null,
    async close() {
      await living?.close();
      await simulator.close();
      if (!hasDataDir) rmSync(dataDir, { recursive: true, force: true });
    },
    setAside() {
      if (!hasDataDir) return;
      const folder = mkdtempSync(path.join(dataDir, "demo-"));
      const files = readdirSync(dataDir).filter((name) => name.startsWith(path.basename(databasePathIn(dataDir))));
      for (const name of files) renameSync(path.join(dataDir, name), path.join(folder, name));
    },
  };
}

async function startLiving(simulator: Simulator, dataDir: string, clock: Clock) {
  const [{ appliancesUse, writeDemoHistory }, { playPlugs }] = await Promise.all([
    import("./demo-history.ts"),
    import("./demo-plugs.ts"),
  ]);
  const { prices, calendar, homes } = simulator.world;
  const region = homes[0]?.region ?? "DK1";
  const house = {
    calendar,
    pricesOn: (day: Interval) =>
      prices.on(region, "fifteenMinutes", day).map(({ start, end, totalPerKwh: price }) => ({ start, end, price })),
    appliances: APPLIANCES,
  };
  if (!existsSync(databasePathIn(dataDir))) writeDemoHistory({ dataDir, now: clock.now(), ...house });
  const played = await playPlugs([...APPLIANCES, LOCKED], clock);
  const followed = [...APPLIANCES.map(({ plan }) => plan), "dishwasher"];
  const plugs = [...APPLIANCES, LOCKED].map(({ plug }, i) =>
    named({ id: plug, family: "tasmota", url: played.urls[i], plan: followed[i] }),
  );
  return { plugs: z.parse(plugsSchema, plugs), loads: appliancesUse(house), close: played.close };
}

export function demoGreeting(
  { config: { api, broker, mqtt }, anonymousBroker, openKey }: Demo,
  ports: { readonly api: number; readonly broker: number | null },
): string {
  const key = api.keys[0]?.key ?? "";
  const user = anonymousBroker ? undefined : broker.users[0];
  const login = user ? ` -u ${user.name} -P ${user.password}` : "";
  const topics = `-p ${ports.broker}${login} -v -t '${mqtt.base_topic}/#'`;
  const mqttLine = ports.broker === null ? "" : `  topics   mosquitto_sub ${topics}     (or: npx mqtt sub ${topics})\n`;
  const reach = api.host === LOOPBACK_HOST ? "nothing leaves this machine" : "a new key and password at each start";
  return `elbro runs a demo: no account, no key, ${reach}.
  look     http://${LOOPBACK_HOST}:${ports.api}/${openKey === null ? `     (log in with the key ${key})` : ""}
${mqttLine}  API      curl -H 'Authorization: Bearer ${key}' http://${LOOPBACK_HOST}:${ports.api}/consumer/v1/me/addresses
  key      ${key}
  health   http://${LOOPBACK_HOST}:${ports.api}/healthz
For your own home: "Set up my home" on that page (or config/elbro.yaml, see the README). Ctrl-C stops elbro.
`;
}

type PlanEntry = Config["plans"][number];
type DemoId = keyof Texts["demo"];

function plan(id: DemoId, icon: PlanEntry["icon"], entry: Pick<PlanEntry, "kind"> & Partial<PlanEntry>) {
  return { home: "home", enabled: true, ...entry, id, icon };
}

/** Adds the name in the language of the configuration, otherwise in that of the machine. */
function named<Entry extends { readonly id: DemoId }>(entry: Entry): Entry & { readonly name: string } {
  const { ELBRO_LANGUAGE: language = Intl.DateTimeFormat().resolvedOptions().locale } = process.env;
  return { ...entry, name: textIn(languageOf(language, "en"), message(`demo.${entry.id}`)) };
}
