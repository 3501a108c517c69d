/** A house with everything that the dashboard shows: plans, a key that may control and one that may not. */
import type { Config } from "../../src/config/schema.ts";
import type { EpochMs } from "../../src/core/interval.ts";
import type { SimulatorOptions } from "../../src/simulator/simulator.ts";
import { planEntry } from "./plan-topics.ts";
import type { TempDir } from "./temp-dir.ts";
import { LAN_KEY, TestDaemon } from "./test-daemon.ts";

export const GUEST_KEY = "key-of-a-guest-who-may-look";

/** Plans as a house has them. */
export const DASHBOARD_PLANS: Config["plans"] = [
  planEntry({ name: "Dishwasher", kind: "window", hours: 3, kwh: 1.2, from: "20:00", ready_by: "07:00" }),
  planEntry({ name: "Hot water", kind: "slots", hours: 4, kwh: 6, min_run: 1 }),
  planEntry({ name: "Car", kind: "slots", hours: 5, kwh: 30, from: "18:00", ready_by: "07:00" }),
];

export interface DashboardOptions {
  readonly start: string;
  readonly dashboard?: "open" | "key";
  readonly plans?: Config["plans"];
  readonly simulator?: Omit<SimulatorOptions, "now">;
  readonly port?: number;
  readonly dir?: TempDir;
  readonly keys?: Config["api"]["keys"];
  readonly hosts?: readonly string[];
  /** Whether it is waited for prices; true where it is left out. */
  readonly priced?: boolean;
}

const MINUTE_MS = 60_000;
const MOST_MINUTES = 300;

/** The LAN API of such a house. */
export function apiOf({ dashboard, port = 0, keys, hosts }: Omit<DashboardOptions, "start"> = {}): Config["api"] {
  return {
    host: "127.0.0.1",
    port,
    keys: keys ?? [
      { name: "kitchen", key: LAN_KEY, scopes: ["read", "control"] },
      { name: "guest", key: GUEST_KEY },
    ],
    requests_per_minute: 600,
    requests_per_day: 20_000,
    ...(dashboard ? { dashboard } : {}),
    ...(hosts ? { hosts: [...hosts] } : {}),
  };
}

/** Starts it, and lets it live a few minutes: what the service has of prices is there, history begins to come. */
export async function startDashboard(options: DashboardOptions): Promise<TestDaemon> {
  const start: EpochMs = Date.parse(options.start);
  const house = await TestDaemon.start({
    start,
    simulator: { homes: ["danish"], ...options.simulator },
    config: { plans: options.plans ?? DASHBOARD_PLANS, api: apiOf(options) },
    ...(options.dir ? { dir: options.dir } : {}),
  });
  await house.clock.runUntil(start + 3 * MINUTE_MS);
  if (options.priced ?? true) await untilHomes(house, ({ price }) => price !== null);
  return house;
}

/** Lets a house live until it has tomorrow's prices, which the service has about 13:00, or hours later. */
export async function untilTomorrow(house: TestDaemon): Promise<void> {
  await untilHomes(house, ({ tomorrow_valid }) => tomorrow_valid);
}

interface ToldHome {
  readonly price: number | null;
  readonly tomorrow_valid: boolean;
}

/** Minute by minute: on a busy machine answers of the service take longer than the clock waits for them. */
async function untilHomes(house: TestDaemon, holds: (home: ToldHome) => boolean): Promise<void> {
  for (let minutes = 0; minutes < MOST_MINUTES; minutes++) {
    const { homes } = (await (await house.ask("/local/v1/now")).json()) as { homes: ToldHome[] };
    if (homes.length > 0 && homes.every(holds)) return;
    await house.clock.runUntil(house.clock.now() + MINUTE_MS);
  }
  throw new Error(`${MOST_MINUTES} minutes were not enough`);
}

/** Prices of the market by the hour, as a file that the simulator replays. Unit: DKK per MWh, without charges. */
export function marketFile(from: string, perMwh: readonly number[]): string {
  const start = Date.parse(from);
  const rows = perMwh.map(
    (price, i) => `${new Date(start + i * 3_600_000).toISOString().replace(".000", "")},60,${price}`,
  );
  return ["start_utc,minutes,dkk_per_mwh", ...rows, ""].join("\n");
}
