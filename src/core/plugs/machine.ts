/**
 * A machine behind a plug that measures: whether it waits to be run, runs, or is done. Pure: power and time are
 * arguments.
 *
 * - `starts_when`: the plug is ON outside runs, so that the machine can be started manually. A start within the plan's
 *   window, as seen by its power, makes it wait: the plug is OFF until the plan runs it.
 * - A start that the plan cannot take, for example after its run, is left alone.
 * - `ends_when`: the machine is done if it has drawn power in this run, and draws less than the limit for some time.
 */
import type { EpochMs } from "../time/interval.ts";

export interface MachineRules {
  readonly startsWhen?: { readonly aboveWatts: number };
  readonly endsWhen?: { readonly belowWatts: number; readonly forMs: number };
}

export const machinePhases = ["absent", "waits", "runs", "done", "released"] as const;
/** `absent`: nothing was started. `released`: it was started manually, and the plan leaves it alone. */
export type MachinePhase = (typeof machinePhases)[number];

export interface MachineState {
  readonly phase: MachinePhase;
  /** True if it has drawn power in this run. */
  readonly hasDrawn: boolean;
  /** Since when it has drawn less than the limit of its end; null if it draws more. */
  readonly lowSince: EpochMs | null;
}

export const NO_MACHINE: MachineState = { phase: "absent", hasDrawn: false, lowSince: null };

/** What is known of a machine at one time. */
export interface MachineMoment {
  /** Power that the plug measured last; null if it has measured none. */
  readonly watts: number | null;
  readonly isOn: boolean;
  readonly runs: boolean;
  /** True if the plan would run it later within its window. */
  readonly isTaken: boolean;
  /** True if somebody switched the plug ON against the plan. */
  readonly isForced: boolean;
}

/** Returns the machine after a measurement, or a change of its plug or plan. */
export function machineAt(state: MachineState, moment: MachineMoment, rules: MachineRules, now: EpochMs): MachineState {
  if (moment.runs) return runningAt(state, moment, rules, now);
  const { watts, isOn, isTaken, isForced } = moment;
  const { startsWhen } = rules;
  const draws = isOn && watts !== null && startsWhen !== undefined && watts > startsWhen.aboveWatts;
  switch (state.phase) {
    case "runs":
    case "done":
      // It may still draw power for a moment after its run.
      return { ...NO_MACHINE, phase: draws ? "released" : "absent" };
    case "absent":
      return draws ? { ...state, phase: isTaken && !isForced ? "waits" : "released" } : state;
    case "waits":
      return isTaken && !isForced ? state : { ...state, phase: "released" };
    case "released":
      return isOn && !draws && watts !== null ? NO_MACHINE : state;
  }
}

function runningAt(state: MachineState, moment: MachineMoment, { endsWhen }: MachineRules, now: EpochMs): MachineState {
  const known = state.phase === "runs" || state.phase === "done" ? state : { ...NO_MACHINE, phase: "runs" as const };
  const { watts, isOn } = moment;
  if (!endsWhen || watts === null || known.phase === "done") return known;
  if (isOn && watts >= endsWhen.belowWatts) return { ...known, hasDrawn: true, lowSince: null };
  if (!isOn || !known.hasDrawn) return known;
  const lowSince = Math.min(known.lowSince ?? now, now);
  return { ...known, lowSince, phase: now - lowSince >= endsWhen.forMs ? "done" : "runs" };
}

/** Returns when the machine is done if its power stays low; null if it draws power or has no such limit. */
export function doneAt({ phase, lowSince }: MachineState, { endsWhen }: MachineRules): EpochMs | null {
  return phase === "runs" && lowSince !== null && endsWhen ? lowSince + endsWhen.forMs : null;
}
