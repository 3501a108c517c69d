import { once } from "node:events";
import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { AdminRequest } from "../../../../src/api/admin/admin-api.ts";
import { openAdminSocket, sendAdminRequest } from "../../../../src/api/admin/admin-socket.ts";
import { TempDir } from "../../../support/runner/temp-dir.ts";

const QUESTION: AdminRequest = { ask: "addresses" };

async function serving(answer: (question: AdminRequest) => Promise<unknown>) {
  const dir = new TempDir();
  const stop = new AbortController();
  const path = dir.file("elbro.sock");
  await openAdminSocket(path, answer, stop.signal);
  return {
    path,
    [Symbol.dispose]() {
      stop.abort();
      dir[Symbol.dispose]();
    },
  };
}

test("an endless line is read up to the maximum request length, and other requests get responses", async () => {
  const asked: AdminRequest[] = [];
  using admin = await serving(async (question) => {
    asked.push(question);
    return ["here"];
  });
  const endless = connect(admin.path);
  endless.on("error", () => undefined);
  let sent = 0;
  const part = "[".repeat(1_024);
  const write = () => {
    while (!endless.destroyed && sent < 100_000_000 && endless.write(part)) sent += part.length;
  };
  endless.on("drain", write);
  write();
  await new Promise((resolve) => endless.once("close", resolve));
  expect(sent).toBeLessThan(10_000_000);
  expect(await sendAdminRequest(admin.path, QUESTION)).toEqual(["here"]);
  expect(asked).toEqual([QUESTION]);
});

test("an invalid request gets an error message", async () => {
  using admin = await serving(async () => undefined);
  for (const line of ["no JSON", "[".repeat(4_000), JSON.stringify({ ask: "frob" })]) {
    const socket = connect(admin.path);
    socket.write(`${line}\n`);
    expect(JSON.parse(await text(socket))).toEqual({ error: expect.stringMatching(/\w+ \w+/) });
  }
});

test("an endless response is not read completely", async () => {
  using dir = new TempDir();
  const part = Buffer.alloc(64 * 1_024, "a");
  let sent = 0;
  const server = createServer((socket) => {
    const write = () => {
      while (socket.write(part) && sent < 200_000_000) sent += part.length;
    };
    socket.on("error", () => undefined).on("drain", write);
    write();
  });
  const path = dir.file("elbro.sock");
  server.listen(path);
  await once(server, "listening");
  await expect(sendAdminRequest(path, QUESTION)).rejects.toThrow("the daemon's answer is longer than");
  expect(sent).toBeLessThan(40_000_000);
  server.close();
});
