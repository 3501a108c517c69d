/** What a list of addresses says about an address that it lacks, and when the list is requested again. */
import { type Row, type Rows, type SeriesKey, seriesName } from "../../core/series/series.ts";
import { DAY_MS, type EpochMs, MINUTE_MS } from "../../core/time/interval.ts";

/** Minimum time between two lists that are requested because an address seems to be gone, and their number in a day. */
const MIN_PAUSE_MS = 10 * MINUTE_MS;
const MAX_PER_DAY = 6;

export class AddressLists {
  /** When an address was first missing in a whole list, by its id. Bounded by the addresses. */
  readonly #missingSince = new Map<string, EpochMs>();
  /** When a list is requested again, and when that was done in the last day, by series. */
  readonly #wantedAt = new Map<string, EpochMs>();
  readonly #asked = new Map<string, readonly EpochMs[]>();

  /** Requests a list again at `at`, or ten minutes after its last answer; at most six times a day. */
  want(series: SeriesKey, at: EpochMs, answeredAt: EpochMs | null): void {
    const name = seriesName(series);
    const asked = (this.#asked.get(name) ?? []).filter((each) => each > at - DAY_MS);
    if (asked.length >= MAX_PER_DAY || this.#wantedAt.has(name)) return;
    const wantedAt = Math.max(at, (answeredAt ?? 0) + MIN_PAUSE_MS);
    this.#asked.set(name, [...asked, wantedAt]);
    this.#wantedAt.set(name, wantedAt);
  }

  wantedAt(series: SeriesKey): EpochMs | null {
    return this.#wantedAt.get(seriesName(series)) ?? null;
  }

  /**
   * Returns the rows to store of a list that arrived at `at`. A stored address that it lacks stays until a second list,
   * at least ten minutes later, lacks it too. `isWhole` is false for a list of which a part could not be read.
   */
  rowsOf(series: SeriesKey, rows: Rows, stored: Rows, { isWhole, at }: { isWhole: boolean; at: EpochMs }): Rows {
    if ((this.wantedAt(series) ?? at + 1) <= at) this.#wantedAt.delete(seriesName(series));
    const listed = new Set(rows.map(idOf));
    for (const id of listed) this.#missingSince.delete(id);
    const missing = stored.filter((row) => !listed.has(idOf(row)));
    if (!isWhole || rows.length === 0) return [...rows, ...missing];
    const lasting = missing.filter((row) => {
      const since = this.#missingSince.get(idOf(row));
      if (since === undefined) this.#missingSince.set(idOf(row), at);
      return since === undefined || at - since < MIN_PAUSE_MS;
    });
    if (lasting.length > 0) this.want(series, at, at);
    return [...rows, ...lasting];
  }
}

function idOf({ id }: Row): string {
  return String(id).toLowerCase();
}
