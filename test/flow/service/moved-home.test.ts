/** A home whose address is gone, and what its owner can do then; an address that is in another region. */
import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { planEntry } from "../../support/plans/plan-topics.ts";
import { MqttPlug } from "../../support/plugs/mqtt-plug.ts";
import { DaemonProcess } from "../../support/processes/daemon-process.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const MOVED = Date.parse("2026-03-10T12:25:00Z");
const MONTH = "from=2026-02-28T23:00:00Z&to=2026-03-09T23:00:00Z";

function start(whenLost: "on" | "off" = "off", maxPrice = 25, fallback?: readonly string[]): Promise<TestDaemon> {
  const { plans, plugs } = configSchema.parse({
    plans: [planEntry({ kind: "below", cheap_below: maxPrice, ...(fallback && { fallback: [...fallback] }) })],
    plugs: [{ name: "Washer plug", family: "tasmota", topic: "heater", plan: "washer", when_lost: whenLost }],
  });
  const keys = [{ name: "owner", key: LAN_KEY, scopes: ["control" as const] }];
  return TestDaemon.start({
    start: MORNING,
    simulator: { homes: ["danish"], publicationDelayMinutes: () => 0 },
    config: { history: { months: 1 }, plans, plugs, api: { host: "127.0.0.1", port: 0, keys } },
  });
}

async function move(it: TestDaemon): Promise<void> {
  it.simulator.setFaults([{ operation: "*", fault: "otherAccount" }]);
  await it.clock.runUntil(MOVED);
}

function change(it: TestDaemon, home: string, to: string | null): Promise<Response> {
  return it.post(`/local/v1/former-homes/${home}`, { moved_to: to });
}

const signal = (it: TestDaemon) => it.watcher.payload("elbro/home/plan/washer");

test.each([
  ["off", 25, undefined, "ON", true],
  ["on", -10, undefined, "OFF", false],
  ["on", -10, ["on"], "OFF", false],
] as const)(
  "when its home is gone, a plan is not ON, its run ends, and its plug is %s (`when_lost`; `cheap_below: %s`, `fallback: %j`)",
  async (whenLost, maxPrice, fallback, before, isOnBefore) => {
    await using it = await start(whenLost, maxPrice, fallback);
    const plug = new MqttPlug("tasmota", { now: () => it.clock.now(), on: !isOnBefore, powerOn: "last" });
    await plug.connect(it.brokerPort);
    await it.clock.runUntil(MORNING + HOUR_MS);
    expect(signal(it)).toBe(before);
    await expect.poll(() => plug.device.on).toBe(isOnBefore);
    await move(it);
    await it.watcher.until(() => it.watcher.payload("elbro/home/price") === null, "the end of the price");
    await it.watcher.quiet();
    await expect.poll(() => plug.device.on).toBe(whenLost === "on");
    expect(signal(it)).not.toBe("ON");
    const answer = await it.request("/local/v1/signal/washer?format=json");
    expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ errorCode: "not_known" })]);
    const problems = (it.watcher.json("elbro/info") as { problems: { code: string; detail: string }[] }).problems;
    expect(problems.map(({ code }) => code)).toEqual(expect.arrayContaining(["address_gone", "unknown_home"]));
    expect(problems.filter(({ code }) => code === "address_gone")).toHaveLength(1);
  },
);

test("the new home takes over id, plans and topics of the old one, whose history stays readable until it is forgotten", async () => {
  await using it = await start();
  await it.clock.runUntil(MORNING + HOUR_MS);
  const old = it.simulator.addressIds.danish;
  const mirror = `/consumer/v1/me/addresses/${old}/consumption?${MONTH}&aggregation=hour`;
  const rows = ((await (await it.request(mirror)).json()) as { data: unknown[] }).data;
  await move(it);
  const asked = it.simulator.answered().length;
  const stored = await it.request(mirror);
  expect([stored.status, stored.headers.get("x-elbro-stale")]).toEqual([200, null]);
  expect(((await stored.json()) as { data: unknown[] }).data).toEqual(rows);
  expect((await it.request(mirror.replace("consumption?", "solar-export?").replace("-02-", "-01-"))).status).toBe(200);
  expect(it.simulator.answered()).toHaveLength(asked);
  const { former } = (await (await it.request("/local/v1/addresses")).json()) as { former: unknown[] };
  const measures = ["consumption", "costs", "export", "revenue"];
  expect(former).toEqual([{ home: "home", name: "Home", address: old, measures }]);
  expect((await change(it, "home", "nowhere")).status).toBe(404);
  expect(await (await change(it, "home", "home_99")).json()).toEqual({
    former: [{ home: "home_former", name: "Home", address: old, measures }],
  });
  await it.clock.runUntil(MOVED + 20 * MINUTE_MS);
  expect([signal(it), typeof it.watcher.payload("elbro/home/price")]).toEqual(["ON", "string"]);
  expect(it.watcher.payload("elbro/home_99/price")).toBe(null);
  const codes = (it.watcher.json("elbro/info") as { problems: { code: string }[] }).problems.map(({ code }) => code);
  expect(codes).toEqual(["plug_silent"]);
  await it.stop();
  await it.restart();
  expect((await it.request("/local/v1/usage?home=home_former&measure=consumption")).status).toBe(200);
  expect((await it.request("/local/v1/now?home=home")).status).toBe(200);
  expect(await (await change(it, "home_former", null)).json()).toEqual({ former: [] });
  expect((await it.request("/local/v1/usage?home=home_former&measure=consumption")).status).toBe(404);
  expect((await it.request(mirror)).status).toBe(404);
});

test("`addresses --moved` lets the new home take over, and `--forget` forgets the former one", async () => {
  const simulator = { homes: ["danish" as const], publicationDelayMinutes: () => 0 };
  await using it = await TestDaemon.start({ start: MORNING, simulator, yaml: "" });
  const run = async (...args: readonly string[]) => {
    await using command = new DaemonProcess(["addresses", ...args], { ELBRO_CONFIG: it.dir.file("elbro.yaml") });
    return [await command.exit, command.output] as const;
  };
  await it.clock.runUntil(MORNING + HOUR_MS);
  await move(it);
  expect(await run("--moved", "home")).toEqual([78, expect.stringContaining("--moved takes OLD=NEW")]);
  expect(await run("--moved", "home=nowhere")).toEqual([78, expect.stringContaining("nowhere")]);
  expect(await run("--moved", "home=home_99")).toEqual([
    0,
    expect.stringMatching(/^Home 99: home home\n[\s\S]*^Home: former home home_former$/m),
  ]);
  expect(await run("--forget", "home_former")).toEqual([0, expect.not.stringContaining("former")]);
  expect(await run("--forget", "home_former")).toEqual([78, expect.stringContaining("home_former")]);
});

test("the prices of today and tomorrow are requested again at once when the list states another region", async () => {
  await using it = await start();
  await it.clock.runUntil(MORNING + 14 * HOUR_MS);
  it.simulator.setFaults([{ operation: "addresses", fault: "badRow", row: 0, put: { region: "DK2" } }]);
  // The list is requested every day at 04:10.
  await it.clock.runUntil(MORNING + 18 * HOUR_MS + 30 * MINUTE_MS);
  const after = it.simulator.answered().filter(({ at }) => at > MORNING + 18 * HOUR_MS);
  const operations = after.map(({ operation }) => operation);
  expect(operations.slice(0, 3)).toEqual(["addresses", "prices", "forecastPrices"]);
  expect(typeof it.watcher.payload("elbro/home/price")).toBe("string");
});
