import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { assertDiscovery } from "../../support/home/discovery-validator.ts";
import { payloadOf, planEntry, untilPlan, untilSignal } from "../../support/plans/plan-topics.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const EVENING = Date.parse("2026-03-10T17:00:00Z");
const MORNING = Date.parse("2026-03-11T06:00:00Z");
const night = { from: "18:00", ready_by: "07:00", group: "house" } as const;
const { plans, groups } = configSchema.parse({
  groups: [{ name: "house", limit_kw: 11 }],
  plans: [
    planEntry({ ...night, name: "Car", kind: "slots", kwh: 33, kw: 7.4, priority: 1 }),
    planEntry({ ...night, name: "Heater", kind: "slots", hours: 4, kw: 3, min_run: "30m" }),
    planEntry({ ...night, name: "Dryer", kind: "window", hours: 2, kwh: 5 }),
  ],
});
const kilowatts: Readonly<Record<string, number>> = { car: 7.4, heater: 3, dryer: 2.5 };

function start(dir: TempDir): Promise<TestDaemon> {
  return TestDaemon.start({
    start: EVENING - 8 * HOUR_MS,
    dir,
    simulator: { homes: ["danish"] },
    config: { plans, groups },
  });
}

test("during a night with a restart every plan of a group gets its hours, within the group's limit", async () => {
  using dir = new TempDir();
  await using daemon = await start(dir);
  const { clock } = daemon;
  await clock.runUntil(EVENING);
  // On a busy machine the prices of tomorrow may arrive later than the simulated evening.
  await daemon.untilTomorrow();
  for (const id of Object.keys(kilowatts)) await untilPlan(daemon, ({ state }) => state === "scheduled", id, id);
  const runsOf = (id: string) => payloadOf(daemon, id).runs.map(({ start, end }) => [start, end]);
  const before = Object.keys(kilowatts).map(runsOf);
  await daemon.restart();
  await clock.settle();
  for (const id of Object.keys(kilowatts)) await untilPlan(daemon, ({ state }) => state === "scheduled", id, id);
  expect(Object.keys(kilowatts).map(runsOf)).toEqual(before);
  const [carStart = ""] = before[0]?.[0] ?? [];
  await clock.runUntil(Date.parse(carStart));
  await untilSignal(daemon, "ON", "car");
  await clock.runUntil(MORNING - MINUTE_MS);
  for (const [id, hours] of [
    ["car", 4.5],
    ["heater", 4],
    ["dryer", 2],
  ] as const)
    await untilPlan(daemon, ({ state, month }) => state === "done" && month.hours === hours, `${hours} h`, id);
  const begun = Object.entries(kilowatts).flatMap(([id, kw]) =>
    payloadOf(daemon, id).runs.map((run) => ({ from: Date.parse(run.start), to: Date.parse(run.end), kw })),
  );
  const drawn = begun.map(({ from }) =>
    begun.reduce((sum, run) => sum + (run.from <= from && from < run.to ? run.kw : 0), 0),
  );
  expect(Math.max(...drawn)).toBeLessThanOrEqual(11);
  expect(Math.max(...drawn)).toBeGreaterThan(7.4);
  assertDiscovery(daemon.watcher.topics().map((topic) => ({ topic, payload: daemon.watcher.payload(topic) ?? "" })));
});
