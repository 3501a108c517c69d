import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Address of a machine of the house. It differs for the processes of tests, so that they may use the same ports. */
export const MACHINE = `127.${10 + ((process.pid >> 8) % 200)}.${process.pid % 256}.7`;

/** Opens a port of the machine, by default any free one. It accepts connections, counts them, and ends them at once. */
export async function openPort(wanted = 0) {
  let asked = 0;
  const server = createServer((socket) => {
    asked++;
    socket.on("error", () => null).destroy();
  }).listen(wanted, MACHINE);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port, close, asked: () => asked, [Symbol.asyncDispose]: close };
}
