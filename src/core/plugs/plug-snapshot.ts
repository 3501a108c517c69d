/** State of a plug at one instant, for the outputs. */
import type { Language } from "../language/language.ts";
import { type Say, sayIn } from "../language/text.ts";
import type { WhenLost } from "../planning/model/plan-spec.ts";
import { shortened } from "../text/shortened.ts";
import type { EpochMs } from "../time/interval.ts";
import type { PlugReason } from "./plug-controller.ts";

export interface PlugSnapshot {
  /** Slug, used in topics. */
  readonly id: string;
  readonly name: string;
  /** Id of the only plan that it follows; null if it follows something else. */
  readonly plan: string | null;
  /** State that the plug reported; null while unknown. */
  readonly on: boolean | null;
  /** Target state; null while undecided: the clock was never trusted, or the plug was switched manually. */
  readonly wanted: boolean | null;
  readonly code: PlugReason;
  /** Reason in words, short enough for a state of Home Assistant. */
  readonly reason: string;
  /** True if the plug can be reached; null until its first message since the broker was connected. */
  readonly available: boolean | null;
  /** True if the plug did not answer, including retries. */
  readonly silent: boolean;
  /** Time since which the plug is in state `on`; null while unknown. */
  readonly since: EpochMs | null;
  /** Null for a plug that has measured nothing yet. */
  readonly measured: PlugMeasurements | null;
}

/** What a plug measures. */
export interface PlugMeasurements {
  /** Unit: W, whole; null if it measures only energy. */
  readonly watts: number | null;
  readonly month: PlugMonth;
  readonly monthBefore: PlugMonth;
}

/** Energy of a local month. */
export interface PlugMonth {
  readonly start: EpochMs;
  readonly kwh: number;
  /** Cost of the energy with known prices; null if none has one. Unit: currency. */
  readonly cost: number | null;
  readonly currency: string | null;
}

interface PlugReasonContext {
  /** Reason of its plan or signal in words; null without one. */
  readonly because: string | null;
  readonly whenLost: WhenLost;
  readonly language: Language;
}

/** Returns the reason for the command of a plug in words. */
export function plugReasonText(code: PlugReason, context: PlugReasonContext): string {
  return shortened(wordsOf(code, context, sayIn(context.language)));
}

function wordsOf(code: PlugReason, { because, whenLost }: PlugReasonContext, say: Say): string {
  const then = (reason: string) => (because === null ? reason : say("plug.then", { reason, planned: because }));
  switch (code) {
    case "wanted_on":
      return because ?? say("plug.wanted_on");
    case "wanted_off":
      return because ?? say("plug.wanted_off");
    case "no_signal":
      return say(`plug.lost_${whenLost}`);
    case "clock_not_trusted":
      return say(`plug.clock_${whenLost}`);
    case "no_broker":
      return say("plug.no_broker");
    case "switched_on_by_hand":
      return then(say("plug.on_by_hand"));
    case "switched_off_by_hand":
      return then(say("plug.off_by_hand"));
    case "minimum_on_time":
      return then(say("plug.minimum_on"));
    case "minimum_off_time":
      return then(say("plug.minimum_off"));
    case "timer_test":
      return then(say("plug.timer_test"));
  }
}
