/** The public topic of a plug, made from its snapshot. */

import type { PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import { formatInstant } from "../../core/time/interval.ts";
import type { Message } from "../client/message.ts";

/** Where a plug stands below the base topic. */
export function plugPath(id: string): string {
  return `plug/${id}`;
}

/** The state topic of a plug. `base` is the base topic, without a slash at its end. */
export function plugMessages(base: string, plug: PlugSnapshot): Message[] {
  return [{ topic: `${base}/${plugPath(plug.id)}/state`, payload: JSON.stringify(plugState(plug)) }];
}

/** What is told of a plug. */
export function plugState({ on, wanted, reason, code, available, silent, since }: PlugSnapshot) {
  return {
    on,
    wanted,
    reason,
    reason_code: code,
    available,
    problem: silent,
    since: since === null ? null : formatInstant(since),
  };
}
