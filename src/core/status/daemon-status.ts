import type { EpochMs } from "../time/interval.ts";
import type { Problem } from "./problem.ts";
import { type ServiceProblemCode, serviceProblems } from "./problem-catalog.ts";

/** `waiting`: nothing was answered yet; else the problem of the whole interface, or `ok`. */
export const serviceStates: readonly ServiceState[] = [
  "waiting",
  "ok",
  ...(Object.keys(serviceProblems) as ServiceProblemCode[]),
];
export type ServiceState = "waiting" | "ok" | ServiceProblemCode;

/** One of the service's interfaces, as one account uses it. */
export interface InterfaceState {
  /** A slug: it stands in entity ids. */
  readonly account: string;
  readonly interface: "consumer" | "third_party";
  readonly service: ServiceState;
  /** Attempts left by the service's own count; null before it has told, and where it never tells. */
  readonly minuteLeft: number | null;
  readonly dayLeft: number | null;
  /** Attempts made since UTC midnight, denied ones too. */
  readonly requestsToday: number | null;
}

/** When a series was last answered. */
export interface SeriesFreshness {
  /** The slug and the name of the home or place it belongs to; null for a whole account. */
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly account: string;
  /** The operation, in words: `prices`, `consumption costs`. */
  readonly label: string;
  readonly lastSuccessAt: EpochMs | null;
}

/** How much of the wanted history is in storage. Unit: days, of all series together. */
export interface BackfillState {
  readonly known: number;
  readonly wanted: number;
}

/** The daemon as everything that shows it knows it. */
export interface DaemonState {
  readonly version: string;
  readonly startedAt: EpochMs;
  /** Shape: oldest first. */
  readonly problems: readonly Problem[];
  readonly interfaces: readonly InterfaceState[];
  readonly series: readonly SeriesFreshness[];
  /** Null where no history is wanted, or nothing is known of it yet. */
  readonly backfill: BackfillState | null;
}

/** The state of an account's interface, by its own problem. A problem of one series is the series' own: the interface works. */
export function serviceStateOf(problem: Problem | null, answered: boolean): ServiceState {
  const code = problem?.code;
  const known = serviceStates.find((state) => state === code);
  return known ?? (answered ? "ok" : "waiting");
}

/** The problems in one sentence each; null without any. The newest comes last. */
export function problemReason(problems: readonly Problem[]): string | null {
  return problems.length === 0 ? null : problems.map(({ subject, advice }) => `${subject}: ${advice}`).join(" ");
}
