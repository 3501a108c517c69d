/** A test daemon with everything that the dashboard shows: plans, a control key and a read-only key. */
import type { Config } from "../../../src/config/schema/schema.ts";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { LAN_KEY } from "../daemon/test-config.ts";
import { TestDaemon, type TestDaemonOptions } from "../daemon/test-daemon.ts";
import { planEntry } from "../plans/plan-topics.ts";

/** A read-only key. */
export const GUEST_KEY = "key-of-a-guest-who-may-look";

const NIGHT = { from: "20:00", ready_by: "07:00" };
export const DASHBOARD_PLANS: Config["plans"] = [
  planEntry({ name: "Dishwasher", icon: "dishwasher", kind: "window", hours: 3, kwh: 1.2, ...NIGHT }),
  planEntry({ name: "Hot water", icon: "hot_water", kind: "slots", hours: 4, kwh: 6, min_run: 1 }),
  planEntry({ name: "Car", icon: "car", kind: "slots", hours: 5, kwh: 30, from: "18:00", ready_by: "07:00" }),
];

export interface DashboardOptions extends Pick<TestDaemonOptions, "simulator"> {
  readonly start: string;
  readonly plans?: Config["plans"];
  /** Places of the third-party interface. */
  readonly places?: NonNullable<Config["third_party"]>["places"];
  /** Replaces keys of `dashboardApi`. */
  readonly api?: Partial<Config["api"]>;
  /** `priced`, the default, waits until every home has a price. */
  readonly until?: "started" | "priced";
}

/** Key of the simulator's partner. */
const PARTNER = { api_key: "demo-partner", api_secret: "demo-partner-secret", hash_encoding: "hex" } as const;

/** Returns the `api` section with both keys. */
export function dashboardApi(overrides: Partial<Config["api"]> = {}): Config["api"] {
  return {
    host: "127.0.0.1",
    port: 0,
    keys: [
      { name: "kitchen", key: LAN_KEY, scopes: ["read", "control"] },
      { name: "guest", key: GUEST_KEY },
    ],
    requests_per_minute: 600,
    requests_per_day: 20_000,
    ...overrides,
  };
}

/** Starts the daemon and runs its clock for 3 min, during which prices and the first history arrive. */
export async function startDashboard({ until = "priced", ...options }: DashboardOptions): Promise<TestDaemon> {
  const start = Date.parse(options.start);
  const daemon = await TestDaemon.start({
    start,
    simulator: { homes: ["danish"], ...options.simulator },
    config: {
      plans: options.plans ?? DASHBOARD_PLANS,
      api: dashboardApi(options.api),
      ...(options.places && { third_party: { ...PARTNER, places: options.places } }),
    },
  });
  await daemon.clock.runUntil(start + 3 * MINUTE_MS);
  if (until === "priced") await daemon.untilPriced();
  return daemon;
}

/** Returns hourly market prices in the format of the simulator's `market` file. Unit: DKK per MWh, without charges. */
export function marketFile(from: string, perMwh: readonly number[]): string {
  const start = Date.parse(from);
  const rows = perMwh.map(
    (price, i) => `${new Date(start + i * 3_600_000).toISOString().replace(".000", "")},60,${price}`,
  );
  return ["start_utc,minutes,dkk_per_mwh", ...rows, ""].join("\n");
}
