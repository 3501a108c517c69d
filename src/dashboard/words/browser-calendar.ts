/** The calendar of a time zone in a browser, which can format instants in a zone but has no calendar for it. */
import { Calendar, type OffsetAt } from "../../core/time/calendar.ts";

export function browserCalendar(zone: string): Calendar {
  return new Calendar(zone, offsetsOf(zone));
}

/** Returns the offsets of a zone, computed from the formatted parts of an instant. */
function offsetsOf(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat("en-GB", {
    ...({ timeZone, hourCycle: "h23" } as const),
    ...({ year: "numeric", month: "numeric", day: "numeric" } as const),
    ...({ hour: "numeric", minute: "numeric", second: "numeric" } as const),
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const date = [part("year"), part("month") - 1, part("day")] as const;
    return Date.UTC(...date, part("hour"), part("minute"), part("second")) - at;
  };
}
