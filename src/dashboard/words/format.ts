/** Formats numbers, money and times in the user's locale and in the home's time zone. */

import type { Language } from "../../core/language/language.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import { locales } from "../../i18n/languages.ts";

/** Letter by fold, for the hour that occurs twice when the clocks go back. */
const LETTERS = ["", "A", "B"] as const;

/** Returns a formatted number with a minus sign instead of a hyphen, which may end a line. */
function withMinus(text: string): string {
  return text.replace("-", "\u2212");
}

/** Returns a text with a capital letter. */
export function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Returns the browser's own locale of a language, for instance en-US; otherwise the one of its texts. */
export function localeOf(language: Language, wanted: readonly string[] = navigator.languages): string {
  const own = wanted.find((tag) => tag.toLowerCase().split("-")[0] === language && tag.includes("-"));
  return own ?? locales[language];
}

export class Format {
  readonly locale: string;
  readonly calendar: Calendar;
  readonly #numbers = new Map<string, Intl.NumberFormat>();
  readonly #times = new Map<string, Intl.DateTimeFormat>();

  constructor(locale: string, calendar: Calendar) {
    this.locale = locale;
    this.calendar = calendar;
  }

  number(value: number, digits = 2): string {
    const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: "negative" } as const;
    return withMinus(this.#numberFormat(`number ${digits}`, options).format(value));
  }

  /** Part of the query of a CSV file with the decimal sign of this language, which its spreadsheet expects. */
  get csvQuery(): string {
    return this.number(0.5, 1).includes(",") ? "&decimal=comma" : "";
  }

  money(value: number, currency: string | null, digits = 2): string {
    if (currency === null) return this.number(value, digits);
    const options = {
      style: "currency",
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      // An amount that is shown as zero has no sign.
      signDisplay: "negative",
    } as const;
    return withMinus(this.#numberFormat(`money ${currency} ${digits}`, options).format(value));
  }

  /** Returns the symbol of a currency, for instance `kr.` or `SEK`. */
  currency(currency: string | null): string {
    if (currency === null) return "";
    const parts = this.#numberFormat(`money ${currency}`, { style: "currency", currency }).formatToParts(0);
    return parts.find(({ type }) => type === "currency")?.value ?? currency;
  }

  energy(value: number): string {
    const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
    return `${this.number(value, digits)}\u00A0kWh`;
  }

  percent(share: number): string {
    return this.#numberFormat("percent", { style: "percent", maximumFractionDigits: 0 }).format(share);
  }

  /** Returns a time, for instance `14.15`, `14:15` or `02:15 PM`. */
  time(at: number): string {
    return this.#timeFormat("time", { hour: "2-digit", minute: "2-digit" }).format(at);
  }

  /** Returns the hour only, for axes; `2A` and `2B` if it occurs twice. */
  hour(at: number): string {
    const { hour } = this.calendar.fieldsOf(at);
    const letter = LETTERS[this.calendar.fold(at)];
    return letter === "" ? String(hour).padStart(2, "0") : `${hour}${letter}`;
  }

  /** Returns the hour as a time, for axes, for instance `14.00` or `2 PM`; `2A` and `2B` if it occurs twice. */
  axisHour(at: number): string {
    if (this.calendar.fold(at) !== 0) return this.hour(at);
    const is12 = this.#timeFormat("axisHour", { hour: "numeric" }).resolvedOptions().hour12 === true;
    return is12 ? this.#timeFormat("axisHour", { hour: "numeric" }).format(at) : this.time(at);
  }

  /** Returns a time, with a letter if it occurs twice that day: `02.15 A`. */
  clock(at: number): string {
    const letter = LETTERS[this.calendar.fold(at)];
    return letter === "" ? this.time(at) : `${this.time(at)} ${letter}`;
  }

  /** Returns a range of times, for instance `14.00–14.15`. */
  span(start: number, end: number): string {
    return `${this.clock(start)}–${this.clock(end)}`;
  }

  /** Returns a short date, for instance `tor. 23. okt.` */
  day(at: number): string {
    return this.#timeFormat("day", { weekday: "short", day: "numeric", month: "short" }).format(at);
  }

  longDay(at: number): string {
    const options = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
    return this.#timeFormat("longDay", options).format(at);
  }

  weekday(at: number): string {
    return this.#timeFormat("weekday", { weekday: "short" }).format(at);
  }

  dayOfMonth(at: number): string {
    return String(this.calendar.fieldsOf(at).day);
  }

  month(at: number): string {
    return this.#timeFormat("month", { month: "long", year: "numeric" }).format(at);
  }

  monthName(at: number): string {
    return this.#timeFormat("monthName", { month: "short" }).format(at);
  }

  year(at: number): string {
    return String(this.calendar.fieldsOf(at).year);
  }

  dateTime(at: number): string {
    const options = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;
    return this.#timeFormat("dateTime", options).format(at);
  }

  /** Returns a cached format, because making one takes longer than 1,000 uses. */
  #numberFormat(name: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
    return keptIn(this.#numbers, name, () => new Intl.NumberFormat(this.locale, options));
  }

  #timeFormat(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    const { zone: timeZone } = this.calendar;
    return keptIn(this.#times, name, () => new Intl.DateTimeFormat(this.locale, { timeZone, ...options }));
  }
}

function keptIn<Value>(known: Map<string, Value>, name: string, make: () => Value): Value {
  const found = known.get(name) ?? make();
  known.set(name, found);
  return found;
}
