/** Tables of plan states, plug families and plug reasons in plans.md and plugs.md. Their types make them complete. */
import type { PlanCode } from "../../../src/core/planning/plan-reason.ts";
import { type PlanState, planStates } from "../../../src/core/planning/plan-state-machine.ts";
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
    about: "nothing can be planned yet, or nothing is cheap enough",
    codes: ["waiting_for_prices", "waiting_for_plan", "waiting_for_low_price", "clock_not_trusted", "cut_short"],
  },
  scheduled: { about: "its hours are chosen; they may still move", codes: ["scheduled", "scheduled_on_estimates"] },
  running: { about: "ON; nothing moves it any more", codes: ["running", "running_by_hand"] },
  partial: {
    about:
      "only some of its hours are possible: those are planned or have run, and the reason says what is missing and why",
    codes: ["partial"],
  },
  done: { about: "has run; the next round begins when its window ends", codes: ["done"] },
  no_prices: { about: "the prices that it needs should be there and are not", codes: ["no_prices"] },
  fallback: { about: "runs, or will, at its `fallback` hours", codes: ["fallback_planned", "running_fallback"] },
  impossible: {
    about: "no choice of hours keeps what was asked for; the reason says what is in the way",
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
  disabled: { about: "switched off", codes: ["disabled"] },
  skipped: { about: "left out this time, or stopped", codes: ["skipped", "stopped"] },
};

/** Returns a Markdown table of plan states. */
export function planStateDocs(): string {
  const line = (state: PlanState) => {
    const { about, codes } = PLAN_STATES[state];
    return `| \`${state}\` | ${about} | ${codes.map((code) => `\`${code}\``).join(" ")} |`;
  };
  return ["| state | what it says | codes of the reason |", "|---|---|---|", ...planStates.map(line)].join("\n");
}

/** Returns a Markdown table of plug families. */
export function plugFamilyDocs(): string {
  const line = ([family, row]: [string, PlugFamilyRow]) =>
    `| \`${family}\` | ${row.topic} | ${row.channel.about} | ${row.deadManNote.on} | ${row.deadManNote.off} |`;
  return [
    "| family | `topic` | `channel` | ends an ON by itself | ends an OFF by itself |",
    "|---|---|---|---|---|",
    ...Object.entries(plugFamilies).map(line),
  ].join("\n");
}

const PLUG_REASONS: Readonly<Record<PlugReason, string>> = {
  wanted_on: "what it follows wants it ON",
  wanted_off: "what it follows wants it OFF",
  no_signal: "nothing is known of what it follows: `when_lost` decides, ordinarily OFF",
  clock_not_trusted: "the machine's clock cannot be right: `when_lost` decides, ordinarily nothing is switched ON",
  no_broker: "there is no connection to the broker",
  switched_on_by_hand: "somebody switched it on: that counts until the next planned change",
  switched_off_by_hand: "somebody switched it off: that counts until the next planned change",
  minimum_on_time: "`min_on` is not over",
  minimum_off_time: "`min_off` is not over",
  timer_test: "its run is over, and elbro looks once, for three minutes at most, whether the device's own timer works",
};

/** Returns a Markdown table of the reasons for a plug's state. */
export function plugReasonDocs(): string {
  const lines = Object.entries(PLUG_REASONS).map(([code, about]) => `| \`${code}\` | ${about} |`);
  return ["| `reason_code` | what it says |", "|---|---|", ...lines].join("\n");
}
