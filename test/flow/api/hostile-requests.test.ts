/**
 * Tests that the LAN API responds to any request with a documented status and format, without internal details, and is
 * as healthy afterwards as before. 2,000 requests in `npm test`; 100,000 with ELBRO_NIGHTLY=1.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { localErrorTable } from "../../../src/http/errors.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { type HostileRequest, hostileRequests } from "../../support/http/hostile-requests.ts";
import { type RawAnswer, sendRaw } from "../../support/http/raw-answer.ts";
import { HANG_MS } from "../../support/runner/time-limits.ts";

const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const REQUESTS = Number(process.env.ELBRO_REQUESTS ?? (NIGHTLY ? 100_000 : 2_000));
const BATCH = 500;
const AT_A_TIME = 16;
/** Maximum wait for a response. A malformed request may get one only after a timeout. */
const OWED_MS = HANG_MS;
const NOT_OWED_MS = 60;
const MAX_GROWTH_MB = 12;

const CONTROL_KEY = "control-canary-6f1d0c8e2b";
const PAIR = { name: "inverter", api_key: "inverter", api_secret: "secret-canary-91c7a4d35e" } as const;
const PLAN = { name: "Dishwasher", kind: "window", hours: 2, home: "home", ready_by: "07:00" } as const;

const statusOf = new Map(Object.entries(localErrorTable).map(([code, { status }]) => [code, status]));
const GOOD: ReadonlySet<number> = new Set([200, 204, 304, 308]);
const DOCUMENTED: ReadonlySet<number> = new Set<number>(statusOf.values());
const INSIDE =
  /node:internal|\bat \S+ \(|\/src\/|\.ts:\d|\.cjs|node_modules|sqlite|from (setting|chunk|attempt|series)|insert into|ECONN|EACCES|TypeError|undefined is not/i;

async function startApi() {
  const start = Date.parse("2026-03-10T09:00:00Z");
  const keys = [
    { name: "test", key: LAN_KEY },
    { name: "control", key: CONTROL_KEY, scopes: ["read", "control"] as ("read" | "control")[] },
  ];
  const api = { host: "127.0.0.1", port: 0, keys, third_party_keys: [PAIR] };
  const limits = { requests_per_minute: 100_000_000, requests_per_day: 100_000_000 };
  const running = await TestDaemon.start({ start, config: { api: { ...api, ...limits }, plans: [PLAN] } as never });
  await running.clock.settle();
  const { data } = (await (await running.request("/consumer/v1/me/addresses")).json()) as { data: { id: string }[] };
  return { running, addressId: data[0]?.id ?? "" };
}

/** Returns the violation in a response; null if it is valid. */
function wrongIn(answer: RawAnswer, request: HostileRequest, secrets: readonly string[]): string | null {
  const { status, head, body } = answer;
  if (status === 0) return request.isWhole ? "no answer" : null;
  const whole = `${head}\n${body}`;
  const secret = secrets.find((each) => whole.includes(each));
  if (secret) return `reveals the secret ${secret}`;
  if (
    head
      .split("\r\n")
      .slice(1)
      .some((line) => !/^[A-Za-z][A-Za-z0-9-]*: ?[\x20-\x7e]*$/.test(line))
  )
    return "a malformed header";
  if (/\r\nset-cookie: a=b/i.test(head)) return "a header that the caller chose";
  if (!/\r\nx-request-id: [0-9a-f-]{36}/i.test(head)) return "no X-Request-ID";
  if (GOOD.has(status)) return null;
  if (INSIDE.test(whole)) return "reveals internals";
  if (!DOCUMENTED.has(status)) return "an undocumented status";
  // Devices that read only a word or a status get OFF, and the reason in a header.
  const isWord = /\r\ncontent-type: text\/plain/i.test(head) && body === "OFF";
  if (request.method === "HEAD" || isWord) return null;
  return wrongError(status, body);
}

function wrongError(status: number, body: string): string | null {
  try {
    const { error, reason, errorCode, on } = JSON.parse(body) as Record<string, unknown>;
    if (status === 400 && on === false) return null; // A signal that is OFF, expressed by its status: ?code=1.
    if (status === 503 && error === undefined) return null; // /healthz has its own format.
    if (error !== true || typeof reason !== "string" || reason === "") return "not the shape of an error";
    return statusOf.get(String(errorCode)) === status ? null : `errorCode ${errorCode} with status ${status}`;
  } catch {
    return "an error that is no JSON";
  }
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heapMb(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

test(`${REQUESTS} hostile requests get documented responses, without a crash, memory growth or internal details`, async () => {
  const { running, addressId } = await startApi();
  await using _ends = running;
  const { simulator, dir } = running;
  const secrets = [
    ...[LAN_KEY, CONTROL_KEY, PAIR.api_secret, dir.path],
    ...[simulator.keys.consumerKey ?? "no-key", simulator.keys.thirdParty.apiSecret],
  ];
  const world = { keys: [LAN_KEY, CONTROL_KEY], addressId, plan: "dishwasher" };
  const requests = hostileRequests(world);
  const seed = Number(process.env.ELBRO_SEED ?? (NIGHTLY ? Date.now() % 2 ** 31 : 1));
  const statuses = new Map<number, number>();
  let warmMb = 0;
  const began = performance.now();
  for (let sent = 0; sent < REQUESTS; sent += BATCH) {
    const batch = fc.sample(requests, { numRuns: BATCH, seed: seed + sent });
    const next = batch.values();
    const work = async () => {
      for (const request of next) {
        const waitMs = request.isWhole ? OWED_MS : NOT_OWED_MS;
        const answer = await sendRaw(running.apiPort, request.bytes, { method: request.method, waitMs });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        // A 200 with a file may contain any text; an error may not.
        const wrong = wrongIn(answer, request, secrets);
        if (wrong)
          expect.fail(
            `${wrong} (seed ${seed + sent}):\n${JSON.stringify(request.bytes.toString("latin1").slice(0, 600))}\n` +
              JSON.stringify(`${answer.head}\n${answer.body.slice(0, 300)}`),
          );
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    if (sent + BATCH >= REQUESTS / 5 && warmMb === 0) warmMb = heapMb();
  }
  const tookSec = (performance.now() - began) / 1_000;
  const grownMb = heapMb() - warmMb;
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status || "none"} ${count}`);
  console.log(
    `hostile: ${REQUESTS} requests in ${tookSec.toFixed(0)} s, heap grown ${grownMb.toFixed(1)} MB; ${counts.join(", ")}`,
  );
  expect(statuses.get(500) ?? 0).toBe(0);
  expect(running.log.filter(({ text }) => /failed|crash/.test(text)).map(({ facts }) => facts)).toEqual([]);
  expect((await running.request("/consumer/v1/me/addresses")).status).toBe(200);
  expect(grownMb).toBeLessThan(MAX_GROWTH_MB);
});
