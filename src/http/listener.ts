/** HTTP server of the LAN API, with limits against slow and hostile clients. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { TlsIdentity } from "../config/schema/tls-schema.ts";
import { ConnectionLimits } from "./guards/connection-limits.ts";
import { LINGER_MS, writeProtocolError } from "./protocol-errors.ts";

/** Node's defaults keep 400 sockets with slow headers open; these close them all. Each check wakes an idle daemon. */
const LIMITS = {
  headersTimeout: 4_000,
  requestTimeout: 8_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
  /** Such a request is answered with an error in the common format. */
  requireHostHeader: false,
  /** Requests without a body get no stream, which makes a small response 5 % cheaper. Ignored before Node 24.12. */
  optimizeEmptyRequests: true,
} as const;
/** Interval of the check for connections without traffic. */
const CHECK_EVERY_MS = 30_000;

export interface Listener {
  readonly port: number;
  /** Replaces the certificate. Without TLS nothing happens. */
  readonly useTls: (tls: TlsIdentity) => void;
  readonly close: () => Promise<void>;
}

export interface Lookup {
  lookup(request: IncomingMessage, response: ServerResponse): unknown;
}

/** Listens on a port; 0 selects a free one. Rejects if the port cannot be opened. */
export async function listen(
  router: Lookup,
  host: string,
  port: number,
  { tls }: { readonly tls?: TlsIdentity | undefined } = {},
): Promise<Listener> {
  const connections = new ConnectionLimits(() => performance.now());
  // One function for all responses; each emits `close` once.
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
  // Imported only when needed: most installations do not use it.
  const secure =
    tls &&
    (await import("node:https")).createServer({ ...LIMITS, ...tls, handshakeTimeout: LIMITS.headersTimeout }, answer);
  const server = secure ?? createServer(LIMITS, answer);
  server.on(secure ? "secureConnection" : "connection", (socket: Socket) => connections.enter(socket));
  // Ignore other Expect headers and respond normally.
  server.on("checkExpectation", answer);
  server.on("connect", (_request, socket) => writeProtocolError(socket, "CONNECT", randomUUID()));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const refuse = () => writeProtocolError(socket, error.code, randomUUID());
    const { answers, newest } = connections.answering(socket as Socket);
    const isOfNewest = newest?.req.complete === false && !newest.headersSent;
    if (answers === 0 || (answers === 1 && isOfNewest)) return refuse();
    // Do not write an error into a response that has started. If that response is ready in time, it is sent completely.
    newest?.once("close", () => (newest.req.complete ? refuse() : (socket as Socket).destroySoon()));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const checking = setInterval(() => connections.closeSilent(), CHECK_EVERY_MS).unref();
  return {
    useTls: (tls) => secure?.setSecureContext({ ...tls }),
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        clearInterval(checking);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
