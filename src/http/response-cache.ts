/** Response cache: body, compressed forms and ETag, until the series changes or the entry is evicted. */
import { createHash } from "node:crypto";
import { setImmediate as nextTick } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { acceptedForm, type Compression, compress, type Form, type Preconditions } from "./compression.ts";
import { codings, tagOf } from "./negotiation.ts";

/** A body that can be read, and the version that it has at the moment. */
export type BodySource = { readonly version: number | string; readonly read: () => Buffer };

interface CachedBody {
  readonly version: number | string;
  /** ETag of the uncompressed body. */
  readonly tag: string;
  readonly body: Uint8Array;
}

const MAX_ENTRIES = 500;
/** Bodies made in one event-loop tick: one large body (4 ms) or four small ones, then other work runs. */
const MAX_BYTES_PER_TICK = 64 * 1024;
const MIN_BYTES_COUNTED = MAX_BYTES_PER_TICK / 4;
const DIGEST_CHARS = 22;

const LIMITS = {
  /** Room for three years of hours with their compressed forms. */
  maxBytes: 4 * 1024 * 1024,
  /** Smallest body that is compressed, unless the caller accepts nothing else: a smaller one fits into one packet. */
  minCompressedBytes: 1_024,
  /** Concurrent compressions: two of the four threads of Node's pool stay free for others. */
  maxCompressing: 2,
  compress,
};

export class ResponseCache {
  /** Uncompressed bodies by request, compressed ones by their ETag. */
  readonly #bodies: LRUCache<string, CachedBody>;
  /** Compressions in flight, by ETag. */
  readonly #compressing = new Map<string, Promise<Uint8Array>>();
  readonly #limits: typeof LIMITS;
  #bytesInTick = 0;
  #tickEnd: Promise<void> | null = null;

  constructor(limits: Partial<typeof LIMITS> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#bodies = new LRUCache({
      max: MAX_ENTRIES,
      maxSize: this.#limits.maxBytes,
      sizeCalculation: ({ body }) => body.length,
    });
  }

  /** Unit: bytes of the cached bodies. */
  get bytes(): number {
    return this.#bodies.calculatedSize;
  }

  /** Returns whether the next body must be made in another event-loop tick. */
  get isBusy(): boolean {
    return this.#bytesInTick >= MAX_BYTES_PER_TICK;
  }

  /** Resolves in the next event-loop tick, in the order of the calls. */
  async nextTick(): Promise<void> {
    await this.#tickEnd;
  }

  /** Returns an accepted form. Reads the source before the first await, so that the body belongs to its version. */
  async represent(request: string, source: BodySource, wanted: Preconditions): Promise<Form> {
    const plain = this.#plain(request, source);
    const compressed = (coding: Compression, isAccepted: boolean) => this.#compressed(plain, coding, isAccepted);
    return acceptedForm({ ...plain, compressed }, wanted);
  }

  #plain(request: string, source: BodySource): CachedBody {
    const { version } = source;
    const known = this.#bodies.get(request);
    if (known?.version === version) return known;
    const body = source.read();
    const digest = createHash("sha256").update(body).digest("base64url").slice(0, DIGEST_CHARS);
    const made = { version, tag: `"${digest}"`, body };
    if (known && known.tag !== made.tag) for (const coding of codings) this.#bodies.delete(tagOf(known.tag, coding));
    this.#bodies.set(request, made);
    this.#bytesInTick += Math.max(body.length, MIN_BYTES_COUNTED);
    this.#tickEnd ??= nextTick().then(() => {
      this.#bytesInTick = 0;
      this.#tickEnd = null;
    });
    return made;
  }

  /** Shares one compression. Null for a small body, or while others are compressed, if the caller accepts it plain. */
  #compressed(plain: CachedBody, coding: Compression, isAccepted: boolean): Promise<Uint8Array> | null {
    const etag = tagOf(plain.tag, coding);
    const { minCompressedBytes, maxCompressing } = this.#limits;
    if (isAccepted && plain.body.length < minCompressedBytes) return null;
    const known = this.#bodies.get(etag);
    if (known) return Promise.resolve(known.body);
    const inFlight = this.#compressing.get(etag);
    if (inFlight) return inFlight;
    return isAccepted && this.#compressing.size >= maxCompressing ? null : this.#startCompression(etag, plain, coding);
  }

  #startCompression(etag: string, plain: CachedBody, coding: Compression): Promise<Uint8Array> {
    const flight = this.#limits
      .compress(coding, plain.body)
      .then((bytes) => {
        // A copy, because zlib's result may keep a larger buffer in memory.
        const body = Buffer.from(bytes);
        this.#bodies.set(etag, { ...plain, body });
        return body;
      })
      .finally(() => this.#compressing.delete(etag));
    this.#compressing.set(etag, flight);
    return flight;
  }
}
