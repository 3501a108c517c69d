import type { EpochMs } from "../time/interval.ts";
import type { Problem } from "./problem.ts";
import { type ServiceProblemCode, serviceProblems } from "./problem-catalog.ts";
import type { ReleaseUpdate } from "./release-update.ts";

/** `waiting` until the first response; then the problem of the whole interface, or `ok`. */
export const serviceStates: readonly ServiceState[] = [
  "waiting",
  "ok",
  ...(Object.keys(serviceProblems) as ServiceProblemCode[]),
];
export type ServiceState = "waiting" | "ok" | ServiceProblemCode;

/** Quota window as the service reported it. `resetsAt` is null from its end until the next response. */
export type ReportedWindow = { readonly limit: number; readonly left: number; readonly resetsAt: EpochMs | null };

/** State of one service interface for one account. */
export interface InterfaceState {
  /** Slug, used in entity ids. */
  readonly account: string;
  readonly interface: "consumer" | "third_party";
  readonly service: ServiceState;
  /** Null before the first response, or if the service does not report it. */
  readonly quota: Readonly<Record<"minute" | "day", ReportedWindow | null>>;
  /** Attempts since UTC midnight, including rejected ones. */
  readonly requestsToday: number | null;
}

/** Time of the last successful response for a series. */
export interface SeriesFreshness {
  /** Slug and name of the home or place; null for a whole account. */
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly account: string;
  /** Name of the operation for people: `prices`, `consumption costs`. */
  readonly label: string;
  readonly lastSuccessAt: EpochMs | null;
}

/** Stored part of the wanted history. Unit: days, summed over all series. */
export interface BackfillState {
  readonly known: number;
  readonly wanted: number;
  /** Current pause; null or absent without a pause. */
  readonly pause?: BackfillPause | null;
}

/** Pause of the back-fill. `quota`: its share is used up; otherwise the problem of the account. */
export type BackfillPause = { readonly until: EpochMs; readonly why: "quota" | ServiceProblemCode };

/** State of the daemon for all outputs: MQTT, HTTP, dashboard. */
export interface DaemonState {
  readonly version: string;
  readonly startedAt: EpochMs;
  /** Shape: oldest first. */
  readonly problems: readonly Problem[];
  readonly interfaces: readonly InterfaceState[];
  readonly series: readonly SeriesFreshness[];
  /** Null if no history is wanted, or before it is known. */
  readonly backfill: BackfillState | null;
  /** The newest release; null if the release feed is not configured or has not answered yet. */
  readonly update: ReleaseUpdate | null;
}

/** Returns the state of an account's interface from its own problem. A problem of one series does not change it. */
export function serviceStateOf(problem: Problem | null, answered: boolean): ServiceState {
  const code = problem?.code;
  const known = serviceStates.find((state) => state === code);
  return known ?? (answered ? "ok" : "waiting");
}

/** Returns one sentence per problem, in the given order; null if there are no problems. */
export function problemReason(problems: readonly Problem[]): string | null {
  return problems.length === 0 ? null : problems.map(({ subject, advice }) => `${subject}: ${advice}`).join(" ");
}
