import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { endSoon } from "../../../src/http/write-batching.ts";
import { listening } from "../../support/http/listening.ts";

const CALLERS = 8;

test("responses of one event-loop tick are written together, each to its client", async () => {
  const order: string[] = [];
  await using server = await listening(
    createServer((request, response: ServerResponse) => {
      order.push(`asked ${request.url}`);
      response.writeHead(200, { "Content-Length": String(request.url?.length) });
      response.on("prefinish", () => order.push(`ended ${request.url}`));
      endSoon(response, request.url ?? "");
    }),
  );
  const paths = Array.from({ length: CALLERS }, (_, i) => `/${i}`);
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join("");
  const text = await new Promise<string>((resolve, reject) => {
    let heard = "";
    const socket = connect(server.port, "127.0.0.1", () => socket.write(requests));
    socket.on("error", reject).on("data", (data) => {
      heard += data.toString("latin1");
      if (heard.endsWith(paths.at(-1) ?? "")) socket.end();
    });
    socket.on("close", () => resolve(heard));
  });
  expect(text.match(/^\/\d(?=HTTP|$)/gm)).toEqual(paths);
  // All requests arrived in one packet, so no response ended before the last request.
  expect(order.slice(0, CALLERS)).toEqual(paths.map((path) => `asked ${path}`));
});

test("text is written as UTF-8, bytes are unchanged", async () => {
  const bodies: Record<string, string | Uint8Array> = { "/text": "æøå €", "/bytes": Uint8Array.of(0, 0xff, 0x0a) };
  await using server = await listening(
    createServer((request, response) => endSoon(response, bodies[request.url ?? ""] ?? "")),
  );
  const received = async (path: string) => {
    const response = await fetch(server.url + path);
    return Buffer.from(await response.arrayBuffer());
  };
  expect((await received("/text")).toString("utf8")).toBe("æøå €");
  expect([...(await received("/bytes"))]).toEqual([0, 0xff, 0x0a]);
});

test("a response is skipped if its client has disconnected", async () => {
  const gone = Promise.withResolvers<void>();
  await using server = await listening(
    createServer((_request, response) => {
      response.on("close", () => {
        endSoon(response, "late");
        setImmediate(gone.resolve);
      });
      response.destroy();
    }),
  );
  const socket = connect(server.port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  socket.on("error", () => undefined);
  await gone.promise;
});
