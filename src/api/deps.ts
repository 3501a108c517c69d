/** What the endpoints read and change. */
import type { CommandHint } from "../config/command-hint.ts";
import type { ConfigurationEditor } from "../config/editing/configuration-editor.ts";
import type { OverlayHistory } from "../config/editing/overlay-history.ts";
import type { SettingsEditor } from "../config/editing/settings-editor.ts";
import type { Config } from "../config/schema/schema.ts";
import type { Text } from "../core/language/text.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { LogMemory } from "../core/runtime/log-memory.ts";
import type { SeriesKey } from "../core/series/series.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { Mqtt } from "../mqtt/start-mqtt.ts";
import type { PlannedState } from "../plans/open-plans.ts";
import type { Plugs } from "../plugs/plug-wiring.ts";
import type { ProxySettings } from "../service/client/proxy.ts";
import type { Storage } from "../storage/open-storage.ts";
import type { StartRecord } from "../storage/recovery/start-record.ts";
import type { EventFeed } from "./event-source.ts";
import type { SetupOptions } from "./setup/setup.ts";

export interface ApiDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
  /** Fires when the daemon ends. */
  readonly signal: AbortSignal;
  readonly state: PlannedState;
  readonly storage: Storage;
  readonly mqtt: { readonly client: Pick<Mqtt["client"], "status"> };
  readonly plugs: Pick<Plugs, "snapshots" | "todayKwh" | "announced" | "tryOut">;
  readonly editor: ConfigurationEditor;
  readonly settings: SettingsEditor;
  readonly history: OverlayHistory;
  readonly events: EventFeed;
  readonly logLines: LogMemory;
  /** Called for a series whose stored rows were changed by a request of the LAN. */
  readonly onSeriesChanged: (series: SeriesKey) => void;
  /** Returns the URL of the broker in use and why it is not connected; null while no daemon runs. */
  readonly broker: (() => { readonly url: string | undefined; readonly trouble: Text | null }) | null;
  readonly proxy: ProxySettings | null;
  /** Returns the command line that the owner types. */
  readonly commandHint: CommandHint;
  /** True if Home Assistant forwards requests of its users, which then need no key. */
  readonly ingress: boolean;
  /** Options of the set-up, which replaces the demo; null if a set-up is not possible. */
  readonly setup: SetupOptions | null;
  /** Returns the day of the last use of a key since the start; null without one. */
  readonly lastUse?: (name: string) => EpochMs | null;
  /** The record of this start, and how the daemon starts again. */
  readonly starts?: { readonly record: Pick<StartRecord, "aside" | "released">; readonly again: () => void };
  /** Called with an unexpected error of a request, which is logged and answered. */
  readonly onCrash?: (error: unknown) => void;
}
