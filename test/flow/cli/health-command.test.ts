import { createServer } from "node:http";
import { expect, test } from "vitest";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { listening } from "../../support/http/listening.ts";
import type { InstalledDaemon } from "../../support/processes/installed-daemon.ts";

/** Runs `elbro health` for an API on this port. */
async function askedOn(installed: InstalledDaemon, port: number) {
  await using command = installed.spawn(["health"], { ELBRO_API_PORT: String(port) });
  return { code: await command.exit, output: command.output };
}

test("elbro health ends with 0 for a healthy daemon, and with 1 without a response", async () => {
  await using installed = await TestDaemon.install();
  await using daemon = await installed.launch();
  const port = await daemon.apiPort();
  expect(await askedOn(installed, port)).toEqual({ code: 0, output: "ok" });
  await daemon.end("SIGTERM");
  const { code, output } = await askedOn(installed, port);
  expect(code).toBe(1);
  expect(output).toContain(`elbro: no answer from the API on 127.0.0.1, port ${port}: connect ECONNREFUSED`);
});

test("elbro health ends with 1 and the reason if only a restart helps", async () => {
  await using installed = await TestDaemon.install();
  const checks = {
    loop: { ok: false, text: "a loop does not turn" },
    clock: { ok: true, text: "the clock is plausible" },
  };
  await using server = await listening(
    createServer((request, response) => {
      response.writeHead(request.url === "/livez" ? 503 : 200).end(JSON.stringify({ status: "unhealthy", checks }));
    }),
  );
  expect(await askedOn(installed, server.port)).toEqual({ code: 1, output: "unhealthy\n  a loop does not turn" });
});
