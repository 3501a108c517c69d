/**
 * Server-sent events: what is told once goes to every listener, and a listener that comes back hears what it missed, as
 * far as that is kept; else the present state. Nothing waits for a slow reader: it is dropped, and comes back.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import type { Writable } from "node:stream";

/** One thing to tell. */
export interface LiveEvent {
  readonly type: string;
  /** The home it is of; null for what concerns every listener. */
  readonly home: string | null;
  /** JSON in one line. */
  readonly data: string;
}

export interface SseHubOptions {
  /** Another one for every life of the daemon: ids of an earlier life are not known in this one. */
  readonly life: string;
  /** The state as it is, for a listener who knows nothing. */
  readonly present: () => readonly LiveEvent[];
  /** The data of `hello`; `resumed` where what was missed follows, and not the present state. */
  readonly greeting: (resumed: boolean) => string;
}

/** What a listener asks for. */
export interface Subscription {
  /** The `Last-Event-ID` of its request; null where it has none. */
  readonly lastEventId: string | null;
  /** Only events of this home, and those of no home; null for all. */
  readonly home: string | null;
  /** Whether it may go on; asked twice a second. */
  readonly isStillAuthorized?: () => boolean;
  /** Its key and its address; each has a part of the room. */
  readonly from?: readonly string[];
}

interface Listener {
  readonly out: Writable;
  readonly home: string | null;
  readonly isStillAuthorized: () => boolean;
  readonly from: readonly string[];
  /** Bytes that waited at the last heartbeat. */
  waited: number;
}

interface Kept extends LiveEvent {
  readonly seq: number;
  readonly text: string;
}

/** Events kept for listeners that come back: some hours of a house, and what they may take of memory. */
const MAX_KEPT = 500;
const MAX_KEPT_BYTES = 256 * 1024;
/** Listeners at the same time; the server has as many connections again for everybody else. */
export const MAX_LISTENERS = 100;
/** Of one key, and of one address: half of the room stays for the others. */
export const MAX_LISTENERS_OF_ONE: number = MAX_LISTENERS / 2;
/** A key that has ended ends its streams within a second: this, and the time until the file of keys is read again. */
const ACCESS_CHECK_MS = 500;
/** What may wait for one listener beyond what the system buffers; a present state of many homes fits in. */
export const MAX_WAITING_BYTES: number = 256 * 1024;
/** Shorter than the minute after which proxies close what is silent. */
const HEARTBEAT_MS = 15_000;
/** How long a browser waits before it comes back. */
const RETRY_MS = 3_000;
const HEARTBEAT = Buffer.from(": \n\n");

