import type { AddressInfo, Server, Socket } from "node:net";

/** Lets a server listen on a free port of this machine. At its end its connections are closed. */
export async function listening(
  server: Server,
): Promise<AsyncDisposable & { readonly port: number; readonly url: string }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
