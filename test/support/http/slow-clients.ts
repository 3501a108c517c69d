import { connect, type Socket } from "node:net";

/** Data that a client sends: `text` at once, then a byte of `drip` at regular intervals. */
const KINDS = [
  { name: "slow headers", text: "GET / HTTP/1.1\r\nHost: elbro\r\nX-Slow: ", drip: "a", reads: true },
  {
    name: "slow body",
    text: "POST /local/v1/session HTTP/1.1\r\nHost: elbro\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n",
    drip: " ",
    reads: true,
  },
  { name: "slow reader", text: "GET / HTTP/1.1\r\nHost: elbro\r\n\r\n".repeat(4), drip: null, reads: false },
  { name: "idle", text: "", drip: null, reads: true },
] as const;

const BEAT_MS = 500;
/** Delay before a client reconnects. */
const BACK_AFTER_MS = 1_000;

/** Clients that hold connections almost idle and reconnect when they are disconnected. */
export class SlowClients implements Disposable {
  readonly #port: number;
  readonly #from: string;
  readonly #sockets = new Map<Socket, string | null>();
  readonly #beat: NodeJS.Timeout;
  #isOver = false;
  connected = 0;
  shownOut = 0;

  constructor(port: number, size: number, from: string) {
    this.#port = port;
    this.#from = from;
    for (let i = 0; i < size; i++) this.#join(i);
    this.#beat = setInterval(() => {
      for (const [socket, drip] of this.#sockets) if (drip !== null && socket.writable) socket.write(drip);
    }, BEAT_MS);
  }

  get open(): number {
    return [...this.#sockets.keys()].filter((socket) => socket.readyState === "open").length;
  }

  #join(i: number): void {
    if (this.#isOver) return;
    const kind = KINDS[i % KINDS.length];
    if (!kind) return;
    const socket = connect({ port: this.#port, host: "127.0.0.1", localAddress: this.#from });
    this.#sockets.set(socket, kind.drip);
    socket.on("error", () => undefined);
    socket.once("connect", () => {
      this.connected++;
      if (kind.text !== "") socket.write(kind.text);
      if (kind.reads) socket.resume();
    });
    socket.once("close", () => {
      this.shownOut++;
      this.#sockets.delete(socket);
      setTimeout(() => this.#join(i), BACK_AFTER_MS);
    });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearInterval(this.#beat);
    for (const socket of this.#sockets.keys()) socket.destroy();
  }
}
