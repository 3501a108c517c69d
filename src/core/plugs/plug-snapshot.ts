/** What is shown of a plug at one moment. */
import type { Language } from "../language/language.ts";
import { type Say, sayIn } from "../language/text.ts";
import type { WhenLost } from "../planning/model/plan-spec.ts";
import type { EpochMs } from "../time/interval.ts";
import type { PlugReason } from "./plug-controller.ts";

export interface PlugSnapshot {
  /** A slug: it stands in topics. */
  readonly id: string;
  readonly name: string;
  /** As the plug has told; null while it is unknown. */
  readonly on: boolean | null;
  /** What it should be; null while nothing is decided: the time was never trusted, or a hand switched it on. */
  readonly wanted: boolean | null;
  readonly code: PlugReason;
  /** Why, in words. Shape: at most `MAX_REASON_LENGTH` characters. */
  readonly reason: string;
  /** Whether it can be reached; null while it has said nothing since the broker was connected. */
  readonly available: boolean | null;
  /** It did not answer, retries included. */
  readonly silent: boolean;
  /** Since when it is `on`; null while that is unknown. */
  readonly since: EpochMs | null;
}

/** Home Assistant refuses a state of more than 255 characters. */
const MAX_REASON_LENGTH = 255;

interface PlugTold {
  /** Why its plan or signal wants what it wants, in words. */
  readonly because: string | null;
  readonly whenLost: WhenLost;
  readonly language: Language;
}

/** Why a plug is told what it is told, in words. */
export function plugReasonText(code: PlugReason, told: PlugTold): string {
  const text = wordsOf(code, told, sayIn(told.language));
  return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH - 1)}…` : text;
}

function wordsOf(code: PlugReason, { because, whenLost }: PlugTold, say: Say): string {
  const then = (reason: string) => (because === null ? reason : say("plug_then", { reason, planned: because }));
  switch (code) {
    case "wanted_on":
      return because ?? say("plug_wanted_on");
    case "wanted_off":
      return because ?? say("plug_wanted_off");
    case "no_signal":
      return say(`plug_lost_${whenLost}`);
    case "clock_not_trusted":
      return say(`plug_clock_${whenLost}`);
    case "no_broker":
      return say("plug_no_broker");
    case "switched_on_by_hand":
      return then(say("plug_on_by_hand"));
    case "switched_off_by_hand":
      return then(say("plug_off_by_hand"));
    case "minimum_on_time":
      return then(say("plug_minimum_on"));
    case "minimum_off_time":
      return then(say("plug_minimum_off"));
    case "timer_test":
      return then(say("plug_timer_test"));
  }
}
