/** Tables of plan states, plug families and plug reasons in plans.md and plugs.md. Their types make them complete. */
import { textIn } from "../../../src/core/language/text.ts";
import { type PlanState, planStates } from "../../../src/core/planning/plan-state-machine.ts";
import type { PlanCode } from "../../../src/core/planning/snapshot/plan-reason.ts";
import { plugFamilies } from "../../../src/core/plugs/families/families.ts";
import type { PlugFamilyRow } from "../../../src/core/plugs/families/plug-family.ts";
import type { PlugReason } from "../../../src/core/plugs/plug-controller.ts";

interface StateWords {
  readonly about: string;
  /** Reason codes that can occur in this state. */
  readonly codes: readonly PlanCode[];
}

const PLAN_STATES: Readonly<Record<PlanState, StateWords>> = {
  waiting: {
    about: "no hours can be planned yet, or no price is low enough",
    codes: [
      "waiting_for_prices",
      "waiting_for_plan",
      "waiting_for_machine",
      "waiting_for_low_price",
      "waiting_for_saving",
      "charge_unknown",
      "clock_not_trusted",
      "cut_short",
    ],
  },
  scheduled: {
    about: "its hours are chosen; new prices can still move them",
    codes: ["scheduled", "scheduled_on_estimates"],
  },
  running: { about: "ON; new prices no longer move the run", codes: ["running", "running_by_hand", "running_at_once"] },
  partial: {
    about:
      "only some of its hours are possible; these are planned or have run; the reason says how many hours are missing and why",
    codes: ["partial"],
  },
  done: {
    about: "has run, or its battery has its target; the next round begins when its window ends",
    codes: ["done", "charged"],
  },
  no_prices: { about: "the prices that it needs are overdue", codes: ["no_prices"] },
  fallback: { about: "runs or will run in its `fallback` hours", codes: ["fallback_planned", "running_fallback"] },
  impossible: {
    about: "no hours meet its settings; the reason says which setting prevents it",
    codes: [
      "window_too_short",
      "blocked",
      "max_price",
      "constraints",
      "unknown_home",
      "no_export_price",
      "no_occurrence",
    ],
  },
  disabled: { about: "`enabled` is off", codes: ["disabled"] },
  skipped: { about: "skipped this time, stopped, or away", codes: ["skipped", "stopped", "away"] },
};

/** Returns a Markdown table of plan states. */
export function planStateDocs(): string {
  const line = (state: PlanState) => {
    const { about, codes } = PLAN_STATES[state];
    return `| \`${state}\` | ${about} | ${codes.map((code) => `\`${code}\``).join(" ")} |`;
  };
  return ["| state | content | codes of the reason |", "|---|---|---|", ...planStates.map(line)].join("\n");
}

/** Returns a Markdown table of plug families. */
export function plugFamilyDocs(): string {
  const line = ([family, row]: [string, PlugFamilyRow]) =>
    `| \`${family}\` | ${textIn("en", row.topic)} | ${textIn("en", row.channel.about)} | ${row.deadManNote.on} | ${row.deadManNote.off} |`;
  return [
    "| family | `topic` | `channel` | ends an ON by itself | ends an OFF by itself |",
    "|---|---|---|---|---|",
    ...Object.entries(plugFamilies).map(line),
  ].join("\n");
}

const PLUG_REASONS: Readonly<Record<PlugReason, string>> = {
  wanted_on: "the signal it follows is ON",
  wanted_off: "the signal it follows is OFF",
  no_signal: "the signal it follows is unknown: `when_lost` decides, by default OFF",
  clock_not_trusted:
    "the clock of the machine cannot be correct: `when_lost` decides, by default the plug is not switched ON",
  no_broker: "not connected to the broker, or to Home Assistant",
  switched_on_by_hand: "switched on manually: this holds until the next planned change",
  switched_off_by_hand: "switched off manually: this holds until the next planned change",
  minimum_on_time: "`min_on` is not over",
  minimum_off_time: "`min_off` is not over",
  timer_test: "its run has ended, and elbro checks once, for at most 3 minutes, whether the device's own timer works",
};

/** Returns a Markdown table of the reasons for a plug's state. */
export function plugReasonDocs(): string {
  const lines = Object.entries(PLUG_REASONS).map(([code, about]) => `| \`${code}\` | ${about} |`);
  return ["| `reason_code` | content |", "|---|---|", ...lines].join("\n");
}
