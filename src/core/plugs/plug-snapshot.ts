/** What is shown of a plug at one moment. */
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

/** Why a plug is told what it is told, in words. `because` is why its plan or signal wants what it wants. */
export function plugReasonText(code: PlugReason, because: string | null, whenLost: WhenLost = "off"): string {
  const text = wordsOf(code, because, whenLost);
  return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH - 1)}…` : text;
}

/** What a plug is while nothing is known. */
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
