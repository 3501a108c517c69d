import type { Rows } from "../core/series.ts";

/**
 * The rows of a long answer, kept as the JSON they came in. Each walk reads them anew, some hundred at a time: as objects,
 * the quarter-hours of 90 days would be several megabytes that live just long enough to be collected slowly.
 */
export class JsonRows implements Rows<unknown> {
  readonly length: number;
  readonly #pieces: readonly Piece[];
  /** Null once it was given back. */
  #json: Buffer | null;
  #isShared = false;

  private constructor(json: Buffer, pieces: readonly Piece[]) {
    this.length = pieces.reduce((sum, { rows }) => sum + rows, 0);
    this.#json = json;
    this.#pieces = pieces;
  }

  /** The rows in a part of a JSON text; null where that is not the inside of an array that can be read in pieces. */
  static within(json: Buffer, start: number, end: number): JsonRows | null {
    const pieces: Piece[] = [];
    for (let from = start, least = PIECE_BYTES; from < end; ) {
      const border = json.indexOf(BORDER, from + least);
      const to = border < 0 || border >= end ? end : border + 1;
      const rows = rowsIn(json, from, to);
      if (rows) {
        pieces.push({ from, to, rows: rows.length });
        from = to + 1;
        least = PIECE_BYTES;
      } else if (to === end) return null;
      // What looked like a border stands in a text, or further inside.
      else least = 2 * (to - from);
    }
    return new JsonRows(json, pieces);
  }

  *[Symbol.iterator](): Generator<unknown> {
    for (const { from, to } of this.#pieces) {
      if (!this.#json) throw new Error("the rows of an answer were given back");
      yield* rowsIn(this.#json, from, to) ?? [];
    }
  }

  /** Several have it from now on, so that none of them knows when it is needed no more. */
  share(): void {
    this.#isShared = true;
  }

  release(): void {
    if (this.#isShared) return;
    // Left to the garbage collector, a few megabytes of old answers would stay until it looks at all of the heap.
    if (this.#json?.buffer instanceof ArrayBuffer) this.#json.buffer.transfer(0);
    this.#json = null;
  }
}

/** A part of the text that is rows and the commas between them. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/** Three hundred rows of prices: read and checked in under a millisecond. */
const PIECE_BYTES = 32 * 1024;
/** What stands between two rows, written without spaces. */
const BORDER = "},{";
/** What stands before the rows of an answer, and after them. */
const ROWS_START = '"data":[';
const ROWS_END = "]";

/**
 * Reads the JSON of an answer, which has its memory to itself. The array `data` of a long one is a `JsonRows`, where it
 * can be. Errors: throws where the text is not JSON.
 */
export function parseAnswer(json: Buffer): unknown {
  return json.length > 2 * PIECE_BYTES ? (parseLong(json) ?? parse(json)) : parse(json);
}

function parseLong(json: Buffer): unknown {
  const found = json.indexOf(ROWS_START);
  const start = found + ROWS_START.length;
  const end = json.lastIndexOf(ROWS_END);
  if (found < 0 || end < start) return null;
  const withRows = (rows: string) => dataIn(json.toString("utf8", 0, start) + rows + json.toString("utf8", end));
  const rest = withRows("");
  // The array must be the one that the answer has as `data`, and not one of the same name further inside.
  const isData = rest?.data.length === 0 && withRows("0")?.data.length === 1;
  const data = isData ? JsonRows.within(json, start, end) : null;
  return data && { ...rest, data };
}

/** An answer that several wait for. */
export function share(answer: object): void {
  if ("data" in answer && answer.data instanceof JsonRows) answer.data.share();
}

/** What is around the rows, where it is an object that has an array of them. */
function dataIn(text: string): { readonly data: readonly unknown[] } | null {
  try {
    const answer = JSON.parse(text);
    return Array.isArray(answer?.data) ? answer : null;
  } catch {
    return null;
  }
}

/**
 * The rows of a piece; null where it is none. A border in a text or further inside leaves something open before it, so
 * that what is before is no JSON.
 */
function rowsIn(json: Buffer, from: number, to: number): unknown[] | null {
  try {
    return JSON.parse(`[${json.toString("utf8", from, to)}]`);
  } catch {
    return null;
  }
}

function parse(json: Buffer): unknown {
  return JSON.parse(json.toString());
}
