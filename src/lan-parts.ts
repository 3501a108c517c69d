/** What the routes of the LAN API are made of. */
import type { DatabaseSync } from "node:sqlite";
import type { Accounts } from "./accounts.ts";
import type { Clock } from "./collector/clock.ts";
import type { Config } from "./config/schema.ts";
import type { Calendar } from "./core/calendar.ts";
import type { DaemonState } from "./core/daemon-state.ts";
import type { EpochMs } from "./core/interval.ts";
import type { Problems } from "./core/problem.ts";
import type { SeriesKey } from "./core/series.ts";
import type { Homes } from "./homes.ts";
import type { House } from "./house.ts";
import type { Library } from "./library.ts";
import type { LiveFeed } from "./live-feed.ts";
import type { Link } from "./mqtt/link.ts";
import type { Places } from "./places.ts";
import type { Plans } from "./plans.ts";
import type { Settings } from "./store/settings.ts";
import type { PlugsModule } from "./switching.ts";
import type { Vitals } from "./vitals.ts";

export interface LanParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly calendar: Calendar;
  readonly accounts: Accounts;
  readonly homes: Homes;
  readonly house: House;
  readonly library: Library;
  readonly places: Places;
  readonly plans: Plans;
  readonly problems: Problems;
  readonly settings: Settings;
  readonly startedAt: EpochMs;
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  /** Told of a series that an answer to the LAN changed. */
  readonly onChange: (series: SeriesKey) => void;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
  /** What happens, for those who listen. */
  readonly live: LiveFeed;
  readonly vitals: Vitals;
  /** The daemon as it is at a moment. */
  readonly daemonState: (now: EpochMs) => DaemonState;
  readonly link: Link;
  readonly plugs: Pick<PlugsModule, "snapshots">;
  readonly database: DatabaseSync;
  readonly databasePath: string;
  /** Whether Home Assistant hands on what its users ask. */
  readonly ingress: boolean;
  /** Fires when the daemon ends. */
  readonly signal: AbortSignal;
}
