import { mkdirSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { type Config, configSchema } from "../../../src/config/schema/schema.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";
import { freePort } from "../../support/broker/mosquitto.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { listening } from "../../support/http/listening.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");

interface Body {
  readonly status: string;
  readonly checks: Readonly<
    Record<string, { readonly ok: boolean; readonly code: string; readonly detail?: string[] }>
  >;
}

const { plugs } = configSchema.parse({
  plugs: [{ name: "Boiler", family: "tasmota", topic: "boiler", signal: "cheap", home: "home" }],
});

const starting = (config: Partial<Config> = {}) =>
  TestDaemon.start({ start: MORNING, config: { history: { months: 0 }, ...config } });

async function ask(it: TestDaemon, path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${it.url}${path}`, { headers });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) as Body };
}

const codes = ({ checks }: Body) => Object.values(checks).map(({ code }) => code);

/** Returns the status of `/healthz` and `/livez`, and the codes that are not `ok`. */
async function verdicts(it: TestDaemon) {
  const health = await ask(it, "/healthz");
  const life = await ask(it, "/livez");
  return [health.status, life.status, health.body.status, ...codes(health.body).filter((code) => code !== "ok")];
}

test("a daemon with prices is healthy; names are included only with a key", async () => {
  await using it = await starting();
  await it.clock.runUntil(MORNING + 5 * MINUTE_MS);
  const open = await ask(it, "/healthz");
  expect([open.status, open.body.status, codes(open.body)]).toEqual([200, "ok", ["ok", "ok", "ok", "ok", "ok"]]);
  const { danish } = it.simulator.addressIds;
  for (const secret of ["Home", "Stugan", danish, it.dir.path, LAN_KEY]) expect(open.text).not.toContain(secret);
  const known = await ask(it, "/healthz", { authorization: `Bearer ${LAN_KEY}` });
  expect(known.body.checks.prices?.detail).toContain("Home: until 2026-03-10T09:15:00Z");
  expect((await ask(it, "/healthz", { authorization: "Bearer wrong" })).status).toBe(401);
});

test("a first start without the service is healthy for ten minutes, then unhealthy, but livez stays 200", async () => {
  await using it = await starting();
  it.simulator.setFaults([{ operation: "*", fault: "status", status: 502 }]);
  await it.restart({ history: { months: 0 }, data_dir: `${it.dir.path}/fresh` });
  expect((await verdicts(it)).slice(0, 4)).toEqual([200, 200, "starting", "prices_awaited"]);
  await it.clock.runUntil(MORNING + 11 * MINUTE_MS);
  expect(await verdicts(it)).toEqual([503, 200, "unhealthy", "prices_missing", "problems"]);
});

test("a lost internet connection is a problem immediately; estimates are used after confirmed prices", async () => {
  await using it = await starting();
  await it.clock.runUntil(MORNING + 5 * HOUR_MS);
  it.simulator.setFaults([{ operation: "*", fault: "status", status: 502 }]);
  await it.clock.runUntil(MORNING + 12 * HOUR_MS);
  expect(await verdicts(it)).toEqual([200, 200, "degraded", "problems"]);
  await it.clock.runUntil(MORNING + 2 * DAY_MS);
  expect(await verdicts(it)).toEqual([200, 200, "degraded", "prices_estimated", "problems"]);
  await it.clock.runUntil(MORNING + 9 * DAY_MS);
  expect(await verdicts(it)).toEqual([503, 200, "unhealthy", "prices_missing", "problems"]);
  it.simulator.setFaults([]);
  await it.clock.runUntil(MORNING + 9 * DAY_MS + 2 * HOUR_MS);
  expect(await verdicts(it)).toEqual([200, 200, "ok"]);
});

test("loops that do not wake up are detected, also their recovery", async () => {
  await using it = await starting({ plugs });
  await it.clock.runUntil(MORNING + 5 * MINUTE_MS);
  // Work in progress may still end; after that only its time wakes a loop.
  const verdictAfterAnHour = () => {
    it.clock.leap(it.clock.now() + HOUR_MS);
    return verdicts(it);
  };
  await expect.poll(verdictAfterAnHour).toContain("loop_stuck");
  expect((await verdictAfterAnHour()).slice(0, 3)).toEqual([503, 503, "unhealthy"]);
  const known = await ask(it, "/livez", { authorization: `Bearer ${LAN_KEY}` });
  for (const loop of ["showing", "switching"])
    expect(known.body.checks.loop?.detail).toContainEqual(expect.stringMatching(new RegExp(`^${loop}: \\d+ s late$`)));
  await it.clock.runUntil(it.clock.now() + 5 * MINUTE_MS);
  expect((await verdicts(it)).slice(0, 2)).toEqual([200, 200]);
});

test("a deleted database file is detected within a minute", async () => {
  await using it = await starting();
  await it.clock.runUntil(MORNING + 5 * MINUTE_MS);
  expect((await verdicts(it))[0]).toBe(200);
  rmSync(it.dir.path, { recursive: true, force: true });
  await it.clock.runUntil(MORNING + 6 * MINUTE_MS);
  expect(await verdicts(it)).toEqual([503, 503, "unhealthy", "database_not_writing"]);
  const open = await ask(it, "/healthz");
  expect(open.text).toContain("ENOENT");
  expect(open.text).not.toContain(it.dir.path);
});

const problemsOf = async (it: TestDaemon) => (await ask(it, "/healthz")).body.checks.problems?.code;
const problemText = async (it: TestDaemon) =>
  JSON.stringify((await ask(it, "/healthz", { authorization: `Bearer ${LAN_KEY}` })).body.checks.problems);

/** Accepts every connection and rejects every login: CONNACK of MQTT 5 with "bad user name or password". */
function refusingBroker() {
  return listening(
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(Buffer.from([0x20, 0x03, 0x00, 0x86, 0x00])));
    }),
  );
}

test("a broker that is not reachable for ten minutes is a problem until it is back", async () => {
  const port = await freePort();
  await using it = await starting({ mqtt: { url: `mqtt://127.0.0.1:${port}` } } as Partial<Config>);
  await it.clock.runUntil(MORNING + 9 * MINUTE_MS);
  expect(await problemsOf(it)).toBe("ok");
  await it.clock.runUntil(MORNING + 11 * MINUTE_MS);
  expect(await verdicts(it)).toEqual([200, 200, "degraded", "problems"]);
  const text = await problemText(it);
  expect(text).toContain("broker_unreachable");
  const broker = await startEmbeddedBroker({
    ...{ host: "127.0.0.1", port, users: [], anonymous: true, baseTopic: "nobody", discoveryPrefix: "nobody" },
    ...{ onRefused: () => undefined, onConnectionRefused: () => undefined },
  });
  const problemsLater = async () => {
    await it.clock.runUntil(it.clock.now() + MINUTE_MS);
    return problemsOf(it);
  };
  await expect.poll(problemsLater).toBe("ok");
  await it.stop();
  await broker.close();
});