export class SseHub {
  readonly #options: SseHubOptions;
  readonly #listeners = new Set<Listener>();
  /** Shape: ascending by `seq`. Bounded by MAX_KEPT and MAX_KEPT_BYTES. */
  readonly #kept: Kept[] = [];
  #keptBytes = 0;
  #seq = 0;
  #dropped = 0;
  readonly #heart = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  /** Runs while somebody listens. */
  #access: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: SseHubOptions) {
    this.#options = options;
  }

  /** How many listen, and how many were too slow since the daemon started. */
  get counts(): { readonly listeners: number; readonly dropped: number } {
    return { listeners: this.#listeners.size, dropped: this.#dropped };
  }

  /** Whether one more of this key and this address may listen. */
  hasRoomFor(from: readonly string[]): boolean {
    if (this.#closed || this.#listeners.size >= MAX_LISTENERS) return false;
    const listeners = [...this.#listeners];
    return from.every((one) => listeners.filter((other) => other.from.includes(one)).length < MAX_LISTENERS_OF_ONE);
  }

  /** Tells everybody, and keeps it for those who come back. */
  broadcast(event: LiveEvent): void {
    this.#seq++;
    const text = textOf(event, `${this.#options.life}-${this.#seq}`);
    this.#keep({ ...event, seq: this.#seq, text });
    const bytes = Buffer.from(text);
    for (const listener of this.#listeners) if (concerns(event, listener.home)) this.#send(listener, bytes);
  }

  /** Adds a listener, and tells it what it missed or how things are. It stays until it leaves or is too slow. */
  subscribe(out: Writable, { lastEventId, home, isStillAuthorized = () => true, from = [] }: Subscription): void {
    const listener: Listener = { out, home, isStillAuthorized, from, waited: 0 };
    this.#listeners.add(listener);
    this.#access ??= setInterval(() => this.#checkAccess(), ACCESS_CHECK_MS).unref();
    out.once("close", () => this.#listeners.delete(listener));
    out.on("error", () => this.#listeners.delete(listener));
    const missed = this.#since(lastEventId);
    const data = this.#options.greeting(missed !== null);
    const hello = textOf({ type: "hello", data }, missed && lastEventId ? lastEventId : this.#unfinished);
    const rest = missed?.filter((event) => concerns(event, home)).map(({ text }) => text) ?? this.#presentFor(home);
    // The last id a listener has heard is that of the newest event, also where that was not for it.
    const ready = textOf({ type: "ready", data: "{}" }, `${this.#options.life}-${this.#seq}`);
    this.#send(listener, Buffer.from(`retry: ${RETRY_MS}\n${hello}${rest.join("")}${ready}`));
  }

  /** Ends every stream; nobody listens any more. */
  close(): void {
    this.#closed = true;
    for (const { out } of this.#listeners) out.end();
    this.#listeners.clear();
    clearInterval(this.#heart);
    clearInterval(this.#access ?? undefined);
  }

  /** An id that is never found again: whoever has heard only a part of the state begins again. */
  get #unfinished(): string {
    return `${this.#options.life}-${this.#seq}-unfinished`;
  }

  #presentFor(home: string | null): string[] {
    const events = this.#options.present().filter((event) => concerns(event, home));
    return events.map((event) => textOf(event, this.#unfinished));
  }

  /** What came after an event; null where that cannot be told. */
  #since(lastEventId: string | null): readonly Kept[] | null {
    const { life } = this.#options;
    const known = lastEventId?.startsWith(`${life}-`) ? lastEventId.slice(life.length + 1) : "";
    if (!/^\d{1,15}$/.test(known)) return null;
    const last = Number(known);
    const oldest = this.#kept[0]?.seq ?? this.#seq + 1;
    if (last > this.#seq || last < oldest - 1) return null;
    return this.#kept.filter(({ seq }) => seq > last);
  }

  #keep(event: Kept): void {
    this.#kept.push(event);
    this.#keptBytes += event.text.length;
    while (this.#kept.length > MAX_KEPT || this.#keptBytes > MAX_KEPT_BYTES)
      this.#keptBytes -= this.#kept.shift()?.text.length ?? 0;
  }

  #send(listener: Listener, bytes: Uint8Array): void {
    if (listener.out.writableLength > MAX_WAITING_BYTES) this.#drop(listener);
    else listener.out.write(bytes);
  }

  /** Whoever has as much waiting as a heartbeat ago, or more, is gone without a word or cannot follow. */
  #beat(): void {
    for (const listener of this.#listeners) {
      const waiting = listener.out.writableLength;
      if (waiting > 0 && waiting >= listener.waited && listener.waited > 0) this.#drop(listener);
      else {
        listener.waited = waiting;
        listener.out.write(HEARTBEAT);
      }
    }
  }

  #checkAccess(): void {
    for (const listener of this.#listeners) {
      if (listener.isStillAuthorized()) continue;
      this.#listeners.delete(listener);
      listener.out.end();
    }
    if (this.#listeners.size > 0) return;
    clearInterval(this.#access ?? undefined);
    this.#access = null;
  }

  #drop(listener: Listener): void {
    this.#dropped++;
    this.#listeners.delete(listener);
    listener.out.destroy();
  }
}

function concerns({ home }: LiveEvent, wanted: string | null): boolean {
  return wanted === null || home === null || home === wanted;
}

function textOf({ type, data }: Pick<LiveEvent, "type" | "data">, id: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;
}
