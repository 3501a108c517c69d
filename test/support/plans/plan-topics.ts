/** Plans of a test daemon: configuration entries, MQTT topics and commands. */
import type { Config } from "../../../src/config/schema/schema.ts";
import type { EpochMs } from "../../../src/core/time/interval.ts";
import type { TestDaemon } from "../daemon/test-daemon.ts";

export type PlanEntry = Config["plans"][number];

/** Returns a configuration entry with defaults for the required keys. */
export function planEntry(given: Partial<PlanEntry> & Pick<PlanEntry, "kind">): PlanEntry {
  return { name: "Washer", home: "home", enabled: true, ...given };
}

/** JSON payload of a plan's `state` topic. */
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
  readonly provisional: boolean;
  readonly likely_start: string | null;
  readonly last_run: { readonly start: string; readonly end: string; readonly cost: number | null } | null;
  readonly month: {
    readonly runs: number;
    readonly hours: number;
    readonly cost: number | null;
    readonly against_now: number | null;
    readonly against_window_start: number | null;
  };
  readonly settings: Readonly<Record<string, { readonly value: unknown; readonly changed: boolean }>>;
}

export function payloadOf(daemon: TestDaemon, id = "washer"): PlanPayload {
  return daemon.watcher.json(`elbro/home/plan/${id}/state`) as unknown as PlanPayload;
}

/** Returns true if the plan's signal is ON. */
export function isOn(daemon: TestDaemon, id = "washer"): boolean {
  return daemon.watcher.payload(`elbro/home/plan/${id}`) === "ON";
}

/** Waits until `holds` accepts the published state. Rejects with the last payload. */
export async function untilPlan(
  daemon: TestDaemon,
  holds: (plan: PlanPayload) => boolean,
  what: string,
  id = "washer",
): Promise<PlanPayload> {
  const seen = () => payloadOf(daemon, id);
  try {
    await daemon.watcher.until(() => "state" in seen() && holds(seen()), what);
  } catch (error) {
    throw new Error(`${what}; the last was ${JSON.stringify(seen())}`, { cause: error });
  }
  return seen();
}

/** Waits until the plan's signal has this value. */
export function untilSignal(daemon: TestDaemon, signal: "ON" | "OFF", id = "washer"): Promise<void> {
  const topic = `elbro/home/plan/${id}`;
  return daemon.watcher.until(() => daemon.watcher.payload(topic) === signal, `${topic} ${signal}`);
}

/** Publishes a command and waits for the response. */
export async function command(
  daemon: TestDaemon,
  setting: string,
  payload: string,
  id = "washer",
): Promise<{ ok: boolean; reason: string | null }> {
  const topic = `elbro/home/plan/${id}/${setting}/set`;
  const answers = () => daemon.watcher.seen.filter((seen) => seen.topic === "elbro/response");
  const before = answers().length;
  await daemon.watcher.publish(topic, payload);
  await daemon.watcher.until(() => answers().length > before, `the answer to ${setting}`);
  return JSON.parse(answers().at(-1)?.payload ?? "{}") as { ok: boolean; reason: string | null };
}

export function isoOf(at: EpochMs): string {
  return new Date(at).toISOString().replace(".000Z", "Z");
}
