import net from "node:net";

/** How a connection ends: normally, or with a reset as if the machine had failed. */
export type Cut = "end" | "reset";

/** Proxy before a server that ends a connection after `budget` bytes in both directions together. */
export class CuttingProxy implements AsyncDisposable {
  readonly port: number;
  /** Number of bytes that the next connection may transfer; null for no limit. */
  budget: number | null = null;
  cut: Cut = "end";
  /** Number of bytes that the last connection transferred. */
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
