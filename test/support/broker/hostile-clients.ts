import net from "node:net";

/** Packets that a hostile client sends to an MQTT broker. */
export const hostilePackets = {
  /** Beginning of a CONNECT that claims a length of 256 MB. */
  hugeConnect: Buffer.concat([Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(64 * 1024, 0x41)]),
  /** A CONNECT of 4,000 bytes that stops one byte before its end. */
  unfinishedConnect: Buffer.concat([Buffer.from([0x10, 0xa0, 0x1f]), Buffer.alloc(3_999, 0x41)]),
  /** No bytes. */
  silence: Buffer.alloc(0),
  /** Beginning of a PUBLISH that claims a length of 200 MB, sent before any CONNECT. */
  earlyPublish: Buffer.concat([Buffer.from([0x30, 0xff, 0xff, 0xff, 0x5f]), Buffer.alloc(64 * 1024, 0x41)]),
} as const;

/** Sockets that send given bytes, as many as the broker accepts, and stay open until the broker closes them. */
export class HostileClients implements Disposable {
  readonly #sockets: net.Socket[] = [];
  #closed = 0;

  /**
   * Opens `count` sockets from a local address. Resolves when every socket is open or closed. `again` repeats the
   * bytes.
   */
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

  /** Number of sockets that are closed. */
  get closed(): number {
    return this.#closed;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
