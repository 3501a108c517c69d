/** The public topics of the daemon itself. */
import { type DaemonState, problemReason } from "../../core/status/daemon-status.ts";
import type { Problem } from "../../core/status/problem.ts";
import { formatInstant } from "../../core/time/interval.ts";
import type { Message } from "../client/message.ts";

/** Problems that are told one by one, and the length of what was found: bounds for Home Assistant's attributes. */
const MAX_PROBLEMS = 12;
const MAX_TEXT_LENGTH = 400;

/** What the daemon says of itself. `base` is the base topic, without a slash at its end. */
export function daemonMessages(base: string, state: DaemonState): Message[] {
  return [
    { topic: `${base}/info`, payload: JSON.stringify(infoOf(state)) },
    { topic: `${base}/problems`, payload: JSON.stringify(problemsOf(state)) },
  ];
}

function infoOf({ version, startedAt, interfaces, problems, backfill }: DaemonState): object {
  return {
    version,
    started_at: formatInstant(startedAt),
    interfaces: Object.fromEntries(
      interfaces.map((each) => [each.account, { interface: each.interface, state: each.service }]),
    ),
    quota: Object.fromEntries(
      interfaces.map(({ account, minuteLeft, dayLeft, requestsToday }) => [
        account,
        { minute_left: minuteLeft, day_left: dayLeft, requests_today: requestsToday },
      ]),
    ),
    backfill: backfill && { days_known: backfill.known, days_wanted: backfill.wanted },
    problems: problems.map(problemState),
  };
}

/** Apart from `info`, which changes with every request: these are the attributes of an entity. */
function problemsOf({ problems }: DaemonState): object {
  return {
    reason: problemReason(problems)?.slice(0, MAX_TEXT_LENGTH) ?? null,
    count: problems.length,
    problems: problems.slice(0, MAX_PROBLEMS).map(problemState),
  };
}

function problemState({ code, subject, since, advice, detail, requestId }: Problem): object {
  return {
    code,
    subject,
    since: formatInstant(since),
    advice,
    detail: detail.slice(0, MAX_TEXT_LENGTH),
    request_id: requestId,
  };
}
