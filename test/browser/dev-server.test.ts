import { createServer as createTcpServer } from "node:net";
import path from "node:path";
import { createServer } from "vite";
import { describe, expect, test, vi } from "vitest";
import { Screens } from "../support/browser/screen.ts";
import { lacks } from "../support/runner/needs.ts";

const DASHBOARD = path.resolve(import.meta.dirname, "../../src/dashboard");

/** Returns a port that nothing uses. The configuration of the server needs the port of the daemon in advance. */
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("a TCP server has an address");
  return address.port;
}

describe.skipIf(lacks("Chromium"))("npm run dev (in Chromium; skipped if it is not installed)", () => {
  test("the page of the sources shows the demo's price without a login form", async () => {
    vi.stubEnv("ELBRO_API_PORT", String(await freePort()));
    vi.stubEnv("ELBRO_BROKER_PORT", "0");
    const server = await createServer({ configFile: path.join(DASHBOARD, "vite.config.ts"), server: { port: 0 } });
    try {
      await server.listen();
      const [url = ""] = server.resolvedUrls?.local ?? [];
      await using screens = await Screens.start();
      await using screen = await screens.visit(url);
      await screen.page.goto(`${url}#key=demo`);
      await screen.untilText("#now .price", /\d\.\d\d/);
      await expect.poll(() => screen.page.locator("script[src='/app.tsx'], script[src='app.tsx']").count()).toBe(1);
    } finally {
      await server.close();
      vi.unstubAllEnvs();
    }
  });
});
