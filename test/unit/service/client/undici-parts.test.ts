// A separate file, because the index of undici installs parts that the transport installs itself.
import * as undici from "undici";
import connectByProxy from "undici/lib/api/api-connect.js";
import EnvHttpProxyAgent from "undici/lib/dispatcher/env-http-proxy-agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { expect, test } from "vitest";

test("parts of undici that are imported separately are identical to those of the package", () => {
  expect(EnvHttpProxyAgent).toBe(undici.EnvHttpProxyAgent);
  expect(Pool).toBe(undici.Pool);
  expect(connectByProxy).toBe(undici.Dispatcher.prototype.connect);
});
