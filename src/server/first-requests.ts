/**
 * The first requests of a process, made by itself and answered into nothing.
 *
 * V8 measures on the first seven objects of a class how much room its objects need. A collection of garbage between them
 * makes it forget what they grew into, and then each later request has its fields moved to new memory one by one: a third
 * of the answers per second is lost until the process ends. In a house that asks now and then that is the rule.
 *
 * A collection that finds no object of a class forgets the class's shapes too, and code that has seen the shapes of a few
 * collections takes the slow way for good: `process.nextTick`, seven times a request, a microsecond more each. So one of
 * each short-lived object is kept.
 */
import { executionAsyncResource } from "node:async_hooks";
import { createServer } from "node:http";
import { Duplex } from "node:stream";

const REQUESTS = 10;
const REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer none\r\n\r\n";

/** Request, response, and what stands for a call of `process.nextTick`. */
const kept: object[] = [];

/** Resolves when so many were answered that the measure is taken: some milliseconds. */
export function answerFirstRequests(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let answers = 0;
  const connection = new Duplex({
    read: () => undefined,
    write(_chunk, _encoding, done) {
      done();
      answers++;
      if (answers < REQUESTS) this.push(REQUEST);
      else this.destroy();
    },
  });
  connection.on("close", () => {
    kept.push(executionAsyncResource());
    resolve();
  });
  const server = createServer((request, response) => {
    if (answers === 0) kept.push(request, response);
    response.writeHead(200, { "Content-Length": 0 }).end();
  });
  server.emit("connection", connection);
  connection.push(REQUEST);
  return promise;
}
