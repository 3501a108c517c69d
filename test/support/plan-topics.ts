/** A house with plans, as its owner sees it: the payloads of their topics, moment after moment. */
import type { Config } from "../../src/config/schema.ts";
import type { EpochMs } from "../../src/core/interval.ts";
import type { TestDaemon } from "./test-daemon.ts";

export type PlanEntry = Config["plans"][number];

/** An entry of the configuration, with what every one has. */
export function planEntry(given: Partial<PlanEntry> & Pick<PlanEntry, "kind">): PlanEntry {
  return { name: "Washer", home: "home", use_forecast: false, enabled: true, ...given };
}

/** What a plan publishes. */
export interface PlanPayload {
  readonly state: string;
  readonly code: string;
  readonly reason: string;
  readonly runs: readonly {
    readonly start: string;
    readonly end: string;
    readonly basis: string;
    readonly begun: boolean;
  }[];
  readonly mean_price: number | null;
  readonly cost: number | null;
  readonly next_start: string | null;
  readonly next_end: string | null;
  readonly last_run: { readonly start: string; readonly end: string; readonly cost: number | null } | null;
  readonly month: {
    readonly runs: number;
    readonly hours: number;
    readonly cost: number | null;
    readonly against_now: number | null;
  };
  readonly settings: Readonly<Record<string, { readonly value: unknown; readonly changed: boolean }>>;
}

export function payloadOf(house: TestDaemon, id = "washer"): PlanPayload {
  return house.watcher.json(`elbro/home/plan/${id}/state`) as unknown as PlanPayload;
}

/** Whether the signal is ON. */
export function isOn(house: TestDaemon, id = "washer"): boolean {
  return house.watcher.payload(`elbro/home/plan/${id}`) === "ON";
}

/** Waits until what a plan publishes is as wanted; the last payload is told where it never is. */
export async function untilPlan(
  house: TestDaemon,
  holds: (plan: PlanPayload) => boolean,
  what: string,
  id = "washer",
): Promise<PlanPayload> {
  const seen = () => payloadOf(house, id);
  try {
    await house.watcher.until(() => "state" in seen() && holds(seen()), what);
  } catch (error) {
    throw new Error(`${what}; the last was ${JSON.stringify(seen())}`, { cause: error });
  }
  return seen();
}

/** Waits for the signal. */
export function untilSignal(house: TestDaemon, signal: "ON" | "OFF", id = "washer"): Promise<void> {
  const topic = `elbro/home/plan/${id}`;
  return house.watcher.until(() => house.watcher.payload(topic) === signal, `${topic} ${signal}`);
}

/** Sends a command and waits for its answer. */
export async function command(
  house: TestDaemon,
  setting: string,
  payload: string,
  id = "washer",
): Promise<{ ok: boolean; reason: string | null }> {
  const topic = `elbro/home/plan/${id}/${setting}/set`;
  const answers = () => house.watcher.seen.filter((seen) => seen.topic === "elbro/response");
  const before = answers().length;
  await house.watcher.publish(topic, payload);
  await house.watcher.until(() => answers().length > before, `the answer to ${setting}`);
  return JSON.parse(answers().at(-1)?.payload ?? "{}") as { ok: boolean; reason: string | null };
}

export function isoOf(at: EpochMs): string {
  return new Date(at).toISOString().replace(".000Z", "Z");
}
