import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { askSocket, readJsonAnswer, serveSocket } from "../../../src/api/socket.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

async function serving() {
  const dir = new TempDir();
  const stop = new AbortController();
  const path = dir.file("elbro.sock");
  const targets: string[] = [];
  const lookup = {
    lookup(request: { url?: string }, response: { end(text: string): void }) {
      targets.push(request.url ?? "");
      response.end('{"is":"here"}');
    },
  };
  await serveSocket(path, lookup as never, stop.signal);
  return {
    path,
    targets,
    [Symbol.dispose]() {
      stop.abort();
      dir[Symbol.dispose]();
    },
  };
}

async function answerAt(path: string): Promise<unknown> {
  const answer = await askSocket(path, "/local/v1/addresses");
  return answer && readJsonAnswer(answer);
}

test("an endless request is read up to the maximum length of its headers, and other requests get responses", async () => {
  using socket = await serving();
  const endless = connect(socket.path);
  endless.on("error", () => undefined).resume();
  let sent = 0;
  const part = "[".repeat(1_024);
  const write = () => {
    while (!endless.destroyed && sent < 100_000_000 && endless.write(part)) sent += part.length;
  };
  endless.on("drain", write);
  write();
  await new Promise((resolve) => endless.once("close", resolve));
  expect(sent).toBeLessThan(10_000_000);
  expect(await answerAt(socket.path)).toEqual({ is: "here" });
  expect(socket.targets).toEqual(["/local/v1/addresses"]);
});

test("without a daemon there is no response", async () => {
  using dir = new TempDir();
  expect(await askSocket(dir.file("elbro.sock"), "/local/v1/session")).toBeNull();
});

test("an endless response is not read completely", async () => {
  using dir = new TempDir();
  const part = Buffer.alloc(64 * 1_024, "a");
  let sent = 0;
  const server = createServer((_, response) => {
    const write = () => {
      while (!response.destroyed && response.write(part) && sent < 200_000_000) sent += part.length;
    };
    response.on("drain", write);
    write();
  });
  const path = dir.file("elbro.sock");
  server.listen(path);
  await once(server, "listening");
  await expect(answerAt(path)).rejects.toThrow("the daemon's answer is too long or not JSON");
  expect(sent).toBeLessThan(40_000_000);
  server.close();
  server.closeAllConnections();
});
