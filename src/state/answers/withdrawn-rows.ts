/** Remembers which stored rows a response lacked. A second response that agrees, hours later, shows that they are withdrawn. */
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { type Rows, rowStart, type SeriesKey, seriesName } from "../../core/series/series.ts";
import { contains, type EpochMs, HOUR_MS, type Interval } from "../../core/time/interval.ts";

/** Minimum time between two responses that agree, so that one fault of the service removes nothing. */
const MIN_PAUSE_MS = 6 * HOUR_MS;
/** Maximum rows that are remembered per series; a service that loses more is at fault. */
const MAX_MISSING = 3_000;
/** Start of a row, and when it was first missing. */
const storedMissing = z.array(z.tuple([z.number(), z.number()]));

/** Returns the starts of the stored rows that are withdrawn: `rows` is the second whole response for `range` without them. */
export function withdrawnRows(
  memory: KeyValue,
  series: SeriesKey,
  { range, stored, rows, at }: Readonly<{ range: Interval; stored: Rows; rows: Rows; at: EpochMs }>,
): ReadonlySet<EpochMs> {
  const name = `missing/${seriesName(series)}`;
  const text = memory.read(name) ?? "";
  const known = new Map(readJson(memory, name, storedMissing));
  const received = new Set(rows.map(rowStart));
  const withdrawn = new Set<EpochMs>();
  const lasting = [...known].filter(([start]) => !contains(range, start));
  for (const start of stored.map(rowStart)) {
    if (start === null || received.has(start)) continue;
    const since = known.get(start) ?? at;
    if (at - since >= MIN_PAUSE_MS) withdrawn.add(start);
    else lasting.push([start, since]);
  }
  const next = lasting.length === 0 ? "" : JSON.stringify(lasting.slice(-MAX_MISSING));
  if (next !== text) memory.write(name, next);
  return withdrawn;
}
