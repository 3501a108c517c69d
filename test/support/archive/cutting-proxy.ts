import net from "node:net";

/** How a connection ends: in order, or as when its machine is gone. */
export type Cut = "end" | "reset";

/** Before a server: passes bytes on, and ends a connection when so many have gone through it, in whichever direction. */
export class CuttingProxy implements AsyncDisposable {
  readonly port: number;
  /** Bytes that the next connection may pass; without end if null. */
  budget: number | null = null;
  cut: Cut = "end";
  /** Bytes that the last connection passed. */
  passed = 0;
  readonly #server: net.Server;

  private constructor(server: net.Server) {
    const address = server.address();
    this.#server = server;
    this.port = typeof address === "object" && address ? address.port : 0;
  }

  static async before(port: number): Promise<CuttingProxy> {
    const server = net.createServer((client) => proxy.#connect(client, net.connect(port, "127.0.0.1")));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const proxy = new CuttingProxy(server);
    return proxy;
  }

  #connect(client: net.Socket, behind: net.Socket): void {
    const { budget, cut } = this;
    this.passed = 0;
    const end = () => {
      behind.destroy();
      if (cut === "reset") client.resetAndDestroy();
      else client.end(() => client.destroy());
    };
    const pass = (to: net.Socket) => (bytes: Buffer) => {
      const rest = budget === null ? bytes.length : budget - this.passed;
      this.passed += Math.min(rest, bytes.length);
      if (rest > 0) to.write(bytes.subarray(0, rest));
      if (rest < bytes.length) end();
    };
    client.on("data", pass(behind)).on("error", end).on("close", end);
    behind.on("data", pass(client)).on("error", end).on("close", end);
    if (budget === 0) end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
