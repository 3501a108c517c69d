/** Numbers, money and times as they are written where the reader lives, at the clock of the home. */

/** What a language is written like where a browser does not say more. */
const PLACES = { da: "da-DK", sv: "sv-SE", nb: "nb-NO", en: "en-GB" };

/** By fold: what tells the two hours apart that have one name when the clocks go back. */
const LETTERS = ["", "A", "B"];

/** The browser's own form of a language, if it has one: en-US writes times as people there do. */
export function localeOf(language, wanted = navigator.languages) {
  const own = wanted.find((tag) => tag.toLowerCase().split("-")[0] === language && tag.includes("-"));
  return own ?? PLACES[language];
}

export class Format {
  #kept = new Map();

  constructor(locale, zone) {
    this.locale = locale;
    this.zone = zone;
  }

  number(value, digits = 2) {
    return this.#numbers(`number ${digits}`, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
      value,
    );
  }

  money(value, currency, digits = 2) {
    if (currency === null) return this.number(value, digits);
    const options = { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits };
    return this.#numbers(`money ${currency} ${digits}`, options).format(value);
  }

  /** How a currency is called here: `kr.`, `SEK`. */
  currency(currency) {
    if (currency === null) return "";
    const parts = this.#numbers(`money ${currency} 2`, { style: "currency", currency }).formatToParts(0);
    return parts.find(({ type }) => type === "currency")?.value ?? currency;
  }

  energy(value) {
    const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
    return `${this.number(value, digits)} kWh`;
  }

  percent(share) {
    return this.#numbers("percent", { style: "percent", maximumFractionDigits: 0 }).format(share);
  }

  /** `14.15`, `14:15`, `2:15 PM`. */
  time(at) {
    return this.#times("time", { hour: "2-digit", minute: "2-digit" }).format(at);
  }

  /** The hour alone, for axes; `2A` and `2B` where it comes twice. */
  hour(at) {
    const { hour } = this.zone.fields(at);
    const letter = LETTERS[this.zone.fold(at)];
    return letter === "" ? String(hour).padStart(2, "0") : `${hour}${letter}`;
  }

  /** A time that is there twice that day says which it is: `02.15 A`. */
  clock(at) {
    const letter = LETTERS[this.zone.fold(at)];
    return letter === "" ? this.time(at) : `${this.time(at)} ${letter}`;
  }

  /** `14.00–14.15`. */
  span(start, end) {
    return `${this.clock(start)}–${this.clock(end)}`;
  }

  /** `tor. 23. okt.` */
  day(at) {
    return this.#times("day", { weekday: "short", day: "numeric", month: "short" }).format(at);
  }

  longDay(at) {
    return this.#times("longDay", { weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(at);
  }

  weekday(at) {
    return this.#times("weekday", { weekday: "short" }).format(at);
  }

  dayOfMonth(at) {
    return String(this.zone.fields(at).day);
  }

  month(at) {
    return this.#times("month", { month: "long", year: "numeric" }).format(at);
  }

  monthName(at) {
    return this.#times("monthName", { month: "short" }).format(at);
  }

  year(at) {
    return String(this.zone.fields(at).year);
  }

  dateTime(at) {
    return this.#times("dateTime", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }).format(at);
  }

  #numbers(name, options) {
    return this.#keep(name, () => new Intl.NumberFormat(this.locale, options));
  }

  #times(name, options) {
    return this.#keep(name, () => new Intl.DateTimeFormat(this.locale, { timeZone: this.zone.name, ...options }));
  }

  /** Making one of these takes longer than a thousand uses. */
  #keep(name, make) {
    let kept = this.#kept.get(name);
    if (!kept) {
      kept = make();
      this.#kept.set(name, kept);
    }
    return kept;
  }
}
