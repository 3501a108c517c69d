/** Time zones on Node. Offsets come from luxon, which reads the runtime's time zone database. */
import { IANAZone } from "luxon";
import { Calendar, type OffsetAt, SERVICE_ZONE, type TransitionMemory } from "../core/time/calendar.ts";
import { MINUTE_MS } from "../core/time/interval.ts";

/** Returns the calendar of the service's zone, for all addresses. */
export function serviceCalendar(memory: TransitionMemory | null = null): Calendar {
  return new Calendar(SERVICE_ZONE, zoneOffsets(SERVICE_ZONE), memory);
}

/** Returns the offsets of a zone; loaded at first use (8 MB, 8 ms), which throws RangeError for an unknown zone. */
export function zoneOffsets(name: string): OffsetAt {
  let zone: IANAZone | null = null;
  return (at) => {
    zone ??= IANAZone.create(name);
    if (!zone.isValid) throw new RangeError(`unknown time zone "${name}"; expected a name such as ${SERVICE_ZONE}`);
    return zone.offset(at) * MINUTE_MS;
  };
}
