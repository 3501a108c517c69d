/** Discovered plugs, as the API shows them. */
import type { PlugFamily } from "./families.ts";
import type { AnnouncedPlug, DeviceTimers } from "./plug-family.ts";

/** Discovered plug and the capabilities of its timer. */
export interface Announced extends Omit<AnnouncedPlug, "channel" | "learned"> {
  readonly family: PlugFamily;
  /** Absent for the default channel. */
  readonly channel?: string;
  readonly timers: DeviceTimers;
  /** True if the timer is known to work; otherwise elbro observes it at the first run. */
  readonly isTimerSure: boolean;
}

/** Discovered plug. `configured` is its id in the configuration; null if it is not configured. */
export interface AnnouncedHere extends Announced {
  readonly configured: string | null;
}
