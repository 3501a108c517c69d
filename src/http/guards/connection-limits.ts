/** Connection limit: when full, closes the longest-idle connection of the address that holds the most. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { addressGroup } from "./address-group.ts";

/** Number of connections above which those past their grace period are evicted. 100 of them may be event streams. */
const MAX_CONNECTIONS = 200;
/** Number of connections above which grace periods are ignored. Each connection takes about 80 kB. */
const MAX_AT_ONCE = 500;
/** Grace period of a connection that has not sent its request yet. */
const WAITING_GRACE_MS = 200;
/** Grace period of a response. A longer one is a stream, waits for the service, or has a slow reader. */
const ANSWERING_GRACE_MS = 10_000;

/** Time without traffic after which a connection is closed. Longer than a response that needs several requests. */
const SILENT_MS = 120_000;

/** Maximum number of requests in progress per connection. Few clients send the next before they have the response. */
const MAX_PIPELINED = 4;

interface Place {
  readonly socket: Socket;
  readonly from: string;
  answers: number;
  /** Response to the newest request in progress; null if all are finished. */
  newest: ServerResponse | null;
  /** Monotonic time in ms since which it waits for a request or for the end of its response. */
  since: number;
  /** Bytes received and sent at the last check that found more of them, and the time of that check. */
  moved: number;
  movedAt: number;
}

export class ConnectionLimits {
  readonly #places = new Map<Socket, Place>();
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Adds a connection. Evicts others if there are too many. */
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

  /** Registers a request. Closes a connection with too many requests in progress. Returns false if it is closed. */
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

  end(socket: Socket): void {
    const place = this.#places.get(socket);
    if (!place) return;
    place.answers--;
    if (place.answers > 0) return;
    place.since = this.#monotonicMs();
    place.newest = null;
  }

  /** Closes connections without traffic, when called regularly. Node's own timeout restarts with every request. */
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

  /** Returns the number of requests in progress on a connection, and the response to the newest. */
  answering(socket: Socket): Pick<Place, "answers" | "newest"> {
    return this.#places.get(socket) ?? { answers: 0, newest: null };
  }

  #close({ socket }: Place): void {
    this.#places.delete(socket);
    socket.destroy();
  }

  /** Returns the one to evict: of the addresses with the most, without a request in progress, waiting the longest. */
  #leastUseful(hasGrace: boolean): Place | null {
    const now = this.#monotonicMs();
    const graceMs = ({ answers }: Place) => (answers > 0 ? ANSWERING_GRACE_MS : WAITING_GRACE_MS);
    const held = [...Map.groupBy(this.#places.values(), ({ from }) => from).values()];
    const most = Math.max(...held.map(({ length }) => length));
    const [least] = held
      .filter(({ length }) => length === most)
      .flat()
      .filter((place) => !hasGrace || now - place.since >= graceMs(place))
      .sort((a, b) => Number(a.answers > 0) - Number(b.answers > 0) || a.since - b.since);
    return least ?? null;
  }
}
