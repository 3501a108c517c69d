/** Plugs that announced themselves, as they are shown. */
import type { PlugFamily } from "./families.ts";
import type { AnnouncedPlug, DeviceTimers } from "./plug-family.ts";

/** A plug that announced itself, and what its timer can do. */
export interface Announced extends Omit<AnnouncedPlug, "channel" | "learned"> {
  readonly family: PlugFamily;
  /** Undefined for the ordinary one. */
  readonly channel?: string;
  readonly timers: DeviceTimers;
  /** Whether the timer is known to work; otherwise elbro observes it at the first run. */
  readonly isTimerSure: boolean;
}

/** `configured` is the id of the plug that it is in the configuration; null where it is in none. */
export interface AnnouncedHere extends Announced {
  readonly configured: string | null;
}
