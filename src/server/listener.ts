/** The HTTP server of the LAN, within the bounds that keep slow and hostile clients from stopping the others. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Router } from "./mount.ts";

/** Node's defaults keep 400 sockets with slow headers open; these close them all. */
const LIMITS = {
  headersTimeout: 4_000,
  requestTimeout: 8_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
} as const;
/** A hundred may stay and listen to events; the others find as many places again. */
const MAX_CONNECTIONS = 200;
/** A socket on which nothing moves is closed: longer than an answer may take that has to be asked for in parts. */
const SILENT_SOCKET_MS = 120_000;

export interface Listener {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Listens on a port; 0 takes a free one. Errors: rejects where the port cannot be had. */
export async function listen(router: Pick<Router, "lookup">, host: string, port: number): Promise<Listener> {
  const server: Server = createServer(LIMITS, async (request, response) => {
    try {
      await router.lookup(request, response);
    } catch {
      response.destroy();
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(SILENT_SOCKET_MS);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
