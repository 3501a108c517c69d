import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { ConfiguredHouse } from "../support/configured-house.ts";
import { DaemonProcess } from "../support/daemon-process.ts";

/** `elbro health` for an API on this port. */
async function askedOn(house: ConfiguredHouse, port: number) {
  await using command = new DaemonProcess(["health"], { ELBRO_CONFIG: house.config, ELBRO_API_PORT: String(port) });
  return { code: await command.exit, output: command.output };
}

test("elbro health ends with 0 beside a daemon that is well, and with 1 where nothing answers", async () => {
  await using house = await ConfiguredHouse.start();
  await using daemon = await house.daemon();
  const [, port = ""] = /"port":(\d+),"msg":"API listens"/.exec(await daemon.line(/API listens/)) ?? [];
  expect(await askedOn(house, Number(port))).toEqual({ code: 0, output: "ok" });
  await daemon.end("SIGTERM");
  const { code, output } = await askedOn(house, Number(port));
  expect(code).toBe(1);
  expect(output).toContain(`elbro: no answer from the API on 127.0.0.1, port ${port}: connect ECONNREFUSED`);
});

test("elbro health ends with 1 and says why, when only a restart helps", async () => {
  await using house = await ConfiguredHouse.start();
  const checks = {
    loop: { ok: false, text: "a loop does not turn" },
    clock: { ok: true, text: "the clock can be right" },
  };
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/livez" ? 503 : 200).end(JSON.stringify({ status: "unhealthy", checks }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    expect(await askedOn(house, port)).toEqual({ code: 1, output: "unhealthy\n  a loop does not turn" });
  } finally {
    server.close();
  }
});
