/** Public topic of a plug. */

import type { PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import { wire } from "../../core/text/wire.ts";
import type { RetainedMessage } from "../client/message.ts";

/** Returns the path of a plug below the base topic. */
export function plugPath(id: string): string {
  return `plug/${id}`;
}

/** Returns the state message of a plug. `base` is the base topic without a trailing slash. */
export function plugMessages(base: string, plug: PlugSnapshot): RetainedMessage[] {
  return [{ topic: `${base}/${plugPath(plug.id)}/state`, payload: JSON.stringify(publishedPlugState(plug)) }];
}

/** Returns the published state of a plug. */
export function publishedPlugState({ on, wanted, reason, code, available, silent, since, measured }: PlugSnapshot) {
  return wire({ on, wanted, reason, reasonCode: code, available, problem: silent, since, ...measured });
}
