/**
 * Server-sent events: each event is sent to every listener.
 * A listener that reconnects receives the events it missed if they are still kept, otherwise the current state.
 * Nothing is queued for a slow reader: it is disconnected and may reconnect.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import type { Writable } from "node:stream";

export interface LiveEvent {
  readonly type: string;
  /** Home of the event; null if it concerns every listener. */
  readonly home: string | null;
  /** JSON in one line. */
  readonly data: string;
}

export interface SseHubOptions {
  /** Id of this run of the daemon. Event ids of earlier runs are unknown. */
  readonly runId: string;
  /** Returns the current state as events, for a new listener. */
  readonly present: () => readonly LiveEvent[];
  /** Returns the data of `hello`. `resumed` is true if the missed events follow instead of the current state. */
  readonly greeting: (resumed: boolean) => string;
}

export interface Subscription {
  /** The `Last-Event-ID` of the request; null if it is missing. */
  readonly lastEventId: string | null;
  /** Selects events of this home and those without a home; null selects all. */
  readonly home: string | null;
  /** Returns whether the listener may stay. Called twice a second. */
  readonly isStillAuthorized?: () => boolean;
  /** Key and address of the listener. Each may use half of the places. */
  readonly from?: readonly string[];
}

interface Listener extends Required<Omit<Subscription, "lastEventId">> {
  readonly out: Writable;
  /** Bytes that were waiting at the last heartbeat. */
  waited: number;
}

interface Kept extends LiveEvent {
  readonly seq: number;
  readonly text: string;
}

/** Limits of the events kept for listeners that reconnect: some hours of a household, and their memory. */
const MAX_KEPT = 500;
const MAX_KEPT_BYTES = 256 * 1024;
/** Maximum number of listeners. The server has as many further connections for other clients. */
const MAX_LISTENERS = 100;
/** Maximum number of listeners per key and per address. Half of the places stay free for the others. */
const MAX_LISTENERS_OF_ONE: number = MAX_LISTENERS / 2;
/** Interval of the access check, so that the streams of a revoked key end within 1 s. */
const ACCESS_CHECK_MS = 500;
/** Maximum bytes waiting for a listener beyond the system's buffers. The current state of many homes fits. */
export const MAX_WAITING_BYTES: number = 256 * 1024;
/** Access checks from one heartbeat to the next, 15 s. Proxies close a connection that is silent for 1 min. */
const CHECKS_PER_HEARTBEAT = 30;
/** Time after which a browser reconnects. */
const RETRY_MS = 3_000;
const HEARTBEAT = Buffer.from(": \n\n");

export class SseHub {
  readonly #options: SseHubOptions;
  readonly #listeners = new Set<Listener>();
  /** Ascending by `seq`. Bounded by MAX_KEPT and MAX_KEPT_BYTES. */
  readonly #kept: Kept[] = [];
  #keptBytes = 0;
  #seq = 0;
  #dropped = 0;
  /** Runs while there are listeners. */
  #access: NodeJS.Timeout | null = null;
  #checks = 0;
  #closed = false;

  constructor(options: SseHubOptions) {
    this.#options = options;
  }

  /** Number of listeners, and of those dropped as too slow since the start. */
  get counts(): { readonly listeners: number; readonly dropped: number } {
    return { listeners: this.#listeners.size, dropped: this.#dropped };
  }

  /** Returns whether there is a place for another listener of this key and this address. */
  hasRoomFor(from: readonly string[]): boolean {
    if (this.#closed || this.#listeners.size >= MAX_LISTENERS) return false;
    const listeners = [...this.#listeners];
    return from.every((one) => listeners.filter((other) => other.from.includes(one)).length < MAX_LISTENERS_OF_ONE);
  }

  /** Sends an event to the listeners that it concerns, and keeps it for those that reconnect. */
  broadcast(event: LiveEvent): void {
    this.#seq++;
    const text = textOf(event, `${this.#options.runId}-${this.#seq}`);
    this.#keep({ ...event, seq: this.#seq, text });
    const bytes = Buffer.from(text);
    for (const listener of this.#listeners) if (concerns(event, listener.home)) this.#send(listener, bytes);
  }

  /** Adds a listener, and sends the missed events or the current state. It stays until it leaves or is too slow. */
  subscribe(out: Writable, { lastEventId, home, isStillAuthorized = () => true, from = [] }: Subscription): void {
    const listener: Listener = { out, home, isStillAuthorized, from, waited: 0 };
    this.#listeners.add(listener);
    this.#access ??= setInterval(() => this.#checkAccess(), ACCESS_CHECK_MS).unref();
    out.once("close", () => this.#listeners.delete(listener));
    out.on("error", () => this.#listeners.delete(listener));
    const missed = this.#since(lastEventId);
    const data = this.#options.greeting(missed !== null);
    const hello = textOf({ type: "hello", data }, missed && lastEventId ? lastEventId : this.#unfinished);
    const present = () => this.#options.present().map((event) => ({ ...event, text: textOf(event, this.#unfinished) }));
    const rest = (missed ?? present()).filter((event) => concerns(event, home)).map(({ text }) => text);
    // The last id that a listener receives is that of the newest event, even if that event was not for it.
    const ready = textOf({ type: "ready", data: "{}" }, `${this.#options.runId}-${this.#seq}`);
    this.#send(listener, Buffer.from(`retry: ${RETRY_MS}\n${hello}${rest.join("")}${ready}`));
  }

  /** Ends every stream and accepts no more listeners. */
  close(): void {
    this.#closed = true;
    for (const { out } of this.#listeners) out.end();
    this.#listeners.clear();
    clearInterval(this.#access ?? undefined);
  }

  /** An id that matches no kept event. A listener that reconnects with it gets the whole current state. */
  get #unfinished(): string {
    return `${this.#options.runId}-${this.#seq}-unfinished`;
  }

  /** Returns the events after an id; null if the id is unknown or some events are not kept any more. */
  #since(lastEventId: string | null): readonly Kept[] | null {
    const { runId } = this.#options;
    const known = lastEventId?.startsWith(`${runId}-`) ? lastEventId.slice(runId.length + 1) : "";
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

  /** Sends a heartbeat. Drops listeners that have at least as many bytes waiting as at the previous heartbeat. */
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
    if (++this.#checks % CHECKS_PER_HEARTBEAT === 0) this.#beat();
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
