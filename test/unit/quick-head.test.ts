import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { headerList } from "../../src/contract/header-lines.ts";
import { writeQuickHead } from "../../src/server/quick-head.ts";

const LINES = 'X-One: 1\r\nETag: "abc"\r\nVary: Accept-Encoding\r\nCache-Control: private, no-store\r\n';
const BODY = '{"price":1}';

/** What a client sees on the wire, with the date taken out. */
async function wireOf(write: (response: ServerResponse) => void, request: string): Promise<string> {
  const server = createServer((_request, response) => {
    write(response);
    response.end(BODY);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await new Promise<string>((resolve, reject) => {
      let text = "";
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => socket.write(request));
      socket.on("data", (part) => {
        text += part.toString();
        if (text.split(BODY).length > request.split("GET").length - 1) socket.end();
      });
      socket.on("close", () => resolve(text.replaceAll(/Date: [^\r]+/g, "Date: now")));
      socket.on("error", reject);
    });
  } finally {
    server.close();
  }
}

const plainly = (response: ServerResponse) =>
  response.writeHead(200, [...headerList(LINES), "Content-Length", String(BODY.length)]);
const quickly = (response: ServerResponse) => writeQuickHead(response, LINES, BODY.length);

test.each([
  ["a request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a client that closes", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
  ["HTTP/1.0", "GET / HTTP/1.0\r\n\r\n"],
  ["two requests on one connection", "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n"],
])("%s is answered byte for byte as by writeHead", async (_name, request) => {
  const wire = await wireOf(quickly, request);
  expect(wire).toBe(await wireOf(plainly, request));
  expect(wire).toMatch(/^HTTP\/1\.1 200 OK\r\nX-One: 1\r\n/);
});

test("headers that were set before are sent as well", async () => {
  const wire = await wireOf((response) => {
    response.setHeader("Access-Control-Allow-Origin", "http://a");
    quickly(response);
  }, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  expect(wire).toContain("Access-Control-Allow-Origin: http://a\r\n");
  expect(wire).toContain("X-One: 1\r\n");
});

test("without Node's own writer it does the same", async () => {
  const request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const wire = await wireOf((response) => {
    const writeHead = response.writeHead.bind(response);
    const bare = { headersSent: false, getHeaderNames: () => [], writeHead } as unknown as ServerResponse;
    writeQuickHead(bare, LINES, BODY.length);
  }, request);
  expect(wire).toBe(await wireOf(plainly, request));
});
