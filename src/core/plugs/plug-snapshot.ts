/** State of a plug at one instant, for the outputs. */
import type { WhenLost } from "../planning/model/plan-spec.ts";
import type { EpochMs } from "../time/interval.ts";
import type { PlugReason } from "./plug-controller.ts";

export interface PlugSnapshot {
  /** Slug, used in topics. */
  readonly id: string;
  readonly name: string;
  /** State that the plug reported; null while unknown. */
  readonly on: boolean | null;
  /**
   * Target state; null while undecided: the clock was never trusted, or the plug was switched manually out of its
   * resting state.
   */
  readonly wanted: boolean | null;
  readonly code: PlugReason;
  /** Reason in words. Shape: at most `MAX_REASON_LENGTH` characters. */
  readonly reason: string;
  /** True if the plug can be reached; null until its first message since the broker was connected. */
  readonly available: boolean | null;
  /** True if the plug did not answer, including retries. */
  readonly silent: boolean;
  /** Time since which the plug is in state `on`; null while unknown. */
  readonly since: EpochMs | null;
}

/** Home Assistant rejects states of more than 255 characters. */
const MAX_REASON_LENGTH = 255;

/** Returns the reason for a plug's command in words. `because` is the reason of its plan or signal. */
export function plugReasonText(code: PlugReason, because: string | null, whenLost: WhenLost = "off"): string {
  const text = wordsOf(code, because, whenLost);
  return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH - 1)}…` : text;
}

/** State of a plug while no signal is known. */
const LOST: Readonly<Record<WhenLost, string>> = { on: "is ON", off: "is OFF", keep: "keeps its state" };

function wordsOf(code: PlugReason, because: string | null, whenLost: WhenLost): string {
  const then = because === null ? "" : `; then: ${because}`;
  switch (code) {
    case "wanted_on":
      return because ?? "it is wanted ON";
    case "wanted_off":
      return because ?? "it is wanted OFF";
    case "no_signal":
      return `nothing is known of what it follows, so it ${LOST[whenLost]}`;
    case "clock_not_trusted":
      return `the clock of this machine cannot be trusted, so ${whenLost === "off" ? "nothing is switched ON" : `it ${LOST[whenLost]}`}`;
    case "no_broker":
      return "there is no connection to the broker";
    case "switched_on_by_hand":
      return `was switched on by hand, which counts until the next planned change${then}`;
    case "switched_off_by_hand":
      return `was switched off by hand, which counts until the next planned change${then}`;
    case "minimum_on_time":
      return `stays ON for its shortest time on${then}`;
    case "minimum_off_time":
      return `stays OFF for its shortest time off${then}`;
    case "timer_test":
      return `is left to its own timer once, to see whether it works${then}`;
  }
}
