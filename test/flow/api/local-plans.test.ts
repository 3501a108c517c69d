import { describe, expect, test } from "vitest";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import type { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { askJson, askText, startLocalApi, thirdPartyWith } from "../../support/http/local-api.ts";
import { command, planEntry, untilPlan } from "../../support/plans/plan-topics.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const EVENING = Date.parse("2026-03-10T17:00:00Z");
const washer = planEntry({ kind: "window", hours: 3, from: "20:00", ready_by: "07:00", kwh: 1.2 });

async function planned(scopes?: ("read" | "control")[], dir?: TempDir): Promise<TestDaemon> {
  const daemon = await startLocalApi({
    start: MORNING,
    config: { plans: [washer] },
    ...(scopes ? { scopes } : {}),
    ...(dir ? { dir } : {}),
  });
  await daemon.clock.runUntil(EVENING);
  await untilPlan(daemon, ({ state }) => state === "scheduled", "the plan");
  return daemon;
}

describe("plans", () => {
  test("equal their published state; a single one has its history", async () => {
    await using daemon = await planned();
    const draft = { name: "Garage", kind: "window", hours: 2, home: "garage" };
    const unknown = await daemon.post("/local/v1/plan-preview", draft);
    expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining("expected the id of a home")]);
    const { plans } = (await askJson(daemon, "plans")) as { plans: Record<string, unknown>[] };
    expect(plans).toMatchObject([{ id: "washer", name: "Washer", home: "home", kind: "window", on: false, kwh: 1.2 }]);
    await untilPlan(daemon, ({ reason }) => reason === plans[0]?.reason, "the published plan");
    expect(plans[0]).toMatchObject(daemon.watcher.json("elbro/home/plan/washer/state"));
    await daemon.clock.runUntil(EVENING + 24 * HOUR_MS);
    const plan = await askJson(daemon, "plans/washer");
    expect(plan).toMatchObject({
      history: {
        runs: [{ basis: "prices", cost: expect.any(Number), against_window_start: expect.any(Number) }],
        months: [{ start: "2026-02-28T23:00:00Z", runs: 1, hours: 3 }],
      },
    });
  });

  test("plans are changed as by MQTT, keep the change across a restart, and are reset by null", async () => {
    using dir = new TempDir();
    await using daemon = await planned(["control"], dir);
    const changed = await daemon.post("/local/v1/plans/washer", { hours: 2, ready_by: "06:00", max_price: 5 });
    expect([changed.status, await changed.json()]).toMatchObject([
      200,
      {
        settings: {
          hours: { value: 2, changed: true, file: 3 },
          ready_by: { value: "06:00", changed: true, file: "07:00" },
          max_price: { value: 5, changed: true, file: null },
          from: { value: "20:00", changed: false, file: "20:00" },
        },
      },
    ]);
    await untilPlan(daemon, ({ settings }) => settings.hours?.value === 2, "the change on MQTT");
    await command(daemon, "hours", "1");
    expect(await askJson(daemon, "plans/washer")).toMatchObject({ settings: { hours: { value: 1 } } });
    await daemon.restart();
    await daemon.clock.settle();
    expect(await askJson(daemon, "plans/washer")).toMatchObject({
      settings: { hours: { value: 1, changed: true }, max_price: { value: 5 } },
    });
    const back = await daemon.post("/local/v1/plans/washer", { hours: null, ready_by: null, max_price: null });
    expect(Object.values(((await back.json()) as { settings: Record<string, { changed: boolean }> }).settings)).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ changed: true })]),
    );
  });

  test("apply several settings together or not at all", async () => {
    await using daemon = await planned();
    const both = await daemon.post("/local/v1/plans/washer", { from: "00:00", ready_by: "02:00", hours: 2 });
    expect(both.status).toBe(200);
    const refused = await daemon.post("/local/v1/plans/washer", { max_price: 2, hours: 3 });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      {
        errorCode: "invalid_parameter",
        refusal: "hours_too_long",
        reason: "hours: expected at most the 2 h between from and ready_by, found 3 h",
      },
    ]);
    expect(await askJson(daemon, "plans/washer")).toMatchObject({ settings: { max_price: { value: null } } });
  });

  test("execute run_now, stop and skip, or respond 409 with the reason", async () => {
    await using daemon = await planned();
    expect(
      (await (await daemon.post("/local/v1/plans/washer", { command: "run_now" })).json()) as object,
    ).toMatchObject({ on: true, code: "running_by_hand" });
    expect(await askText(daemon, "signal/washer")).toEqual([200, "ON", expect.stringContaining("started manually")]);
    const twice = await daemon.post("/local/v1/plans/washer", { command: "run_now" });
    expect([twice.status, await twice.json()]).toMatchObject([
      409,
      { errorCode: "conflict", refusal: "running", reason: "the plan is already running" },
    ]);
    expect(await (await daemon.post("/local/v1/plans/washer", { command: "stop" })).json()).toMatchObject({
      on: false,
    });
    // A run that started before the window opens is not part of its round, which stays planned.
    expect(await askText(daemon, "signal/washer?code=1")).toEqual([400, "OFF", expect.stringContaining("on average")]);
  });

  test("for one time are planned immediately, published, and deleted afterwards", async () => {
    await using daemon = await planned(["control", "read"]);
    const asked = await daemon.post("/local/v1/plans", { once: true, plan: "washer", hours: 2, within: 8 });
    expect([asked.status, await asked.json()]).toMatchObject([
      200,
      { id: "washer_once", name: "Washer once", state: "scheduled", settings: { hours: { value: 2 } } },
    ]);
    const plan = await untilPlan(daemon, ({ state }) => state === "scheduled", "the plan on MQTT", "washer_once");
    expect(Date.parse(plan.next_end ?? "")).toBeLessThanOrEqual(EVENING + 8 * HOUR_MS);
    const refused = await daemon.post("/local/v1/plans", { once: true, home: "home", hours: 9, within: 8 });
    expect([refused.status, await refused.json()]).toMatchObject([400, { errorCode: "invalid_parameter" }]);
    expect((await daemon.post("/local/v1/plans", { hours: 2 })).status).toBe(400);
    await daemon.watcher.publish("elbro/home/once/set", '{"name": "Dryer", "hours": 1, "within": 2}');
    await untilPlan(daemon, ({ state }) => state === "scheduled", "the plan by MQTT", "dryer");
    await daemon.clock.runUntil(EVENING + 8 * HOUR_MS);
    await daemon.watcher.until(() => !daemon.watcher.payload("elbro/home/plan/washer_once/state"), "it is withdrawn");
    const { plans } = (await askJson(daemon, "plans")) as { plans: { id: string }[] };
    expect(plans.map(({ id }) => id)).toEqual(["washer"]);
  });

  test("reject invalid requests with a reason and change nothing", async () => {
    await using daemon = await planned();
    for (const [body, status, words] of [
      ["[]", 400, "expected an object with hours"],
      ["{}", 400, "found nothing in it"],
      [{ hours: [3] }, 400, "hours: expected a number"],
      [{ color: "red" }, 400, "color is not a setting"],
      [{ command: "explode" }, 400, "command: expected one of run_now, skip, stop"],
      [{ command: "stop", hours: 2 }, 400, "command: expected without settings"],
      [{ hours: "lots" }, 400, "hours: expected hours above 0"],
      ["{", 400, "not JSON"],
      ["", 400, "expected an object"],
    ] as const) {
      const answer = await daemon.post("/local/v1/plans/washer", body);
      expect([body, answer.status, await answer.json()]).toMatchObject([
        body,
        status,
        { reason: expect.stringContaining(words) },
      ]);
    }
    for (const [settings, words] of [
      [{ when_short: "sometimes" }, "when_short: expected one of partial, nothing"],
      [{ kind: "always" }, "kind: expected one of window, slots, below, avoid"],
      [{ hours: "lots" }, "hours: expected hours above 0"],
      [{ prise: "export" }, "prise: is not a setting of a plan"],
    ] as const) {
      const answer = await daemon.post("/local/v1/plans", { once: true, home: "home", hours: 2, ...settings });
      expect([settings, answer.status, await answer.json()]).toMatchObject([
        settings,
        400,
        { reason: expect.stringContaining(words) },
      ]);
    }
    expect((await daemon.post("/local/v1/plans/dryer", { hours: 2 })).status).toBe(404);
    const { settings } = await askJson(daemon, "plans/washer");
    expect(Object.values(settings as object).some(({ changed }) => changed)).toBe(false);
  });
});

