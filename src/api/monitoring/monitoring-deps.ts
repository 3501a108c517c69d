/** Data sources of health, metrics, system report and diagnostics. */

import type { Config } from "../../config/schema.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import type { Mqtt } from "../../mqtt/start-mqtt.ts";
import type { PlannedState } from "../../plans/open-plans.ts";
import type { Plugs } from "../../plugs/plug-wiring.ts";
import type { Storage } from "../../storage/open-storage.ts";
import type { EventFeed } from "../event-source.ts";

export interface MonitoringDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly state: PlannedState;
  readonly storage: Pick<Storage, "database" | "databasePath">;
  readonly mqtt: { readonly client: Pick<Mqtt["client"], "status"> };
  readonly plugs: Pick<Plugs, "snapshots">;
  readonly events: EventFeed;
  /** Fires when the daemon ends. */
  readonly signal: AbortSignal;
}
