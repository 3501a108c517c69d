/**
 * Measures Node alone: a server that sends prepared buffers. Each argument is a file; `/0` sends the first. Prints its
 * port.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const bodies = new Map(process.argv.slice(2).map((file, i) => [`/${i}`, readFileSync(file)]));
const server = createServer((request, response) => {
  const body = bodies.get(request.url ?? "");
  response.writeHead(body ? 200 : 404, { "Content-Type": "application/json", "Content-Length": body?.length ?? 0 });
  response.end(body);
}).listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
