/** A house with everything that the dashboard shows: plans, a key that may control and one that may not. */
import type { Config } from "../../src/config/schema.ts";
import type { EpochMs } from "../../src/core/interval.ts";
import type { SimulatorOptions } from "../../src/simulator/simulator.ts";
import { planEntry } from "./planned-house.ts";
import { LAN_KEY, RunningHouse } from "./running-house.ts";
import type { TempDir } from "./temp-dir.ts";

export const GUEST_KEY = "key-of-a-guest-who-may-look";

/** Plans as a house has them. */
export const HOUSE_PLANS: Config["plans"] = [
  planEntry({ name: "Dishwasher", kind: "window", hours: 3, kwh: 1.2, from: "20:00", ready_by: "07:00" }),
  planEntry({ name: "Hot water", kind: "slots", hours: 4, kwh: 6, min_run: 1 }),
  planEntry({ name: "Car", kind: "slots", hours: 5, kwh: 30, from: "18:00", ready_by: "07:00" }),
];

export interface DashboardHouseOptions {
  readonly start: string;
  readonly dashboard?: "open" | "key";
  readonly plans?: Config["plans"];
  readonly simulator?: Omit<SimulatorOptions, "now">;
  readonly port?: number;
  readonly dir?: TempDir;
  readonly keys?: Config["api"]["keys"];
}

/** The LAN API of such a house. */
export function apiOf({ dashboard, port = 0, keys }: Omit<DashboardHouseOptions, "start"> = {}): Config["api"] {
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
  };
}

/** Starts it, and lets it live a few minutes: what the service has of prices is there, history begins to come. */
export async function dashboardHouse(options: DashboardHouseOptions): Promise<RunningHouse> {
  const start: EpochMs = Date.parse(options.start);
  const house = await RunningHouse.start({
    start,
    simulator: { homes: ["danish"], ...options.simulator },
    config: { plans: options.plans ?? HOUSE_PLANS, api: apiOf(options) },
    ...(options.dir ? { dir: options.dir } : {}),
  });
  await house.clock.runUntil(start + 3 * 60_000);
  return house;
}

/** Prices of the market by the hour, as a file that the simulator replays. Unit: DKK per MWh, without charges. */
export function marketFile(from: string, perMwh: readonly number[]): string {
  const start = Date.parse(from);
  const rows = perMwh.map(
    (price, i) => `${new Date(start + i * 3_600_000).toISOString().replace(".000", "")},60,${price}`,
  );
  return ["start_utc,minutes,dkk_per_mwh", ...rows, ""].join("\n");
}
