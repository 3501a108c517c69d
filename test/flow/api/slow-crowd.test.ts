import { readFileSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { SlowClients } from "../../support/http/slow-clients.ts";
import { DaemonProcess } from "../../support/processes/daemon-process.ts";
import { START_ENVIRONMENT } from "../../support/processes/node-flags.ts";
import { loopMs } from "../../support/runner/loop-time.ts";

const CROWD = 1_000;
const REQUESTS = 20;
/** Time between two requests, in which the slow clients act. */
const APART_MS = 50;
/** Maximum median of the durations of a small response, as `loopMs` counts them. */
const MEDIAN_MS = 250;
/** Maximum of these durations: the client's system repeats a connection attempt after 1, 3 and 7 s. */
const MAX_MS = 10_000;
const MAX_GROWTH_MB = 60;

/** Sends a small request, again if its connection is closed, `attempts` times in all. Resolves with the response's status. */
function ask(port: number, attempts: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: "127.0.0.1",
        path: "/consumer/v1/me/addresses",
        agent: false,
        headers: { authorization: "Bearer demo" },
      },
      (response) => {
        response.resume();
        response.once("end", () => resolve(response.statusCode ?? 0));
      },
    );
    sent.once("error", (error) => (attempts > 1 ? resolve(ask(port, attempts - 1)) : reject(error)));
    sent.end();
  });
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
}

test.each([
  ["another address", "127.0.0.2", 1],
  // On a busy machine a request can arrive so late that its connection looks like one of the crowd.
  ["the address of the real client itself", "127.0.0.1", 4],
])("a thousand slow connections from %s do not stop a real client", async (_name, from, attempts) => {
  await using daemon = new DaemonProcess([], {
    ...{ ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0", ELBRO_API_REQUESTS_PER_MINUTE: "100000" },
    // The demo fetches no history, which would affect the measurement.
    ELBRO_HISTORY_MONTHS: "0",
    ...START_ENVIRONMENT,
  });
  const port = Number(/:(\d+)\/consumer/.exec(await daemon.line(/curl/))?.[1]);
  await ask(port, 1);
  const before = residentMb(daemon.pid);
  using crowd = new SlowClients(port, CROWD, from);
  await expect.poll(() => crowd.connected).toBeGreaterThanOrEqual(CROWD);
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const asked = ask(port, attempts);
    times.push(await loopMs(asked));
    expect(await asked).toBe(200);
    await pause(APART_MS);
  }
  times.sort((a, b) => a - b);
  const median = times[REQUESTS / 2];
  const grown = residentMb(daemon.pid) - before;
  console.log(
    `crowd from ${from}: ${crowd.connected} connections, ${crowd.shownOut} shown out, ${crowd.open} open; ` +
      `${REQUESTS} requests: median ${median} ms; grown ${grown.toFixed(1)} MB`,
  );
  expect(median).toBeLessThan(MEDIAN_MS);
  expect(times.at(-1)).toBeLessThan(MAX_MS);
  expect(grown).toBeLessThan(MAX_GROWTH_MB);
});
