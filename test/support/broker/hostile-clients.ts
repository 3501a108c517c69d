import net from "node:net";

/** Bytes of clients that mean no good to a broker of MQTT. */
export const hostilePackets = {
  /** A CONNECT that says it is 256 MB long, and begins. */
  hugeConnect: Buffer.concat([Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(64 * 1024, 0x41)]),
  /** A CONNECT of 4,000 bytes that stops one byte before its end. */
  unfinishedConnect: Buffer.concat([Buffer.from([0x10, 0xa0, 0x1f]), Buffer.alloc(3_999, 0x41)]),
  /** Nothing at all. */
  silence: Buffer.alloc(0),
  /** A PUBLISH that says it is 200 MB long, before any CONNECT. */
  earlyPublish: Buffer.concat([Buffer.from([0x30, 0xff, 0xff, 0xff, 0x5f]), Buffer.alloc(64 * 1024, 0x41)]),
} as const;

/** Sockets that send what they are told, as much as the broker takes, and never leave by themselves. */
export class HostileClients implements Disposable {
  readonly #sockets: net.Socket[] = [];
  #closed = 0;

  /** Opens `count` sockets from an address of this machine. Resolves when every one is open. */
  async open(
    port: number,
    count: number,
    bytes: Buffer,
    { from = "127.0.0.1", again = false }: { readonly from?: string; readonly again?: boolean } = {},
  ): Promise<void> {
    const opening = Array.from({ length: count }, () => {
      const socket = net.connect({ port, host: "127.0.0.1", localAddress: from });
      this.#sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => this.#closed++);
      return new Promise<void>((resolve) => {
        socket.once("close", () => resolve());
        socket.once("connect", () => {
          if (bytes.length > 0) socket.write(bytes);
          if (again) socket.on("drain", () => socket.write(bytes));
          resolve();
        });
      });
    });
    await Promise.all(opening);
  }

  /** How many the broker has hung up on. */
  get closed(): number {
    return this.#closed;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
