/** Reads what the use of a home is made from, through the mirror, and keeps it: to go back and forth asks for nothing. */
import { MEASURES, rowsOf } from "./energy.js";

/** More than this at once no operation of the service answers. */
export const MAX_DAYS = 366;
/** The same for prices by the quarter. */
const MAX_QUARTER_DAYS = 90;
const MAX_KEPT = 24;
/** What is kept will do: the daemon asks for what is new by its own fetch schedule. */
const AS_KEPT = { "Cache-Control": "max-stale" };

export class UseReading {
  #house;
  /** Promises by what was asked. */
  #kept = new Map();

  constructor(house) {
    this.#house = house;
  }

  /** Rows may be others now. */
  forget() {
    this.#kept.clear();
  }

  /**
   * Hours up to today, which are in storage: a meter tells a day later. Years as the service adds them up, amounts of
   * money one year at a time.
   */
  async rows(home, name, { from, to: end, unit }, zone) {
    const measure = MEASURES[name];
    const isYears = unit === "year";
    const aggregation = isYears ? "year" : "hour";
    const to = isYears ? end : Math.min(end, zone.startOf("day", this.#house.now()));
    if (from >= to) return { rows: [], currency: null };
    const starts = isYears && measure.money ? zone.starts("year", from, to) : [from];
    const rows = [];
    let currency = null;
    for (const [i, start] of starts.entries()) {
      const range = { from: start, to: starts[i + 1] ?? to, aggregation };
      const body = await this.#ask(home, measure.path, range, (answer) => answer);
      rows.push(...rowsOf(measure, body));
      currency ??= body.currency ?? null;
    }
    return { rows, currency };
  }

  /** The plain mean of the prices of a stretch, read in parts that the service answers; null without any. */
  async marketMean(home, { from, to }, zone) {
    const most = home.resolution === "hour" ? MAX_DAYS : MAX_QUARTER_DAYS;
    let sum = 0;
    let length = 0;
    for (let start = from; start < to; start = zone.shift("day", start, most)) {
      const range = { from: start, to: Math.min(to, zone.shift("day", start, most)), resolution: home.resolution };
      const part = await this.#ask(home, "prices", range, sumOfPrices);
      sum += part.sum;
      length += part.length;
    }
    return length > 0 ? sum / length : null;
  }

  async #ask(home, operation, { from, to, ...rest }, read) {
    const query = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...rest });
    const path = `consumer/v1/me/addresses/${home.address_id}/${operation}?${query}`;
    const known = this.#kept.get(path);
    if (known) return await known;
    const asked = this.#house.get(path, AS_KEPT).then(read);
    this.#kept.set(path, asked);
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value);
    try {
      return await asked;
    } catch (refusal) {
      this.#kept.delete(path);
      throw refusal;
    }
  }
}

/** Prices added up, each with the time that it held. */
function sumOfPrices({ data }) {
  let sum = 0;
  let length = 0;
  for (const { start, end, totalPricePerKWh: price } of data) {
    if (typeof price !== "number") continue;
    const ms = Date.parse(end) - Date.parse(start);
    sum += price * ms;
    length += ms;
  }
  return { sum, length };
}
