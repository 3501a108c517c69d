/**
 * Lists of future prices begin with the current hour, and forecasts after the latest confirmed price, even if the
 * stored answer is older.
 */
import { type Row, rowEnd, rowStart } from "../../core/series/series.ts";
import { DAY_MS, type EpochMs, HOUR_MS } from "../../core/time/interval.ts";
import { type OperationId, operationOf, type ParamsOf } from "../../service/contract/operations.ts";
import { resolutions } from "../../service/contract/resources.ts";
import type { SeriesRepository } from "../../state/series-repository.ts";
import type { Found } from "../../state/stored-answer.ts";

const UPCOMING: ReadonlySet<OperationId> = new Set([
  ...(["forecastPrices", "regionPrices", "locationPrices", "addressPrices"] as const),
]);
/** Range that is searched for confirmed prices, which are published a day ahead. */
const CONFIRMED_AHEAD_MS = 2 * DAY_MS;

/** Returns the answer without past rows. Answers of other operations stay unchanged. */
export function upcomingOnly(found: Found, operation: OperationId, from: () => EpochMs): Found {
  if (!UPCOMING.has(operation)) return found;
  const start = from();
  const read = () => Buffer.from(JSON.stringify(withoutPast(JSON.parse(found.read().toString()), start)));
  return { ...found, version: `${found.version} ${start}`, read };
}

function withoutPast(body: Row[] | { readonly data: Row[] }, from: EpochMs): unknown {
  const isToCome = (row: Row) => (rowStart(row) ?? from) >= from;
  return Array.isArray(body) ? body.filter(isToCome) : { ...body, data: body.data.filter(isToCome) };
}

/** First instant of future rows in the answer to a request. */
export class UpcomingStart {
  readonly #repository: SeriesRepository;
  /** End of confirmed prices by account and address. Bounded by the addresses of the homes. */
  readonly #confirmed = new Map<string, { readonly seen: string; readonly until: EpochMs }>();

  constructor(repository: SeriesRepository) {
    this.#repository = repository;
  }

  of(account: string, operation: OperationId, params: ParamsOf<OperationId>, now: EpochMs): EpochMs {
    const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
    if (operationOf(operation).interface === "thirdParty" || !("addressId" in params)) return hour;
    return Math.max(hour, this.#confirmedUntil(account, params.addressId, hour));
  }

  /** Returns the end of the latest confirmed price. Reads it again when something is stored, and each hour. */
  #confirmedUntil(account: string, place: string, hour: EpochMs): EpochMs {
    const { store } = this.#repository;
    const key = `${account} ${place}`;
    const seen = `${store.changes} ${hour}`;
    const known = this.#confirmed.get(key);
    if (known?.seen === seen) return known.until;
    const range = { start: hour, end: hour + CONFIRMED_AHEAD_MS };
    const ends = resolutions.map((unit) => {
      const newest = store.rows({ account, place, operation: "prices", unit }, range).at(-1);
      return (newest && rowEnd(newest)) ?? hour;
    });
    const until = Math.max(...ends);
    this.#confirmed.set(key, { seen, until });
    return until;
  }
}
