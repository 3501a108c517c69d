import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { MINUTE_MS, SECOND_MS } from "../../../src/core/time/interval.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { EmulatedHomeAssistant } from "../../support/home/emulated-home-assistant.ts";
import { askJson } from "../../support/http/local-api.ts";
import { MqttPlug } from "../../support/plugs/mqtt-plug.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const HOUSE = `# What the house does
plans:
  # Never in the evening
  - { name: Car, home: home, kind: slots, hours: 2 } # two hours
plugs: []
`;
const heater = { name: "Heater", home: "home", kind: "below", cheap_below: "100%" };

function started(yaml = HOUSE): Promise<TestDaemon> {
  return TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] }, yaml });
}

const textOf = (daemon: TestDaemon, name = "elbro.yaml") => readFileSync(path.join(daemon.dir.path, name), "utf8");

async function answerOf(answer: Promise<Response>): Promise<[number, Record<string, unknown>]> {
  const { status, ...rest } = await answer.then(async (got) => ({ status: got.status, text: await got.text() }));
  expect(rest.text).not.toContain(LAN_KEY);
  return [status, JSON.parse(rest.text)];
}

describe("a plan that is saved over HTTP", () => {
  test("a plan that is saved over HTTP is written to page.yaml, switches a plug, can be changed and deleted", async () => {
    await using daemon = await started();
    await daemon.untilPriced();
    await using plug = new MqttPlug("tasmota", { now: () => daemon.clock.now(), on: false, powerOn: "last" });
    await plug.connect(daemon.brokerPort);
    const before = textOf(daemon);

    const [status, made] = await answerOf(daemon.post("/local/v1/plans", heater));
    expect([status, made]).toMatchObject([201, { id: "heater", source: "page.yaml", note: null, restart: [] }]);
    const entry = { name: "Heater plug", family: "tasmota", topic: "heater", plan: "heater" };
    expect(await answerOf(daemon.post("/local/v1/plugs", entry))).toMatchObject([201, { id: "heater_plug" }]);
    await daemon.clock.runUntil(daemon.clock.now() + MINUTE_MS);
    await expect.poll(() => plug.device.on).toBe(true);

    expect(textOf(daemon, "page.yaml")).toContain("name: Heater\n");
    expect(statSync(path.join(daemon.dir.path, "page.yaml")).mode & 0o777).toBe(0o600);
    const states = path.join(daemon.dir.path, "configuration-backups");
    const [oldest = ""] = readdirSync(states).sort();
    expect(readFileSync(path.join(states, oldest), "utf8")).not.toContain("Heater plug");
    expect(statSync(path.join(states, oldest)).mode & 0o777).toBe(0o600);
    expect(await askJson(daemon, "plugs")).toMatchObject({
      plugs: [{ id: "heater_plug", plans: ["heater"], on: true }],
    });

    const saved = await askJson(daemon, "plans/heater/configuration");
    expect(saved).toMatchObject({ source: "page.yaml", fixed: null, entry: heater, overrides: false });
    const put = (body: object, revision: unknown) =>
      answerOf(daemon.send("PUT", "/local/v1/plans/heater", body, { "if-match": `"${revision}"` }));
    expect(await put({ ...heater, name: "Warm water" }, saved.revision)).toMatchObject([200, { id: "heater" }]);
    expect(await put(heater, saved.revision)).toMatchObject([412, { errorCode: "precondition_failed" }]);
    expect(await askJson(daemon, "plans/heater")).toMatchObject({ name: "Warm water" });

    const [refused, why] = await answerOf(daemon.send("DELETE", "/local/v1/plans/heater"));
    expect([refused, why.reason]).toEqual([409, expect.stringContaining("plugs.heater_plug.plan")]);
    expect(await answerOf(daemon.send("DELETE", "/local/v1/plugs/heater_plug"))).toMatchObject([200, {}]);
    await expect.poll(() => plug.device.on).toBe(false);
    expect(await answerOf(daemon.send("DELETE", "/local/v1/plans/heater"))).toMatchObject([200, {}]);
    expect((await daemon.request("/local/v1/plans/heater")).status).toBe(404);
    expect(textOf(daemon)).toBe(before);
  });

  test("a plan that is saved over HTTP replaces one of a read-only elbro.yaml, survives a restart, and can be as in the file again", async () => {
    await using daemon = await started();
    const file = path.join(daemon.dir.path, "elbro.yaml");
    chmodSync(file, 0o444);
    const before = textOf(daemon);
    const [status, made] = await answerOf(daemon.post("/local/v1/plans", heater));
    expect([status, made]).toMatchObject([201, { source: "page.yaml", note: null }]);
    const car = { ...heater, name: "Big car" };
    expect(await answerOf(daemon.send("PUT", "/local/v1/plans/car", car))).toMatchObject([200, { id: "car" }]);
    expect(textOf(daemon)).toBe(before);
    await daemon.restart();
    await daemon.untilPriced();
    const plans = (await askJson(daemon, "plans")) as { plans: unknown };
    expect(plans).toMatchObject({ plans: [{ id: "car", name: "Big car" }, { id: "heater" }] });
    expect(await askJson(daemon, "plans/car/configuration")).toMatchObject({ source: "page.yaml", overrides: true });
    expect(await answerOf(daemon.send("DELETE", "/local/v1/plans/car"))).toMatchObject([200, {}]);
    expect(await askJson(daemon, "plans")).toMatchObject({ plans: [{ id: "heater" }] });
    expect(await answerOf(daemon.send("DELETE", "/local/v1/plans/car/configuration"))).toMatchObject([200, {}]);
    expect(await askJson(daemon, "plans/car/configuration")).toMatchObject({ source: "elbro.yaml", overrides: false });
    const changed = { ...heater, cheap_below: "50%" };
    expect(await answerOf(daemon.send("PUT", "/local/v1/plans/heater", changed))).toMatchObject([200, {}]);
    expect(await askJson(daemon, "plans/heater/configuration")).toMatchObject({ entry: { cheap_below: "50%" } });
    expect(await answerOf(daemon.send("DELETE", "/local/v1/plans/heater"))).toMatchObject([200, {}]);
    expect(await askJson(daemon, "plans")).toMatchObject({ plans: [{ id: "car" }] });
  });

  test("a plan that is saved over HTTP is rejected with path, expected and actual value if it is invalid", async () => {
    await using daemon = await started();
    const before = textOf(daemon);
    const [status, body] = await answerOf(daemon.post("/local/v1/plans", { ...heater, cheap_below: "120%", hurs: 2 }));
    expect([status, body]).toMatchObject([
      400,
      {
        errorCode: "invalid_parameter",
        mistakes: [
          { path: "hurs", text: expect.stringContaining("is not a key of the configuration") },
          { path: "cheap_below", text: expect.stringContaining('a percentage such as "30%"') },
        ],
      },
    ]);
    for (const bad of ["[]", "7", "null", '"x"', "{}"])
      expect((await daemon.post("/local/v1/plans", bad)).status, bad).toBe(400);
    expect((await daemon.send("PUT", "/local/v1/plans/car", "null")).status).toBe(400);
    expect((await daemon.send("PUT", "/local/v1/plans/car", { ...heater, id: "other" })).status).toBe(400);
    expect((await daemon.send("PUT", "/local/v1/plans/none", heater)).status).toBe(404);
    expect((await daemon.post("/local/v1/plans", { ...heater, name: "Car" })).status).toBe(409);
    expect(textOf(daemon)).toBe(before);
    writeFileSync(path.join(daemon.dir.path, "elbro.yaml"), "plans: [");
    const [broken, why] = await answerOf(daemon.post("/local/v1/plans", heater));
    expect([broken, why.reason]).toEqual([409, expect.stringContaining("already has a mistake")]);
  });

  test("a plan that is saved over HTTP can be previewed with current prices before it is saved", async () => {
    await using daemon = await started();
    await daemon.untilPriced();
    const plan = { name: "Washer", home: "home", kind: "window", hours: 2, kwh: 2, from: "12:00", ready_by: "20:00" };
    const [status, seen] = await answerOf(daemon.post("/local/v1/plan-preview", plan));
    expect([status, seen]).toMatchObject([
      200,
      { state: "scheduled", runs: [{ basis: "prices" }], cost: expect.any(Number) },
    ]);
    expect(await askJson(daemon, "plans")).toMatchObject({ plans: [{ id: "car" }] });
    const [wrong] = await answerOf(daemon.post("/local/v1/plan-preview", { ...plan, hours: 20 }));
    expect(wrong).toBe(400);
  });
});

describe("a plug", () => {
  const FREEZER = `plans:
  - { name: Freezer, home: home, kind: avoid, hours: 1 }
