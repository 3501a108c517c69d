import { expect, test } from "vitest";
import { endpoints } from "../../../src/api/endpoints.ts";
import type { PageState } from "../../../src/api/settings/history.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const START = Date.parse("2026-03-10T14:20:00Z");
const YAML = "plans:\n  - { name: Washer, home: home, kind: window, hours: 3, from: '20:00', ready_by: '06:00' }\n";
/** Operations whose changes are states of page.yaml. */
const IN_PAGE_YAML = `saveSetting resetSetting restoreState createPlug savePlan deletePlan resetPlan savePlug deletePlug
  resetPlug releaseSetAside`;
/** Operations that change nothing that lasts, and the links of the calendar. */
const WITHOUT_A_LINE = `testConnection testNotification runChecks listAnnouncedPlugs testPlug previewPlan createCalendar
  revokeCalendar`;
/** Needs a home whose address is gone; see moved-home.test.ts. */
const ELSEWHERE = "endFormerHome";

type Request = readonly [method: string, path: string, body: object | undefined, line: object];

const REQUESTS: Readonly<Record<string, readonly Request[]>> = {
  planOnce: [
    ["POST", "plans", { once: true, plan: "washer", hours: 1, within: 8 }, { path: "plans.washer_once", before: null }],
  ],
  changePlan: [
    ["POST", "plans/washer", { hours: 2 }, { path: "plans.washer.hours", before: 3, after: 2 }],
    ["POST", "plans/washer", { command: "skip" }, { path: "plans.washer.command", before: null, after: "skip" }],
  ],
  setHoliday: [
    ["POST", "away/home", { away: "off" }, { path: "away.home", before: null, after: "off" }],
    ["POST", "away/home", { away: null }, { path: "away.home", before: "off", after: null }],
  ],
  createKey: [["POST", "keys", { name: "phone" }, { path: "keys.phone", after: { name: "phone", scopes: ["read"] } }]],
  revokeKey: [["DELETE", "keys/phone", undefined, { path: "keys.phone", after: null }]],
};

async function started(): Promise<TestDaemon> {
  const daemon = await TestDaemon.start({ start: START, simulator: { homes: ["danish"] }, yaml: YAML });
  await daemon.untilPriced();
  return daemon;
}

const statesOf = async (daemon: TestDaemon) =>
  ((await (await daemon.request("/local/v1/history")).json()) as { readonly states: readonly PageState[] }).states;

test("every operation that changes something leaves a line in the history, with who did it", async () => {
  const known = [IN_PAGE_YAML, WITHOUT_A_LINE, ELSEWHERE].flatMap((names) => names.split(/\s+/));
  const changing = endpoints.filter(({ method }) => method !== "GET").map(({ operationId }) => operationId);
  expect([...known, ...Object.keys(REQUESTS)].sort()).toEqual(changing.sort());
  await using daemon = await started();
  for (const [method, path, body, line] of Object.values(REQUESTS).flat()) {
    const answer = await daemon.send(method, `/local/v1/${path}`, body);
    expect([method, path, answer.ok ? "" : await answer.text()]).toEqual([method, path, ""]);
    const by = expect.any(String);
    expect(await statesOf(daemon)).toContainEqual(
      expect.objectContaining({ id: null, by, differences: [expect.objectContaining(line)] }),
    );
    await daemon.clock.runUntil(daemon.clock.now() + 1_000);
  }
  expect(JSON.stringify(await statesOf(daemon))).not.toMatch(/elbro_/);
});

test("commands over MQTT are in the history; of the same one again and again, only the last", async () => {
  await using daemon = await started();
  const line = (path: string, after: unknown) =>
    expect.objectContaining({ by: "MQTT", differences: [expect.objectContaining({ path, after })] });
  for (const [topic, payload, path, after] of [
    ["plan/washer/hours", "2", "plans.washer.hours", 2],
    ["plan/washer/hours", "1", "plans.washer.hours", 1],
    ["plan/washer/reset_settings", "", "plans.washer.hours", 3],
    ["plan/washer/skip", "PRESS", "plans.washer.command", "skip"],
    ["away", "2026-04-01/2026-04-03", "away.home", "2026-04-01/2026-04-03"],
  ] as const) {
    await daemon.watcher.publish(`elbro/home/${topic}/set`, payload);
    await expect.poll(() => statesOf(daemon)).toContainEqual(line(path, after));
  }
  await daemon.watcher.publish("elbro/home/once/set", '{"hours": 1, "within": 8, "name": "Sauna"}');
  await expect.poll(async () => (await statesOf(daemon)).map((state) => state.by)).toEqual(Array(4).fill("MQTT"));
});
