/**
 * Hostile clients on the LAN against the built program, all at the same time: generated and smuggled requests, slow
 * sockets, huge headers, wrong keys, floods of event streams and of MQTT connections. No request may succeed without a
 * key. The owner must get responses during the attack, and memory must stay bounded.
 */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import * as fc from "fast-check";
import { HostileClients, hostilePackets } from "../support/broker/hostile-clients.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import { hostileRequests } from "../support/http/hostile-requests.ts";
import { sendRaw } from "../support/http/raw-answer.ts";
import { SlowClients } from "../support/http/slow-clients.ts";
import { InstalledDaemon } from "../support/processes/installed-daemon.ts";
import { START_ENVIRONMENT } from "../support/processes/node-flags.ts";
import type { PartOptions, Report } from "./part.ts";

const SLOW_SOCKETS = 300;
const STREAMS = 200;
const MQTT_SOCKETS = 200;
const AT_A_TIME = 8;
const WRONG_KEYS = 2_000;
const GENERATED = 3_000;
/** Maximum response time for the owner. With a full queue, TCP sends a SYN again after 1 s and after 3 s. */
const MAX_WAIT_MS = 5_000;
const MAX_RESIDENT_MB = 220;
const LIMITS = { requests_per_minute: 1_000_000, requests_per_day: 100_000_000 };
/** Address of the attackers, which differs from the owner's. */
const ELSEWHERE = "127.0.0.2";

