/** The HTTP server of the LAN, within the bounds that keep slow and hostile clients from stopping the others. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { ConnectionLimits } from "./connection-limits.ts";
import { LINGER_MS, writeProtocolError } from "./protocol-errors.ts";

/** Node's defaults keep 400 sockets with slow headers open; these close them all. */
const LIMITS = {
  headersTimeout: 4_000,
  requestTimeout: 8_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
  /** A request without it is answered in the shape of all errors. */
  requireHostHeader: false,
} as const;
/** How often sockets are looked for on which nothing moves. */
const LOOK_EVERY_MS = 10_000;

export interface Listener {
  readonly port: number;
  readonly close: () => Promise<void>;
}

export interface ListenerOptions {
  readonly newRequestId: () => string;
  /** Milliseconds that only go on, from whenever. */
  readonly monotonicMs: () => number;
}

const MACHINE: ListenerOptions = { newRequestId: () => crypto.randomUUID(), monotonicMs: () => performance.now() };

/** What answers requests. */
export interface Lookup {
  lookup(request: IncomingMessage, response: ServerResponse): unknown;
}

/** Listens on a port; 0 takes a free one. Errors: rejects where the port cannot be had. */
export async function listen(router: Lookup, host: string, port: number, parts = MACHINE): Promise<Listener> {
  const connections = new ConnectionLimits(parts.monotonicMs);
  // One for all answers; each tells of its end once.
  function ended(this: ServerResponse): void {
    connections.end(this.req.socket);
  }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (!connections.begin(socket, response)) return;
    response.on("close", ended);
    try {
      const answering = router.lookup(request, response);
      if (answering instanceof Promise) answering.catch(() => response.destroy());
    } catch {
      response.destroy();
    }
  };
  const server: Server = createServer(LIMITS, answer);
  server.on("connection", (socket: Socket) => connections.enter(socket));
  // What is expected next to 100-continue is passed over: the answer itself is soon there.
  server.on("checkExpectation", answer);
  server.on("connect", (_request, socket) => writeProtocolError(socket, "CONNECT", parts.newRequestId()));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const refuse = () => writeProtocolError(socket, error.code, parts.newRequestId());
    const { answers, newest } = connections.answering(socket as Socket);
    const isOfNewest = newest?.req.complete === false && !newest.headersSent;
    if (answers === 0 || (answers === 1 && isOfNewest)) return refuse();
    // Into the midst of an answer no other is written: it goes out first, if it is ready soon.
    newest?.once("close", () => (newest.req.complete ? refuse() : (socket as Socket).destroySoon()));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const looking = setInterval(() => connections.closeSilent(), LOOK_EVERY_MS).unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        clearInterval(looking);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
