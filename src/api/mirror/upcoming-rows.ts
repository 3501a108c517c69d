/** Future prices begin with the current hour, forecasts after the latest confirmed price, however old an answer is. */
import { type Row, rowEnd, rowStart } from "../../core/series/series.ts";
import { DAY_MS, type EpochMs, HOUR_MS } from "../../core/time/interval.ts";
import { type OperationId, operationOf, type ParamsOf } from "../../service/contract/operations.ts";
import { resolutions } from "../../service/contract/resources.ts";
import type { SeriesRepository } from "../../state/series-repository.ts";
import type { Found } from "../../state/stored-answer.ts";

const UPCOMING: ReadonlySet<OperationId> = new Set([
  "forecastPrices",
  "regionPrices",
  "locationPrices",
  "addressPrices",
] as const);
/** Range that is searched for confirmed prices, which are published a day ahead. */
const CONFIRMED_AHEAD_MS = 2 * DAY_MS;

/** Returns the answer without past rows. Answers of other operations stay unchanged. */
export function upcomingOnly(found: Found, operation: OperationId, from: () => EpochMs): Found {
  if (!UPCOMING.has(operation)) return found;
  const start = from();
  const isToCome = (row: Row) => (rowStart(row) ?? start) >= start;
  const read = () => {
    const body: Row[] | { readonly data: Row[] } = JSON.parse(found.read().toString());
    const left = Array.isArray(body) ? body.filter(isToCome) : { ...body, data: body.data.filter(isToCome) };
    return Buffer.from(JSON.stringify(left));
  };
  return { ...found, version: `${found.version} ${start}`, read };
}

export function upcomingStart(
  { store }: SeriesRepository,
  { account, operation, params }: Readonly<{ account: string; operation: OperationId; params: ParamsOf<OperationId> }>,
  now: EpochMs,
): EpochMs {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  if (operationOf(operation).interface === "thirdParty" || !("addressId" in params)) return hour;
  const range = { start: hour, end: hour + CONFIRMED_AHEAD_MS };
  const ends = resolutions.map((unit) => {
    const newest = store.rows({ account, place: params.addressId, operation: "prices", unit }, range).at(-1);
    return (newest && rowEnd(newest)) ?? hour;
  });
  return Math.max(...ends);
}
