/** Small HTTP proxy: tunnels CONNECT requests, forwards absolute URLs, and can require a password. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export class ConnectProxy implements AsyncDisposable {
  readonly port: number;
  /** Requests received: `CONNECT host:port` or `GET http://…`. */
  readonly asked: string[] = [];
  /** Number of connections to the proxy, in total and at the same time. */
  connections = 0;
  mostAtOnce = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #open = 0;

  private constructor(server: Server, password: string | null) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    const mayPass = ({ headers }: IncomingMessage) =>
      password === null || headers["proxy-authorization"] === `Basic ${btoa(`elbro:${password}`)}`;
    server.on("connection", (socket: Socket) => {
      this.#keep(socket);
      this.connections++;
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#open);
      socket.on("close", () => this.#open--);
    });
    server.on("connect", (head: IncomingMessage, socket: Socket) => {
      this.asked.push(`CONNECT ${head.url}`);
      if (!mayPass(head)) return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      this.#tunnel(String(head.url), socket);
    });
    server.on("request", (head: IncomingMessage, response: ServerResponse) => {
      this.asked.push(`${head.method} ${head.url}`);
      if (!mayPass(head)) return void response.writeHead(407).end("who are you?");
      const onward = request(String(head.url), { method: head.method, headers: head.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      onward.end();
    });
  }

  static async start(password: string | null = null): Promise<ConnectProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ConnectProxy(server, password);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #tunnel(target: string, socket: Socket): void {
    const [host = "", port = ""] = target.split(":");
    const onward = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    this.#keep(onward);
    socket.on("error", () => onward.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined); // Either side can disconnect at any time.
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
