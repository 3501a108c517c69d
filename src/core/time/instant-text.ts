/** Reads instants of series: a year of quarter-hours has seventy thousand, and `Date` takes a microsecond for each. */
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
const MINUTE_SECONDS = 60;
const ZERO = 48;
/** `YYYY-MM-DDTHH:MM:SSZ`. */
const TEXT_LENGTH = 20;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads `YYYY-MM-DDTHH:MM:SSZ`, the form the service writes. Null for any other text. Unit: seconds since 1970. */
export function readInstantSeconds(text: string): number | null {
  if (text.length !== TEXT_LENGTH || text[4] !== "-" || text[7] !== "-" || text[10] !== "T") return null;
  if (text[13] !== ":" || text[16] !== ":" || text[19] !== "Z") return null;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 2);
  const day = digitsAt(text, 8, 2);
  const hour = digitsAt(text, 11, 2);
  const minute = digitsAt(text, 14, 2);
  const second = digitsAt(text, 17, 2);
  // A part that is not digits is NaN, and NaN is in no order.
  if (!(hour < 24 && minute < 60 && second < 60 && month >= 1 && month <= 12 && day >= 1)) return null;
  if (!(day <= daysOfMonth(year, month))) return null;
  return daysOf(year, month, day) * DAY_SECONDS + hour * HOUR_SECONDS + minute * MINUTE_SECONDS + second;
}

/** Days since 1970 of a date. Source: Howard Hinnant, chrono-compatible low-level date algorithms. */
function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}

function daysOfMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

function digitsAt(text: string, at: number, count: number): number {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
