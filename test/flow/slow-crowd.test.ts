import { readFileSync } from "node:fs";
import { type Agent, request } from "node:http";
import { expect, test } from "vitest";
import { DaemonProcess } from "../support/daemon/daemon-process.ts";
import { START_ENVIRONMENT } from "../support/daemon/node-flags.ts";
import { SlowClients } from "../support/daemon/slow-clients.ts";

const CROWD = 1_000;
const REQUESTS = 100;
/** Pause between measurements, in which the slow clients act. */
const APART_MS = 50;
/** Maximum duration of a small response: the client's system repeats a connection attempt after 1 s and 3 s. */
const MAX_SLEEP_MS = 5_000;
const MEDIAN_MS = 250;
const MAX_GROWTH_MB = 60;

interface Asked {
  readonly status: number;
  readonly ms: number;
}

function ask(port: number, agent: Agent | false): Promise<Asked> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: "127.0.0.1", path: "/consumer/v1/me/addresses", agent, headers: { authorization: "Bearer demo" } },
      (response) => {
        response.resume();
        response.once("end", () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - began }));
      },
    );
    sent.once("error", reject);
    sent.end();
  });
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.each([
  ["another address", "127.0.0.2"],
  ["the address of the real client itself", "127.0.0.1"],
])("a thousand slow connections from %s do not stop a real client", async (_name, from) => {
  await using daemon = new DaemonProcess([], {
    ...{ ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0", ELBRO_API_REQUESTS_PER_MINUTE: "100000" },
    // The demo fetches no history, which would affect the measurement.
    ELBRO_HISTORY_MONTHS: "0",
    ...START_ENVIRONMENT,
  });
  const port = Number(/:(\d+)\/consumer/.exec(await daemon.line(/curl/))?.[1]);
  await ask(port, false);
  const before = residentMb(daemon.pid);
  using crowd = new SlowClients(port, CROWD, from);
  await expect.poll(() => crowd.connected).toBeGreaterThanOrEqual(CROWD);
  const asked: Asked[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    asked.push(await ask(port, false));
    await pause(APART_MS);
  }
  const times = asked.map(({ ms }) => ms).sort((a, b) => a - b);
  const grown = residentMb(daemon.pid) - before;
  console.log(
    `crowd from ${from}: ${crowd.connected} connections, ${crowd.shownOut} shown out, ${crowd.open} open; ` +
      `${REQUESTS} requests: median ${times[REQUESTS / 2]?.toFixed(1)} ms, longest ${times.at(-1)?.toFixed(1)} ms; grown ${grown.toFixed(1)} MB`,
  );
  expect(asked.map(({ status }) => status)).toEqual(Array(REQUESTS).fill(200));
  expect(times[REQUESTS / 2]).toBeLessThan(MEDIAN_MS);
  expect(times.at(-1)).toBeLessThan(MAX_SLEEP_MS);
  expect(grown).toBeLessThan(MAX_GROWTH_MB);
});
