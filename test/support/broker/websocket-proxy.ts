import http from "node:http";
import https from "node:https";
import net from "node:net";
import { createWebSocketStream, WebSocketServer } from "ws";
import type { Identity } from "../service/certificates.ts";

/**
 * Proxy that accepts MQTT over WebSocket and forwards it to a broker without WebSocket support. Uses TLS if an identity
 * is given.
 */
export class WebSocketProxy implements AsyncDisposable {
  readonly port: number;
  readonly #server: http.Server | https.Server;

  private constructor(server: http.Server | https.Server) {
    const address = server.address();
    this.#server = server;
    this.port = typeof address === "object" && address ? address.port : 0;
  }

  static async before(brokerPort: number, identity?: Identity): Promise<WebSocketProxy> {
    const server = identity ? https.createServer(identity) : http.createServer();
    const sockets = new WebSocketServer({ server, path: "/mqtt" });
    sockets.on("connection", (socket) => {
      const client = createWebSocketStream(socket);
      const broker = net.connect(brokerPort, "127.0.0.1");
      client.on("error", () => broker.destroy());
      broker.on("error", () => client.destroy());
      client.pipe(broker).pipe(client);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new WebSocketProxy(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