describe("the signal of a plan", () => {
  test("the signal of a plan changes at the boundary: 200 for ON, 400 for OFF with code=1; JSON contains the reason", async () => {
    await using daemon = await planned();
    const { next_start } = (await askJson(daemon, "signal/washer?format=json")) as { next_start: string };
    expect(await askText(daemon, "signal/washer?code=1")).toMatchObject([400, "OFF", expect.any(String)]);
    expect(await askText(daemon, "signal/washer")).toMatchObject([200, "OFF", expect.any(String)]);
    await daemon.clock.runUntil(Date.parse(next_start));
    expect(await askText(daemon, "signal/washer?code=1")).toMatchObject([200, "ON", expect.any(String)]);
    expect(await askJson(daemon, "signal/washer")).toMatchObject({ on: true, state: "running" });
    await daemon.clock.runUntil(Date.parse(next_start) + 3 * HOUR_MS);
    expect(await askText(daemon, "signal/washer?code=1")).toMatchObject([400, "OFF", expect.any(String)]);
  });

  test("the signal of a plan is OFF with 503 without prices", async () => {
    await using daemon = await startLocalApi({ start: MORNING, config: { plans: [washer] } });
    await daemon.clock.runUntil(MORNING + HOUR_MS);
    daemon.simulator.setFaults([{ operation: "*", fault: "status", status: 502 }]);
    await daemon.clock.runUntil(Date.parse("2026-03-12T22:00:00Z"));
    expect(await askText(daemon, "signal/washer?code=1")).toEqual([503, "OFF", expect.stringContaining("no prices")]);
  });
});

