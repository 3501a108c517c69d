/**
 * Estimates from a text what `JSON.parse` makes of it: values and keys, levels, and bytes of the heap.
 *
 * Of 35 hostile shapes the estimate was never less than what V8 13.6 (Node 24) keeps: 1.0 to 1.2 times for long texts and
 * lists of numbers and texts, 1.5 to 5 times for lists and objects, up to 35 times for one object of dense number keys.
 * An object costs little if its keys are those of an earlier one, because V8 keeps them once. One whose keys are new gets
 * a description of its own, and one whose keys are numbers a sparse list.
 */

/** Bytes of an empty list or object, and of the place of a value with a number of its own. */
const CONTAINER_BYTES = 64;
const VALUE_BYTES = 26;
/** Bytes of a text without its characters. */
const TEXT_BYTES = 24;
const KNOWN_KEY_BYTES = 8;
/** A key that no object had at this place, and each key before it, whose description V8 then copies. */
const NEW_KEY_BYTES = 144;
const COPIED_KEY_BYTES = 24;
const NUMBER_KEY_BYTES = 224;
/** Maximum number of keys that are remembered, in total and of an object. V8 has no common description beyond. */
const MAX_SHAPES = 1_000;
const MAX_SHAPE_KEYS = 64;

const [QUOTE, BACKSLASH, COMMA, COLON, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x3a, 0x30, 0x39];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

export interface JsonSize {
  /** Values and keys together. */
  readonly values: number;
  readonly depth: number;
  readonly heapBytes: number;
}

/** Keys of objects: what may follow each key. */
type Shape = Map<string, Shape>;

/** Returns the size of a text up to the place where it exceeds `most`, and that place; `at` is null if it never does. */
export function jsonSize(text: string, most: JsonSize): JsonSize & { readonly at: number | null } {
  const meter = new JsonMeter(text);
  for (let at = 0; at < text.length; at++) {
    at = meter.take(at);
    const { values, depth, heapBytes } = meter;
    if (values > most.values || depth > most.depth || heapBytes > most.heapBytes)
      return { values, depth, heapBytes, at };
  }
  const { values, depth, heapBytes } = meter;
  return { values, depth, heapBytes, at: null };
}

class JsonMeter implements JsonSize {
  values = 0;
  depth = 0;
  heapBytes = 0;
  readonly #text: string;
  /** Bytes of a character of a text without escapes. */
  readonly #width: number;
  readonly #top: Shape = new Map();
  #shapes = 0;
  /** The shape so far and the number of keys of the innermost object at each level; undefined for an unknown shape. */
  readonly #open: { shape: Shape | undefined; keys: number }[] = [];
  /** Start, end and bytes of the last text. */
  #last = { start: 0, end: 0, bytes: 0 };
  #nextEscape = -1;

  constructor(text: string) {
    this.#text = text;
    this.#width = /[\u0100-\uffff]/.test(text) ? 2 : 1;
  }

  /** Counts what begins at a place. Returns its end. */
  take(at: number): number {
    switch (this.#text.charCodeAt(at)) {
      case QUOTE:
        return this.#string(at + 1);
      case COMMA:
        this.values++;
        this.heapBytes += VALUE_BYTES;
        return at;
      case COLON:
        this.values++;
        this.#key();
        return at;
      case LIST:
      case OBJECT:
        // Itself and its first element.
        this.values += 2;
        this.heapBytes += CONTAINER_BYTES + VALUE_BYTES;
        this.#open[this.depth++] = { shape: this.#top, keys: 0 };
        return at;
      case LIST_END:
      case OBJECT_END:
        this.depth = Math.max(0, this.depth - 1);
        return at;
      default:
        return at;
    }
  }

  #string(start: number): number {
    const text = this.#text;
    if (this.#nextEscape < start) this.#nextEscape = placeOf(text.indexOf("\\", start), text);
    let end = placeOf(text.indexOf('"', start), text);
    let width = this.#width;
    if (this.#nextEscape < end) {
      width = 2;
      for (end = start; end < text.length && text.charCodeAt(end) !== QUOTE; end++)
        if (text.charCodeAt(end) === BACKSLASH) end++;
    }
    const bytes = TEXT_BYTES + (end - start) * width;
    this.#last = { start, end, bytes };
    this.heapBytes += bytes;
    return end;
  }

  /** Counts the last text as a key, which costs nothing by itself if it is known. */
  #key(): void {
    const { start, end, bytes } = this.#last;
    const open = this.#open[this.depth - 1];
    if (!open) return;
    const before = open.keys++;
    const first = this.#text.charCodeAt(start);
    // An escape may stand for a digit.
    if ((first >= ZERO && first <= NINE) || first === BACKSLASH) {
      this.heapBytes += NUMBER_KEY_BYTES;
      return;
    }
    if (!open.shape) {
      this.heapBytes += NEW_KEY_BYTES;
      return;
    }
    const key = this.#text.slice(start, end);
    const known = open.shape.get(key);
    this.heapBytes += known ? KNOWN_KEY_BYTES - bytes : NEW_KEY_BYTES + COPIED_KEY_BYTES * before;
    open.shape = known ?? this.#remembered(open.shape, key, before);
  }

  #remembered(shape: Shape, key: string, before: number): Shape | undefined {
    if (before >= MAX_SHAPE_KEYS || this.#shapes >= MAX_SHAPES) return undefined;
    const next: Shape = new Map();
    this.#shapes++;
    shape.set(key, next);
    return next;
  }
}

function placeOf(found: number, text: string): number {
  return found < 0 ? text.length : found;
}