test("a broker that rejects the login is a problem", async () => {
  await using broker = await refusingBroker();
  await using it = await starting({ mqtt: { url: `mqtt://127.0.0.1:${broker.port}` } } as Partial<Config>);
  await it.clock.runUntil(MORNING + 11 * MINUTE_MS);
  expect(await problemText(it)).toContain("broker_unreachable");
  const problem = it.log.find(({ facts }) => "code" in facts && facts.code === "broker_unreachable");
  expect(problem?.facts).toMatchObject({ detail: expect.stringContaining("rejects the user name or password") });
});

test("a data directory that disappears is a problem until it is back", async () => {
  await using it = await starting();
  await it.clock.runUntil(MORNING + 5 * MINUTE_MS);
  renameSync(it.dir.path, `${it.dir.path}-elsewhere`);
  mkdirSync(it.dir.path);
  await it.clock.runUntil(MORNING + 16 * MINUTE_MS);
  expect(await problemText(it)).toContain("data_dir_gone");
  rmSync(it.dir.path, { recursive: true });
  renameSync(`${it.dir.path}-elsewhere`, it.dir.path);
  const verdictsLater = async () => {
    await it.clock.runUntil(it.clock.now() + 15 * MINUTE_MS);
    return verdicts(it);
  };
  await expect.poll(verdictsLater).toEqual([200, 200, "ok"]);
});
