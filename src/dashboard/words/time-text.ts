/**
 * Times of day in inputs. A text input with 24 hours: the browser's own time input follows the language of the browser,
 * and shows AM and PM on a Danish page.
 */

/** Attributes of the input of a time of day. */
export const TIME_INPUT = { type: "text", inputMode: "numeric", placeholder: "00:00", maxLength: 5 } as const;

const TIME = /^(\d{1,2})(?:[:.,]?(\d{2}))?$/;

/** Returns a typed time as `07:30`; also from `7.30`, `730` and `7`. Null if it is no time of day. */
export function readTime(text: string): string | null {
  const [, hour, minute = "00"] = TIME.exec(text.trim()) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) return null;
  return `${hour.padStart(2, "0")}:${minute}`;
}
