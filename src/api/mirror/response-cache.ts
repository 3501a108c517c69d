/**
 * Response cache: the body of a response, its compressed forms and its ETag. An entry stays until its series changes or
 * it is evicted.
 */
import { createHash } from "node:crypto";
import { setImmediate as nextTick } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { compress } from "../../http/compression.ts";
import type { Headers } from "../../http/mount.ts";
import { type Coding, codings, codingsFor, holdsTag, tagOf } from "../../http/negotiation.ts";
import type { AnswerSource } from "../../state/stored-answer.ts";

/** Request headers that select the form of a response. */
export interface Preconditions {
  readonly "accept-encoding"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
}

/** The cached response in an accepted encoding, or 304 Not Modified. */
export interface Representation {
  readonly status: 200 | 304;
  readonly headers: Headers;
  readonly body: string | Uint8Array;
}

interface CachedBody {
  readonly version: number | string;
  /** Digest of the uncompressed body. */
  readonly digest: string;
  readonly body: Buffer;
  /** Headers of the answer with this body. */
  readonly headers: Headers;
}

/** Room for three years of hours with their compressed forms. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_ENTRIES = 500;
/** A body that fits into one packet with its headers is not compressed. */
const MIN_COMPRESSED_BYTES = 1_024;
/** Concurrent compressions: two of the four threads of Node's pool stay free for others. */
const MAX_COMPRESSING = 2;
/** Bodies made in one event-loop tick: one large body (4 ms) or four small ones, then other work runs. */
const MAX_BYTES_PER_TICK = 64 * 1024;
const MIN_BYTES_COUNTED = MAX_BYTES_PER_TICK / 4;
const DIGEST_CHARS = 22;

export class ResponseCache {
  /** Uncompressed bodies by request, compressed ones by their ETag. */
  readonly #bodies: LRUCache<string, CachedBody>;
  /** Compressions in flight, by ETag. */
  readonly #compressing = new Map<string, Promise<CachedBody>>();
  readonly #compress: typeof compress;
  #bytesInTick = 0;
  #tickEnd: Promise<void> | null = null;

  constructor(options: { readonly maxBytes?: number; readonly compress?: typeof compress } = {}) {
    const { maxBytes = MAX_BYTES } = options;
    this.#compress = options.compress ?? compress;
    this.#bodies = new LRUCache({
      max: MAX_ENTRIES,
      maxSize: maxBytes,
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

  /**
   * Returns the response in a form that the caller accepts; `request` is its name in the cache.
   * Reads the source before the first await, so that the body belongs to its version.
   */
  async represent(request: string, source: AnswerSource, wanted: Preconditions): Promise<Representation> {
    const plain = this.#plain(request, source);
    const accepted = codingsFor(wanted["accept-encoding"]);
    const tags = wanted["if-none-match"];
    const held = tags === undefined ? undefined : accepted.find((coding) => holdsTag(tags, etagOf(plain, coding)));
    if (held !== undefined) return { status: 304, headers: validators(plain, held), body: "" };
    const [best = "identity"] = accepted;
    if (best === "identity" || (accepted.includes("identity") && !this.#isWorthCompressing(plain, best)))
      return whole(plain);
    return whole(await this.#compressed(plain, best));
  }

  #plain(request: string, source: AnswerSource): CachedBody {
    const { version } = source;
    const known = this.#bodies.get(request);
    if (known?.version === version) return known;
    const body = source.read();
    const digest = digestOf(body);
    const made = { version, digest, body, headers: headersOf(digest, "identity") };
    if (known && known.digest !== digest) for (const coding of codings) this.#bodies.delete(etagOf(known, coding));
    this.#bodies.set(request, made);
    this.#bytesInTick += Math.max(body.length, MIN_BYTES_COUNTED);
    this.#tickEnd ??= nextTick().then(() => {
      this.#bytesInTick = 0;
      this.#tickEnd = null;
    });
    return made;
  }

  /** Returns false for a small body, or while the maximum number of others is being compressed. */
  #isWorthCompressing(plain: CachedBody, coding: Coding): boolean {
    if (plain.body.length < MIN_COMPRESSED_BYTES) return false;
    const etag = etagOf(plain, coding);
    return this.#bodies.has(etag) || this.#compressing.has(etag) || this.#compressing.size < MAX_COMPRESSING;
  }

  /** Shares one compression among callers of the same form. Rejects if it fails; the next call tries again. */
  async #compressed(plain: CachedBody, coding: Exclude<Coding, "identity">): Promise<CachedBody> {
    const etag = etagOf(plain, coding);
    const known = this.#bodies.get(etag);
    if (known) return known;
    const inFlight = this.#compressing.get(etag) ?? this.#startCompression(etag, plain, coding);
    return inFlight;
  }

  #startCompression(etag: string, plain: CachedBody, coding: Exclude<Coding, "identity">): Promise<CachedBody> {
    const flight = this.#compress(coding, plain.body)
      .then((bytes) => {
        const compressed = { ...plain, body: Buffer.from(bytes), headers: headersOf(plain.digest, coding) };
        this.#bodies.set(etag, compressed);
        return compressed;
      })
      .finally(() => this.#compressing.delete(etag));
    this.#compressing.set(etag, flight);
    return flight;
  }
}

function digestOf(body: Buffer): string {
  return createHash("sha256").update(body).digest("base64url").slice(0, DIGEST_CHARS);
}

function etagOf({ digest }: Pick<CachedBody, "digest">, coding: Coding): string {
  return tagOf(`"${digest}"`, coding);
}

function validators(cached: Pick<CachedBody, "digest">, coding: Coding): Headers {
  return { ETag: etagOf(cached, coding), Vary: "Accept-Encoding" };
}

function headersOf(digest: string, coding: Coding): Headers {
  return {
    "Content-Type": "application/json",
    ...(coding === "identity" ? {} : { "Content-Encoding": coding }),
    ...validators({ digest }, coding),
  };
}

function whole({ headers, body }: CachedBody): Representation {
  return { status: 200, headers, body };
}
