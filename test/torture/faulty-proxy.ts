/** A TCP proxy between a client and a server that forwards data, or injects one of many faults. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Handles a connection with a fault. `client` and `server` are its two ends; `server` is connected. */
type Fault = (client: Socket, server: Socket) => void;

const TRICKLE_MS = 5;
const GARBAGE = Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 151) % 256));
const PORTAL =
  "HTTP/1.1 200 OK\r\nDate: Tue, 19 Jan 2038 03:14:07 GMT\r\nContent-Type: text/html\r\nContent-Length: 28\r\n\r\n<html>accept our terms</html>".slice(
    0,
    -1,
  );

/** Returns a fault that passes the server's data to `change`, which sends the changed data to the client. */
function changed(change: (data: Buffer, sent: number, client: Socket) => void): Fault {
  return (client, server) => {
    let sent = 0;
    client.pipe(server);
    server.on("data", (data: Buffer) => {
      change(data, sent, client);
      sent += data.length;
    });
    server.on("end", () => client.end());
  };
}

export const FAULTS = {
  reset: (client) => client.resetAndDestroy(),
  "reset in an answer": changed((data, sent, client) => {
    client.write(data.subarray(0, Math.max(0, 200 - sent)));
    if (sent + data.length > 200) client.resetAndDestroy();
  }),
  "cut in an answer": changed((data, _, client) => client.end(data.subarray(0, data.length >> 1))),
  "half-open": () => undefined,
  "silence after a head": changed((data, sent, client) => client.write(data.subarray(0, Math.max(0, 60 - sent)))),
  trickle: changed((data, _, client) => {
    let at = 0;
    const timer = setInterval(() => {
      if (client.destroyed || at >= data.length) clearInterval(timer);
      else client.write(data.subarray(at, ++at));
    }, TRICKLE_MS);
  }),
  garbage: (client) => client.end(GARBAGE),
  "garbage without end": (client) => {
    const flood = () => {
      if (!client.destroyed) client.write(GARBAGE, () => setImmediate(flood));
    };
    flood();
  },
  "another protocol": (client) => client.end(Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46])),
  "captive portal": (client) => client.once("data", () => client.end(PORTAL)),
  "captive portal that redirects": (client) =>
    client.once("data", () =>
      client.end(
        "HTTP/1.1 302 Found\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nLocation: http://portal/\r\nContent-Length: 0\r\n\r\n",
      ),
    ),
  "an answer twice": changed((data, _, client) => client.write(Buffer.concat([data, data]))),
  "headers without end": (client) => {
    client.write("HTTP/1.1 200 OK\r\n");
    const flood = () => {
      if (!client.destroyed) client.write(`X-A: ${"a".repeat(4_000)}\r\n`, () => setImmediate(flood));
    };
    flood();
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;

export class FaultyProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #fault: FaultName | null = null;

  private constructor(to: number) {
    this.#server = createServer((client) => {
      const server = connect(to, "127.0.0.1");
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        socket.once("close", () => this.#sockets.delete(socket));
      }
      client.once("close", () => server.destroy());
      if (this.#fault) return FAULTS[this.#fault](client, server);
      client.pipe(server).pipe(client);
    });
  }

  static async to(port: number): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(port);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Closes every connection. Later ones have this fault; null for none. */
  break(fault: FaultName | null): void {
    this.#fault = fault;
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.break(null);
    this.#server.close();
    await once(this.#server, "close");
  }
}
