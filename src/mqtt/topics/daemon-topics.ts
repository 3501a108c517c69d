/** Public topics of the daemon itself. */

import type { Language } from "../../core/language/language.ts";
import { type Text, textIn } from "../../core/language/text.ts";
import { type DaemonState, problemReason } from "../../core/status/daemon-status.ts";
import { type Problem, problemIn } from "../../core/status/problem.ts";
import { wire } from "../../core/text/wire.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import type { RetainedMessage } from "../client/message.ts";

/** Maximum number of published problems, and maximum length of their texts. Home Assistant limits attributes. */
const MAX_PROBLEMS = 12;
const MAX_TEXT_LENGTH = 400;

/** An MQTT command that was refused. */
export interface RefusedTopic {
  /** Its topic. */
  readonly command: string;
  /** Explanation for the sender. */
  readonly reason: Text;
  readonly at: EpochMs;
}

/** Input of the daemon's entities. */
export interface DaemonView extends DaemonState {
  /** The last refused command since the start; null if there was none. */
  readonly refusedCommand: RefusedTopic | null;
}

/** Returns the messages about the daemon. `base` is the daemon's topic without a trailing slash. */
export function daemonMessages(base: string, view: DaemonView, language: Language = "en"): RetainedMessage[] {
  const state = { ...view, problems: view.problems.map((problem) => problemIn(language, problem)) };
  return [
    { topic: `${base}/info`, payload: JSON.stringify(infoOf(state)) },
    { topic: `${base}/problems`, payload: JSON.stringify(problemsOf(state)) },
    { topic: `${base}/refused_command`, payload: JSON.stringify(refusedOf(state, language)) },
  ];
}

function infoOf({ version, startedAt, interfaces, problems, backfill }: DaemonState): object {
  return {
    ...wire({ version, startedAt }),
    interfaces: Object.fromEntries(
      interfaces.map((each) => [each.account, { interface: each.interface, state: each.service }]),
    ),
    quota: Object.fromEntries(
      interfaces.map(({ account, quota: { minute, day }, requestsToday }) => [
        account,
        wire({ minuteLeft: minute?.left ?? null, dayLeft: day?.left ?? null, requestsToday }),
      ]),
    ),
    backfill: backfill && { days_known: backfill.known, days_wanted: backfill.wanted },
    problems: problems.map(problemState),
  };
}

function refusedOf({ refusedCommand }: DaemonView, language: Language): object {
  if (refusedCommand === null) return { command: null, reason: null, at: null };
  const { command, reason, at } = refusedCommand;
  return wire({ command, reason: textIn(language, reason).slice(0, MAX_TEXT_LENGTH), at });
}

/** Returns the attributes of an entity. They are not in `info`, which changes with every request. */
function problemsOf({ problems }: DaemonState): object {
  return {
    reason: problemReason(problems)?.slice(0, MAX_TEXT_LENGTH) ?? null,
    count: problems.length,
    problems: problems.slice(0, MAX_PROBLEMS).map(problemState),
  };
}

function problemState({ code, subject, since, advice, detail, requestId }: Problem): object {
  return wire({ code, subject, since, advice, detail: detail.slice(0, MAX_TEXT_LENGTH), requestId });
}
