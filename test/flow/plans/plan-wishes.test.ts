import { expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { askJson, startLocalApi, thirdPartyWith } from "../../support/http/local-api.ts";
import { command, isOn, isoOf, payloadOf, planEntry, untilPlan } from "../../support/plans/plan-topics.ts";

/** 18:00 local time; tomorrow's prices are known. */
const EVENING = Date.parse("2026-03-10T17:00:00Z");
const plans = [
  planEntry({ name: "Washer", kind: "window", hours: 2, from: "17:00", ready_by: "07:00", min_saving: 20 }),
  planEntry({
    ...{ name: "Car", kind: "slots", kw: 10, from: "17:00", ready_by: "07:00" },
    soc: { topic: "car/soc", capacity_kwh: 50, target: 80, minimum: 30 },
  }),
  planEntry({ name: "Tank", kind: "slots", hours: 3, within: "7d" }),
  planEntry({ name: "Pump", kind: "slots", hours: 2, up_to: 4, cheap_below: "30%" }),
  planEntry({ name: "Floor", kind: "below", cheap_below: "20%" }),
  planEntry({ name: "Office", home: "region", kind: "below", cheap_below: "40%" }),
];

test("plans follow least saving, charge, several days, a place and holidays, and their settings change at run time", async () => {
  await using daemon = await startLocalApi({
    start: EVENING,
    config: { plans, ...thirdPartyWith([{ name: "Region", region: "DK1" }]) },
  });
  const { clock, watcher } = daemon;
  await clock.runUntil(EVENING + MINUTE_MS);

  const little = await untilPlan(daemon, ({ code }) => code === "waiting_for_saving", "too little saving");
  expect(little.reason).toMatch(
    /^\d\.\d\d DKK\/kWh instead of \d\.\d\d DKK\/kWh from (17|18):00 saves less than the wanted 20/,
  );
  await command(daemon, "min_saving", "0");
  await untilPlan(daemon, ({ state }) => state === "scheduled" || state === "running", "a plan without least saving");

  await watcher.publish("car/soc", "20");
  const charging = await untilPlan(daemon, ({ code }) => code === "running_at_once", "a charge at once", "car");
  expect(charging.runs[0]).toMatchObject({ basis: "at_once", begun: true });
  expect(isOn(daemon, "car")).toBe(true);
  await command(daemon, "soc_minimum", "20", "car");
  await watcher.publish("car/soc", "80");
  await untilPlan(daemon, ({ state }) => state === "done", "a full battery", "car");

  const tank = await untilPlan(daemon, ({ state }) => state === "scheduled", "a weekly plan", "tank");
  expect(Date.parse(tank.next_start ?? tank.likely_start ?? "")).toBeGreaterThan(EVENING);

  const settings = { up_to: "5", cheap_below: "0.5", tolerance: "7", days: "tue,wed" };
  for (const [name, value] of Object.entries(settings)) await command(daemon, name, value, "pump");
  await command(daemon, "percent", "60", "floor");
  await untilPlan(daemon, (plan) => plan.settings.days?.value === "tue,wed", "changed settings", "pump");
  expect(payloadOf(daemon, "pump").settings).toMatchObject({
    ...{ up_to: { value: 5, changed: true }, cheap_below: { value: 0.5 }, tolerance: { value: 7 } },
  });
  await untilPlan(daemon, (plan) => plan.settings.percent?.value === 60, "another percentage", "floor");

  await watcher.until(() => watcher.payload("elbro/region/plan/office") !== null, "the plan of a place");
  await clock.runUntil(EVENING + HOUR_MS);
  const office = () => watcher.json("elbro/region/plan/office/state") as { state: string; runs: unknown[] };
  await watcher.until(() => office().runs.length > 0, "the hours of a place");

  await watcher.publish("elbro/home/away/set", "2026-03-10/2026-03-20T12:00");
  await untilPlan(daemon, ({ code }) => code === "away", "a holiday", "floor");
  expect(watcher.json("elbro/home/away")).toEqual({ from: "2026-03-10", until: "2026-03-20T12:00" });
  expect(office().state).not.toBe("skipped");
  const over = await daemon.post("/local/v1/plans/floor", { away: "off" });
  expect(over.status).toBe(200);
  expect(await over.json()).toMatchObject({ state: "skipped", settings: { away: { value: null } } });
  await watcher.until(
    () => (watcher.json("elbro/home/state") as { away: unknown }).away === "2026-03-10/2026-03-20T12:00",
    "the text field of the home",
  );
  await watcher.publish("elbro/home/away/set", "");
  await untilPlan(daemon, ({ code }) => code !== "away", "home again", "floor");
  const home = { home: "home", from: "2026-03-10T17:00", until: "2026-03-14" };
  const set = await daemon.post("/local/v1/away/home", { away: { from: home.from, until: home.until } });
  expect(await set.json()).toMatchObject({ homes: [home, { home: "region", from: null, until: null }] });
  await untilPlan(daemon, ({ code }) => code === "away", "a holiday over HTTP", "floor");
  for (const [path, away, status] of [
    ["home", "tomorrow", 400],
    ["home", { from: "2026-03-14" }, 400],
    ["nowhere", "off", 404],
  ] as const)
    expect((await daemon.post(`/local/v1/away/${path}`, { away })).status).toBe(status);
  expect((await askJson(daemon, "away")).homes).toContainEqual(home);
  await daemon.post("/local/v1/away/home", { away: "off" });
  const away = { from: isoOf(EVENING).slice(0, 10), until: "2026-03-12" };
  const gone = await daemon.post("/local/v1/plans/floor", { away });
  expect(await gone.json()).toMatchObject({ code: "away", settings: { away: { value: "2026-03-10/2026-03-12" } } });
});
