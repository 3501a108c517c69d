// In a file of its own: the index of undici adds to its parts what the transport adds by itself.
import * as undici from "undici";
import connectByProxy from "undici/lib/api/api-connect.js";
import EnvHttpProxyAgent from "undici/lib/dispatcher/env-http-proxy-agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { expect, test } from "vitest";

test("the parts of undici that are imported one by one are those of the whole", () => {
  expect(EnvHttpProxyAgent).toBe(undici.EnvHttpProxyAgent);
  expect(Pool).toBe(undici.Pool);
  expect(connectByProxy).toBe(undici.Dispatcher.prototype.connect);
});
