/**
 * Room for connections. When it is full the one that is of the least use makes way, so that a newcomer always finds a
 * place: whoever holds many connections and sends nothing pushes out his own.
 */
import type { Socket } from "node:net";
import { addressGroup } from "./address-group.ts";

/** A hundred may stay and listen to events; the others find as many places again. */
export const MOST_CONNECTIONS = 200;
/** When so many have come within a moment that none of them may go yet. */
export const MOST_AT_ONCE = 400;
/** A connection has this long to send its request before another may take its place. */
const WAITING_GRACE_MS = 200;
/** An answer that takes longer is a stream, has to be asked for at the service in parts, or has a slow reader. */
const ANSWERING_GRACE_MS = 10_000;

/** Requests of one connection that are answered at a time. Hardly any client sends the next before it has the answer. */
const MOST_PIPELINED = 16;

interface Place {
  readonly socket: Socket;
  readonly from: string;
  /** Requests that are being answered. */
  answers: number;
  /** When it began to wait for a request or for the end of its answer, by the monotonic clock. */
  since: number;
}

export class Connections {
  readonly #places = new Map<Socket, Place>();
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Takes a connection in, or ends it at once where nobody can make way. */
  enter(socket: Socket): void {
    const place = {
      socket,
      from: addressGroup(socket.remoteAddress ?? ""),
      answers: 0,
      since: this.#monotonicMs(),
    };
    this.#places.set(socket, place);
    socket.once("close", () => this.#places.delete(socket));
    while (this.#places.size > MOST_CONNECTIONS) {
      const least = this.#leastUseful();
      if (!least) break;
      this.#close(least);
    }
    if (this.#places.size > MOST_AT_ONCE) this.#close(place);
  }

  /** A request came, and is to be answered. Gives back whether it may: a connection with too many at a time is ended. */
  begin(socket: Socket): boolean {
    const place = this.#places.get(socket);
    if (!place) return !socket.destroyed;
    if (place.answers >= MOST_PIPELINED) {
      this.#close(place);
      return false;
    }
    if (place.answers === 0) place.since = this.#monotonicMs();
    place.answers++;
    return true;
  }

  /** An answer is out; another request may come. */
  end(socket: Socket): void {
    const place = this.#places.get(socket);
    if (!place) return;
    place.answers--;
    if (place.answers === 0) place.since = this.#monotonicMs();
  }

  isAnswering(socket: Socket): boolean {
    return (this.#places.get(socket)?.answers ?? 0) > 0;
  }

  get size(): number {
    return this.#places.size;
  }

  #close({ socket }: Place): void {
    this.#places.delete(socket);
    socket.destroy();
  }

  /** Of the address with the most connections, the one that waits for the longest; one that is answered only if none waits. */
  #leastUseful(): Place | null {
    const now = this.#monotonicMs();
    const held = new Map<string, number>();
    for (const { from } of this.#places.values()) held.set(from, (held.get(from) ?? 0) + 1);
    let least: Place | null = null;
    for (const place of this.#places.values()) {
      const grace = place.answers > 0 ? ANSWERING_GRACE_MS : WAITING_GRACE_MS;
      if (now - place.since >= grace && (!least || isLessUseful(place, least, held))) least = place;
    }
    return least;
  }
}

function isLessUseful(one: Place, other: Place, held: ReadonlyMap<string, number>): boolean {
  const more = (held.get(one.from) ?? 0) - (held.get(other.from) ?? 0);
  if (more !== 0) return more > 0;
  if (one.answers > 0 !== other.answers > 0) return other.answers > 0;
  return one.since < other.since;
}