test("third-party places support now, prices, cheap and formats", async () => {
  await using daemon = await startLocalApi({
    start: MORNING,
    config: thirdPartyWith([
      { name: "Region", region: "DK1" },
      { name: "Cabin", latitude: 56.1, longitude: 10.2 },
    ]),
  });
  await daemon.clock.runUntil(EVENING);
  const { homes } = (await askJson(daemon, "now")) as { homes: Record<string, unknown>[] };
  expect(homes.map(({ id, kind }) => [id, kind])).toEqual([
    ["home", "home"],
    ["region", "place"],
    ["cabin", "place"],
  ]);
  expect(homes[2]).toMatchObject({ currency: "DKK", vat_included: null, color: expect.any(String) });
  const { price, spot, charges } = homes[2] as Record<string, number>;
  expect(price).toBeCloseTo(Number(spot) + Number(charges), 6);
  expect(String(price)).toBe(daemon.watcher.payload("elbro/cabin/price"));
  const { prices } = (await askJson(daemon, "prices?home=cabin")) as { prices: { start: string }[] };
  expect(prices.length).toBeGreaterThan(24);
  await askJson(daemon, "formats/evcc?home=cabin");
  expect(await askText(daemon, "cheap?hours=3&ready_by=07:00")).toEqual([
    400,
    "OFF",
    "home: expected one of home, region, cabin, found nothing",
  ]);
  const asked = await askJson(daemon, "cheap?home=cabin&hours=3&ready_by=07:00");
  const { start } = (asked.runs as { start: string }[])[0] ?? { start: "" };
  await daemon.clock.runUntil(Date.parse(start));
  expect(await askText(daemon, "cheap?home=cabin&hours=3&ready_by=07:00")).toMatchObject([
    200,
    "ON",
    expect.any(String),
  ]);
});
