import { createServer } from "node:http";
import { expect, test } from "vitest";
import { httpGet } from "../../../../src/service/client/http-get.ts";
import { listening } from "../../../support/http/listening.ts";

/** Asks a server that sends `body`, with room for 10 bytes. */
async function asked(body: string): Promise<string> {
  await using server = await listening(createServer((_request, response) => response.end(body)));
  return (await httpGet({ host: "127.0.0.1", port: server.port }, { timeoutMs: 5_000, maxBytes: 10 })).text;
}

test("a response may have as many bytes as the limit, not as many characters", async () => {
  expect(await asked("ååååå")).toBe("ååååå");
  await expect(asked("åååååå")).rejects.toThrow("its response is too long");
});