plugs:
  - { name: Freezer plug, family: tasmota, topic: freezer, plan: freezer }
  - { name: Lamp, family: tasmota, topic: heater, signal_topic: house/lamp }
`;

  test("a plug is tested for 10 s, unless it has to stay ON", async () => {
    await using daemon = await started(FREEZER);
    await daemon.untilPriced();
    await using plug = new MqttPlug("tasmota", { now: () => daemon.clock.now(), on: false, powerOn: "last" });
    await plug.connect(daemon.brokerPort);
    await daemon.clock.runUntil(daemon.clock.now() + MINUTE_MS);
    await expect.poll(async () => (await answerOf(daemon.post("/local/v1/plugs/lamp/test", {})))[0]).toBe(200);
    await expect.poll(() => plug.device.on).toBe(true);
    await daemon.clock.runUntil(daemon.clock.now() + 11 * SECOND_MS);
    await expect.poll(() => plug.device.on).toBe(false);
    const [status, { reason }] = await answerOf(daemon.post("/local/v1/plugs/freezer_plug/test", {}));
    expect([status, reason]).toEqual([409, expect.stringContaining("its when_lost is on")]);
    expect((await daemon.post("/local/v1/plugs/none/test", {})).status).toBe(404);
  });

  test("that announces itself is listed with the limits of its timer", async () => {
    await using daemon = await started(FREEZER);
    const { watcher } = daemon;
    const tasmota = {
      dn: "Tasmota",
      fn: ["Lamp"],
      md: "Plug",
      t: "heater",
      ft: "%prefix%/%topic%/",
      tp: ["cmnd", "stat", "tele"],
      rl: [1, 0],
    };
    await watcher.publish("tasmota/discovery/4F2100000000/config", JSON.stringify(tasmota), { retain: true });
    await watcher.publish("shellyplus2pm-a8032ab12345/online", "true", { retain: true });
    const expose = { type: "switch", features: [{ name: "state", property: "state" }] };
    const zigbee = { friendly_name: "Fan", definition: { vendor: "IKEA", model: "E1603", exposes: [expose] } };
    await watcher.publish("zigbee2mqtt/bridge/devices", JSON.stringify([{ friendly_name: "Coordinator" }, zigbee]), {
      retain: true,
    });
    const { plugs } = (await (await daemon.post("/local/v1/announced-plugs", {})).json()) as { plugs: unknown };
    expect(plugs).toMatchObject([
      {
        name: "Fan",
        model: "IKEA E1603",
        timer: { on: { least_seconds: 1 }, off: null, sure: false },
        configured: null,
      },
      { name: "Lamp", timer: { on: { least_seconds: 12 }, sure: true }, configured: "lamp" },
      { name: "shellyplus2pm-a8032ab12345", entry: { family: "shelly_gen2", topic: "shellyplus2pm-a8032ab12345" } },
      { name: "shellyplus2pm-a8032ab12345 1", entry: { channel: "1" } },
    ]);
  });
});

test("switches of Home Assistant are listed with an entry for each, or with the reason why not", async () => {
  await using homeAssistant = await EmulatedHomeAssistant.start();
  homeAssistant.show("switch.washer", "off", { friendly_name: "Washer" });
  homeAssistant.show("switch.dryer", "off");
  const connection = `home_assistant: { url: "${homeAssistant.url}", token: ${homeAssistant.token} }`;
  const dryer = "{ name: Dryer plug, family: homeassistant, entity: switch.dryer, plan: car }";
  await using daemon = await started(`${HOUSE.replace("plugs: []", `plugs: [${dryer}]`)}${connection}\n`);
  const entry = { family: "homeassistant" };
  expect(await askJson(daemon, "home-assistant-entities")).toEqual({
    state: "works",
    detail: null,
    entities: [
      {
        ...{ entity: "switch.dryer", name: "switch.dryer", area: null, configured: "dryer_plug" },
        entry: { ...entry, name: "switch.dryer", entity: "switch.dryer" },
      },
      {
        ...{ entity: "switch.washer", name: "Washer", area: null, configured: null },
        entry: { ...entry, name: "Washer", entity: "switch.washer" },
      },
    ],
  });
  await homeAssistant.down();
  expect(await askJson(daemon, "home-assistant-entities")).toMatchObject({
    state: "fails",
    detail: expect.stringContaining("ECONNREFUSED"),
    entities: [],
  });
});

test("changed homes and levels apply without a restart", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] } });
  await daemon.untilPriced();
  const level = async () =>
    ((await (await daemon.request("/local/v1/now")).json()) as { homes: { level: string }[] }).homes;
  const strict = { very_cheap: 0.01, cheap: 0.02, normal: 0.03, expensive: 0.04 };
  await daemon.reload({ levels: strict });
  expect(await level()).toMatchObject([{ level: "very_expensive" }]);
  const { data: addresses } = (await (await daemon.request("/consumer/v1/me/addresses")).json()) as {
    data: { id: string }[];
  };
  const homes = [{ address_id: addresses[0]?.id ?? "", id: "villa" }];
  await daemon.reload({ homes });
  const { watcher } = daemon;
  await watcher.until(() => watcher.payload("elbro/villa/price") !== null, "the new name");
  await watcher.until(() => watcher.payload("elbro/home/price") === null, "the end of the old");
});