/** Attacks the program. Returns the number of requests. */
export async function hostile({ random, scale }: PartOptions, report: Report): Promise<number> {
  await using installed = await InstalledDaemon.prepare({
    simulator: { homes: ["danish"] },
    config: { history: { months: 1 } },
  });
  installed.configure({ api: { host: "127.0.0.1", port: 0, keys: [{ name: "test", key: LAN_KEY }], ...LIMITS } });
  await using daemon = await installed.launch(START_ENVIRONMENT);
  const [port, brokerPort] = [await daemon.apiPort(), await daemon.brokerPort()];
  let isOver = false;
  void daemon.exit.then((code) => {
    if (!isOver) report.broken("stuck", `the daemon ended with ${code}:\n${daemon.output.slice(-2_000)}`);
  });
  let peakMb = 0;
  const owner = (async () => {
    while (!isOver) {
      const began = performance.now();
      const path = "/consumer/v1/me/addresses";
      const asked = fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${LAN_KEY}` } });
      const status = await asked.then(({ status: given }) => given).catch(String);
      const tookMs = performance.now() - began;
      if (!isOver && (status !== 200 || tookMs > MAX_WAIT_MS))
        report.broken("stuck", `the owner got ${status} after ${tookMs.toFixed(0)} ms`);
      peakMb = Math.max(peakMb, peakOf(daemon.pid));
      await pause(100);
    }
  })();
  let sent = 0;
  using slow = new SlowClients(port, Math.ceil(SLOW_SOCKETS * scale), ELSEWHERE);
  using streams = new HostileClients();
  using mqtt = new HostileClients();
  await streams.open(port, Math.ceil(STREAMS * scale), Buffer.from(requestOf("/events", LAN_KEY)), { from: ELSEWHERE });
  for (const bytes of Object.values(hostilePackets))
    await mqtt.open(brokerPort, Math.ceil((MQTT_SOCKETS * scale) / 4), bytes, { from: ELSEWHERE });
  await mqtt.open(brokerPort, Math.ceil(MQTT_SOCKETS * scale), wrongLogin(random.next()), { from: ELSEWHERE });

  // Wrong keys, and the right key in the wrong place.
  await concurrently(Math.ceil(WRONG_KEYS * scale), async (i) => {
    const key = `${LAN_KEY.slice(0, i % LAN_KEY.length)}${random.next()}`;
    const text = i % 5 === 0 ? requestOf(`/local/v1/now?key=${LAN_KEY}`, "") : requestOf("/local/v1/now", key);
    const { status } = await sendRaw(port, Buffer.from(text), { method: "GET", waitMs: MAX_WAIT_MS });
    sent++;
    if (status === 200) report.broken("denied", `a wrong key opens: ${text}`);
  });
  // Two requests in one: the second must not be accepted with the key of the first.
  for (const [name, text] of Object.entries(SMUGGLED)) {
    const answers = await allOf(port, text);
    sent++;
    if (answers.filter((status) => status === 200).length > 1)
      report.broken("denied", `smuggled by ${name}: ${answers}`);
  }
  for (const kilobytes of [16, 64, 1_024]) {
    const text = `GET /local/v1/now HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ${"a".repeat(kilobytes * 1_024)}\r\n\r\n`;
    const { status } = await sendRaw(port, Buffer.from(text), { method: "GET", waitMs: MAX_WAIT_MS });
    sent++;
    if (status === 200 || status === 500) report.broken("denied", `${status} for ${kilobytes} kB of a header`);
  }
  const world = { keys: [LAN_KEY], addressId: installed.simulator.addressIds.danish, plan: "none" };
  const seed = random.below(2 ** 31);
  const requests = fc.sample(hostileRequests(world), { numRuns: Math.ceil(GENERATED * scale), seed });
  await concurrently(requests.length, async (i) => {
    const request = requests[i];
    if (!request) return;
    const waitMs = request.isWhole ? 10_000 : 60;
    const { status } = await sendRaw(port, request.bytes, { method: request.method, waitMs });
    sent++;
    if (status === 500)
      report.broken("stuck", `a 500 for ${JSON.stringify(request.bytes.toString("latin1").slice(0, 300))}`);
  });
  isOver = true;
  await owner;
  if (peakMb > MAX_RESIDENT_MB) report.broken("stuck", `${peakMb.toFixed(0)} MB resident at the peak`);
  process.stdout.write(`hostile: ${sent} requests, ${slow.connected} slow sockets, peak ${peakMb.toFixed(0)} MB\n`);
  return sent;
}

function requestOf(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${key === "" ? "" : `Authorization: Bearer ${key}\r\n`}\r\n`;
}

const INNER = "GET /local/v1/now HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
const OUTER = `POST /local/v1/now HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${LAN_KEY}\r\n`;
const SMUGGLED = {
  "length and chunks": `${OUTER}Content-Length: ${INNER.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${INNER}`,
  "two lengths": `${OUTER}Content-Length: 0\r\nContent-Length: ${INNER.length}\r\n\r\n${INNER}`,
  "a space before the colon": `${OUTER}Content-Length : ${INNER.length}\r\n\r\n${INNER}`,
  "an unknown coding": `${OUTER}Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\nabc${INNER}`,
  "a bare line feed": `${OUTER}X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${INNER}`,
  "an obsolete fold": `${OUTER}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${INNER}`,
  "a chunk size beyond": `${OUTER}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n${INNER}`,
};

/** Returns the statuses of all responses on a connection. */
function allOf(port: number, text: string): Promise<number[]> {
  return new Promise((resolve) => {
    let got = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    const timer = setTimeout(() => socket.destroy(), 500);
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      got += data.toString("latin1");
    });
    socket.once("close", () => {
      clearTimeout(timer);
      resolve([...got.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)));
    });
  });
}

/** Returns a CONNECT of MQTT 3.1.1 with a wrong password. */
function wrongLogin(guess: number): Buffer {
  const field = (text: string) => Buffer.concat([Buffer.from([0, text.length]), Buffer.from(text)]);
  const rest = Buffer.concat([
    field("MQTT"),
    Buffer.from([4, 0xc2, 0, 60]),
    field("x"),
    field("test"),
    field(`${guess}`),
  ]);
  return Buffer.concat([Buffer.from([0x10, rest.length]), rest]);
}

async function concurrently(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
