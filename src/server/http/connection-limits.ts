/**
 * Room for connections. When it is full the one that is of the least use makes way, so that a newcomer always finds a
 * place: whoever holds many connections and sends nothing pushes out his own.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { addressGroup } from "../../service/serve/address-group.ts";

/** A hundred may stay and listen to events; the others find as many places again. */
const MAX_CONNECTIONS = 200;
/** So many may be there for a moment, while none of them may go yet. Each takes some 80 kB. */
const MAX_AT_ONCE = 500;
/** A connection has this long to send its request before another may take its place. */
const WAITING_GRACE_MS = 200;
/** An answer that takes longer is a stream, has to be asked for at the service in parts, or has a slow reader. */
const ANSWERING_GRACE_MS = 10_000;

/** A connection on which nothing moves is closed: longer than an answer may take that has to be asked for in parts. */
const SILENT_MS = 120_000;

/** Requests of one connection that are answered at a time. Hardly any client sends the next before it has the answer. */
const MAX_PIPELINED = 4;

interface Place {
  readonly socket: Socket;
  readonly from: string;
  /** Requests that are being answered. */
  answers: number;
  /** The answer to the newest request. */
  newest: ServerResponse | null;
  /** When it began to wait for a request or for the end of its answer, by the monotonic clock. */
  since: number;
  /** Unit: bytes that came and went, when they were looked at last, and when they were found to be more. */
  moved: number;
  movedAt: number;
}

export class ConnectionLimits {
  readonly #places = new Map<Socket, Place>();
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Takes a connection in; others make way for it. */
  enter(socket: Socket): void {
    const from = addressGroup(socket.remoteAddress ?? "");
    const now = this.#monotonicMs();
    this.#places.set(socket, { socket, from, answers: 0, newest: null, since: now, moved: 0, movedAt: now });
    socket.once("close", () => this.#places.delete(socket));
    while (this.#places.size > MAX_CONNECTIONS) {
      const least = this.#leastUseful(this.#places.size <= MAX_AT_ONCE);
      if (!least) break;
      this.#close(least);
    }
  }

  /** A request came, and is to be answered. Returns whether it may: a connection with too many at a time is ended. */
  begin(socket: Socket, response: ServerResponse): boolean {
    const place = this.#places.get(socket);
    if (!place) return !socket.destroyed;
    if (place.answers >= MAX_PIPELINED) {
      this.#close(place);
      return false;
    }
    if (place.answers === 0) place.since = this.#monotonicMs();
    place.answers++;
    place.newest = response;
    return true;
  }

  /** An answer is out; another request may come. */
  end(socket: Socket): void {
    const place = this.#places.get(socket);
    if (!place) return;
    place.answers--;
    if (place.answers > 0) return;
    place.since = this.#monotonicMs();
    place.newest = null;
  }

  /**
   * Closes what is silent; to be called again and again. Node's own time-out of a socket would be set again with every
   * request and answer.
   */
  closeSilent(): void {
    const now = this.#monotonicMs();
    for (const place of [...this.#places.values()]) {
      const moved = place.socket.bytesRead + place.socket.bytesWritten;
      if (moved !== place.moved) {
        place.moved = moved;
        place.movedAt = now;
      } else if (now - place.movedAt >= SILENT_MS) this.#close(place);
    }
  }

  /** The answers of a connection that are not out yet, and the newest of them. */
  answering(socket: Socket): Pick<Place, "answers" | "newest"> {
    return this.#places.get(socket) ?? { answers: 0, newest: null };
  }

  #close({ socket }: Place): void {
    this.#places.delete(socket);
    socket.destroy();
  }

  /** Of the address with the most connections, the one that waits for the longest; one that is answered only if none waits. */
  #leastUseful(hasGrace: boolean): Place | null {
    const now = this.#monotonicMs();
    const graceMs = ({ answers }: Place) => (answers > 0 ? ANSWERING_GRACE_MS : WAITING_GRACE_MS);
    const places = [...this.#places.values()];
    const held = Map.groupBy(places, ({ from }) => from);
    const heldBy = ({ from }: Place) => held.get(from)?.length ?? 0;
    const [least] = places
      .filter((place) => !hasGrace || now - place.since >= graceMs(place))
      .sort((a, b) => heldBy(b) - heldBy(a) || Number(a.answers > 0) - Number(b.answers > 0) || a.since - b.since);
    return least ?? null;
  }
}
