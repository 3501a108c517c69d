import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { httpGet } from "../../../../src/service/client/http-get.ts";

/** Asks a server that sends `body`, with room for 10 bytes. */
async function asked(body: string): Promise<string> {
  const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    return (await httpGet({ host: "127.0.0.1", port }, { timeoutMs: 5_000, maxBytes: 10 })).text;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a response may have as many bytes as the limit, not as many characters", async () => {
  expect(await asked("ååååå")).toBe("ååååå");
  await expect(asked("åååååå")).rejects.toThrow("its response is too long");
});
