/**
 * Instants between their text and seconds, for series: a year of quarter-hours has seventy thousand of them, and
 * `Date` takes a microsecond for each.
 */
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
const MINUTE_SECONDS = 60;
const ZERO = 48;
/** `YYYY-MM-DDTHH:MM:SSZ`. */
const TEXT_LENGTH = 20;
/** `"YYYY-MM-DDT`, quotation mark included. */
const DATE_LENGTH = 12;
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

/** Writes instants; of neighbours on one day the date is worked out once. */
export class InstantWriter {
  #days = Number.NaN;
  /** Quotation mark, date and T of `#days`. */
  readonly #date = new Uint8Array(DATE_LENGTH);

  /**
   * Writes `"YYYY-MM-DDTHH:MM:SSZ"`, quotes included, as ASCII. Unit: seconds since 1970, years 0 to 9999.
   * Gives back the place after it.
   */
  write(bytes: Uint8Array, at: number, seconds: number): number {
    const days = Math.floor(seconds / DAY_SECONDS);
    if (days !== this.#days) this.#turnTo(days);
    const date = this.#date;
    for (let i = 0; i < DATE_LENGTH; i++) bytes[at + i] = date[i] as number;
    const ofDay = (seconds - days * DAY_SECONDS) | 0;
    const minutes = (ofDay / MINUTE_SECONDS) | 0;
    const hours = (minutes / 60) | 0;
    let next = writeTwo(bytes, at + DATE_LENGTH, hours);
    bytes[next] = 58; // :
    next = writeTwo(bytes, next + 1, minutes - hours * 60);
    bytes[next] = 58;
    next = writeTwo(bytes, next + 1, ofDay - minutes * MINUTE_SECONDS);
    bytes[next] = 90; // Z
    bytes[next + 1] = 34; // "
    return next + 2;
  }

  #turnTo(days: number): void {
    this.#date[0] = 34;
    writeDate(this.#date, 1, days);
    this.#date[DATE_LENGTH - 1] = 84; // T
    this.#days = days;
  }
}

/** Days since 1970 of a date. Source: Howard Hinnant, chrono-compatible low-level date algorithms. */
function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}

/** The inverse of `daysOf`, written down. */
function writeDate(bytes: Uint8Array, at: number, days: number): void {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const years = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = years + era * 400 + (month <= 2 ? 1 : 0);
  let next = writeTwo(bytes, at, Math.floor(year / 100));
  next = writeTwo(bytes, next, year % 100);
  bytes[next++] = 45; // -
  next = writeTwo(bytes, next, month);
  bytes[next++] = 45;
  writeTwo(bytes, next, ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1);
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

function writeTwo(bytes: Uint8Array, at: number, value: number): number {
  const tens = (value / 10) | 0;
  bytes[at] = ZERO + tens;
  bytes[at + 1] = ZERO + value - tens * 10;
  return at + 2;
}
