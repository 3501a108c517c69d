/**
 * Stored form of a chunk: the JSON of its rows, deflated, with a digest.
 *
 * A chunk is deflated with a preset dictionary and ends with a flush instead of a final block. With the dictionary
 * inserted before each of them, many chunks are one deflate stream, and one call inflates a year of hours in half the
 * time of 366 calls. Source: RFC 1951, 3.2; `Z_SYNC_FLUSH` in the manual of zlib.
 */
import { constants, crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { ChunkState } from "../../core/fetching/fetch-types.ts";
import type { Row } from "../../core/series/series.ts";
import type { Interval } from "../../core/time/interval.ts";

/** Common text of rows, the most frequent last. Never change it: the digests of all stored chunks depend on it. */
const DICTIONARY = Buffer.from(
  ',"fixedFeesForInterval":0,"totalCost":"netRevenue":,"variableChargesPerKWh":null,"isEstimate":true},' +
    '{"start":"2026-01-01T00:00:00Z","end":"2026-01-01T01:00:00Z","energyKWh":0.,"isEstimate":false},' +
    '{"start":"2026-01-01T00:00:00Z","end":"2026-01-01T00:15:00Z","totalPricePerKWh":',
);
const DICTIONARY_DIGEST = crc32(DICTIONARY);
/** Maximum compression, because a chunk is written once and read often. A day of quarter-hours takes 0.1 ms. */
const LEVEL = 9;
/** Base-2 logarithm of the window. Rows resemble the row before, so 2 KiB compress as well as the usual 32 KiB. */
const WINDOW_BITS = 11;
/**
 * Maximum usual ratio of inflated to deflated size, dictionaries included: 5 for consumption, 10 for prices. Then the
 * first output buffer holds everything. Its unused end takes no memory.
 */
const INFLATED_RATIO = 11;
/** Minimum size of an output buffer for texts that are not compressed. Unit: bytes. */
const MIN_BUFFER_BYTES = 4 * 1024;
/**
 * Size of an output buffer for a deflated chunk: a day of hours has 0.4 kB, of quarter-hours 1.4 kB. A year of chunks is
 * written at once, and the default of 16 KiB for each of them would take 6 MB. Unit: bytes.
 */
const DEFLATED_BUFFER_BYTES = 1024;
/** Begins every text of a stream, before the dictionary. JSON never contains this control character. */
const SEPARATOR = 0x1e;
const PREFIX = Buffer.from([SEPARATOR, ...DICTIONARY]);
const PREFIX_BLOCK = uncompressed(PREFIX);
const COMMA = ",".charCodeAt(0);
/** Empty block that is the last of its stream. */
const LAST_BLOCK = Uint8Array.of(3, 0);

/** Writes rows as the inside of a JSON array, empty without rows, so that chunks can be joined by commas. */
export function textOfRows(rows: readonly Row[]): string {
  return JSON.stringify(rows).slice(1, -1);
}

/** Parses the result of `textOfRows`, also in UTF-8. */
export function rowsOfText(text: string | Buffer): Row[] {
  return JSON.parse(`[${text.toString()}]`) as Row[];
}

export function deflateText(text: string): Uint8Array {
  return deflateRawSync(text, {
    level: LEVEL,
    windowBits: WINDOW_BITS,
    dictionary: DICTIONARY,
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: DEFLATED_BUFFER_BYTES,
  });
}

/** Returns a text in a form that can be inflated together with chunks. */
export function uncompressed(text: string | Uint8Array): Uint8Array {
  const finishFlush = constants.Z_SYNC_FLUSH;
  return deflateRawSync(text, { level: 0, windowBits: WINDOW_BITS, chunkSize: MIN_BUFFER_BYTES, finishFlush });
}

/** Returns the texts in UTF-8. Shape: same order. Throws for bytes not of `deflateText` or `uncompressed`. */
export function inflateTexts(deflated: readonly Uint8Array[]): Buffer[] {
  const { bytes, places } = inflated(deflated);
  return places.map(({ start, end }) => bytes.subarray(start, end));
}

/** Returns `head`, the texts joined by commas without empty ones, and `tail`, in UTF-8; moved in place. */
export function inflateJoined(deflated: readonly Uint8Array[], [head, tail]: readonly [string, string]): Buffer {
  const { bytes, places } = inflated([uncompressed(head), ...deflated, uncompressed(tail)]);
  const [first, ...others] = places as [Interval, ...Interval[]];
  const last = others.at(-1);
  let { end } = first;
  for (const place of others) {
    if (end > first.end && place !== last && place.start < place.end) bytes[end++] = COMMA;
    bytes.copyWithin(end, place.start, place.end);
    end += place.end - place.start;
  }
  return bytes.subarray(first.start, end);
}

/** Returns whether bytes are a text of `deflateText` of at most `maxBytes`. Inflates no more than that. */
export function isInflatable(deflated: Uint8Array, maxBytes: number): boolean {
  const stream = Buffer.concat([PREFIX_BLOCK, deflated, LAST_BLOCK]);
  try {
    const bytes = inflateRawSync(stream, { windowBits: WINDOW_BITS, maxOutputLength: PREFIX.length + maxBytes });
    return bytes.lastIndexOf(SEPARATOR) === 0;
  } catch {
    return false;
  }
}

/** Inflates texts as one stream. `places` are their ranges of bytes; before each of them is `PREFIX`. */
function inflated(deflated: readonly Uint8Array[]): { readonly bytes: Buffer; readonly places: readonly Interval[] } {
  const stream = Buffer.concat([...deflated.flatMap((bytes) => [PREFIX_BLOCK, bytes]), LAST_BLOCK]);
  const chunkSize = Math.max(MIN_BUFFER_BYTES, INFLATED_RATIO * stream.length);
  const bytes = inflateRawSync(stream, { windowBits: WINDOW_BITS, chunkSize });
  const places: Interval[] = [];
  for (let at = 0; at < bytes.length; ) {
    const next = bytes.indexOf(SEPARATOR, at + 1);
    const end = next === -1 ? bytes.length : next;
    places.push({ start: at + PREFIX.length, end });
    at = end;
  }
  if (places.length !== deflated.length)
    throw new Error(`${deflated.length} deflated texts contain ${places.length} texts`);
  return { bytes, places };
}

/** Returns the digest of a stored chunk, which is checked without inflating. Unit: signed 32-bit integer. */
export function chunkDigest(key: number, { complete, estimated }: ChunkState, deflated: Uint8Array): number {
  return crc32(deflated, crc32(`${key} ${complete} ${estimated}`, DICTIONARY_DIGEST)) | 0;
}
