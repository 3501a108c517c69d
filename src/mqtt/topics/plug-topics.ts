/** Public topic of a plug. */

import type { PlugMonth, PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import { rounded, roundedOrNull } from "../../core/text/rounding.ts";
import { formatInstant, formatInstantOrNull } from "../../core/time/interval.ts";
import type { Message } from "../client/message.ts";

/** Returns the path of a plug below the base topic. */
export function plugPath(id: string): string {
  return `plug/${id}`;
}

/** Returns the state message of a plug. `base` is the base topic without a trailing slash. */
export function plugMessages(base: string, plug: PlugSnapshot): Message[] {
  return [{ topic: `${base}/${plugPath(plug.id)}/state`, payload: JSON.stringify(plugState(plug)) }];
}

/** Returns the published state of a plug. */
export function plugState({ on, wanted, reason, code, available, silent, since, measured }: PlugSnapshot) {
  return {
    on,
    wanted,
    reason,
    reason_code: code,
    available,
    problem: silent,
    since: formatInstantOrNull(since),
    ...(measured
      ? { watts: measured.watts, month: plugMonth(measured.month), month_before: plugMonth(measured.monthBefore) }
      : {}),
  };
}

function plugMonth({ start, kwh, cost, currency }: PlugMonth) {
  return { start: formatInstant(start), kwh: rounded(kwh), cost: roundedOrNull(cost), currency };
}
