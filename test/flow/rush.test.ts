import { Agent, get } from "node:http";
import { expect, test } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";

/** Loaded into the daemon: says at each signal what V8 has been told by then, as the tag that such code would have. */
const TELLER = `
import { cachedDataVersionTag } from "node:v8";
let told = 0;
process.on("SIGUSR2", () => console.error("V8 " + ++told + ": " + cachedDataVersionTag()));`;
const CALM = 100;
const RUSH = 1_200;
const AT_A_TIME = 8;

async function ask(port: number, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const sent = get({ port, host: "127.0.0.1", path: "/livez", agent }, (response) =>
        response.resume().once("end", resolve),
      );
      sent.once("error", reject);
    });
  await Promise.all(Array.from({ length: count }, one));
  agent.destroy();
}

test("the daemon tells V8 of a rush of requests, and of nothing less", async () => {
  await using daemon = new DaemonProcess([], {
    ...{ ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0", ELBRO_HISTORY_MONTHS: "0" },
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(TELLER)}"`,
  });
  const port = Number(/:(\d+)\/consumer/.exec(await daemon.line(/curl/))?.[1]);
  let told = 0;
  const tag = async () => {
    told++;
    daemon.signal("SIGUSR2");
    return (await daemon.line(new RegExp(`^V8 ${told}: `))).split(": ")[1];
  };
  const atFirst = await tag();
  await ask(port, CALM);
  expect(await tag()).toBe(atFirst);
  await ask(port, RUSH);
  expect(await tag()).not.toBe(atFirst);
});
