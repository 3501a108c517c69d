/** Server without an HTTP implementation: the test writes every byte of a response. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** Function that is called with each complete request head. */
type Respond = (socket: Socket, request: string) => void;

export class RawServer implements AsyncDisposable {
  readonly port: number;
  /** Heads of all requests, oldest first. */
  readonly requests: string[] = [];
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #scheme: string;

  private constructor(server: Server, respond: Respond, scheme: string, event: string) {
    this.#server = server;
    this.#scheme = scheme;
    this.port = (server.address() as AddressInfo).port;
    server.on(event, (socket: Socket) => this.#serve(socket, respond));
  }

  static async start(
    respond: Respond,
    tls?: { readonly key: string; readonly cert: string },
    port = 0,
  ): Promise<RawServer> {
    const server = tls ? createTlsServer(tls) : createServer();
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return new RawServer(server, respond, tls ? "https" : "http", tls ? "secureConnection" : "connection");
  }

  /** Starts a server that sends first, as servers of other protocols do. */
  static async startTalking(
    greeting: string | Uint8Array,
    andThen: (socket: Socket) => void = () => undefined,
  ): Promise<RawServer> {
    const server = createServer((socket) => {
      socket.write(greeting);
      andThen(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new RawServer(server, () => undefined, "http", "connection");
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket, respond: Respond): void {
    this.connections++;
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined); // The other side can disconnect at any time.
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const head = text.slice(0, end);
        text = text.slice(end + 4);
        this.requests.push(head);
        respond(socket, head);
      }
    });
  }
}

/** Returns a complete HTTP response as text. */
export function rawAnswer(body: string, headers: readonly string[] = [], status = "200 OK"): string {
  const lines = [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
