import path from "node:path";
import { expect, test } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";
import { LineProcess } from "../support/line-process.ts";
import type { Load, LoadResult } from "../support/load-process.ts";

const CALLERS = path.join(import.meta.dirname, "../support/load-process.ts");

/** Loaded into the daemon: says at each signal what V8 has been told by then, as the tag that such code would have. */
const TELLER = `
import { cachedDataVersionTag } from "node:v8";
let told = 0;
process.on("SIGUSR2", () => console.error("V8 " + ++told + ": " + cachedDataVersionTag()));`;
const CALM = 100;
const RUSH = 1_200;
const CONNECTIONS = 8;

test("the daemon tells V8 of a rush of requests, and of nothing less", async () => {
  await using daemon = new DaemonProcess([], {
    ...{ ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0", ELBRO_HISTORY_MONTHS: "0" },
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(TELLER)}"`,
  });
  const port = Number(/:(\d+)\/consumer/.exec(await daemon.line(/curl/))?.[1]);
  await using callers = new LineProcess([CALLERS]);
  const ask = async (count: number) => {
    const load: Load = { port, paths: ["/livez"], headers: [], connections: CONNECTIONS, count };
    const { statuses } = JSON.parse(await callers.ask(JSON.stringify(load))) as LoadResult;
    expect(statuses).toEqual({ 200: count });
  };
  let told = 0;
  const tag = async () => {
    told++;
    daemon.signal("SIGUSR2");
    return (await daemon.line(new RegExp(`^V8 ${told}: `))).split(": ")[1];
  };
  const atFirst = await tag();
  await ask(CALM);
  expect(await tag()).toBe(atFirst);
  await ask(RUSH);
  expect(await tag()).not.toBe(atFirst);
});
