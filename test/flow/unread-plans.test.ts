import { expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../src/core/time/interval.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { askJson, startLocalApi } from "../support/http/local-api.ts";
import { planEntry, untilPlan } from "../support/plans/plan-topics.ts";

const NOON = Date.parse("2026-03-10T11:00:00Z");
const plans = [
  planEntry({ kind: "window", hours: 2, from: "20:00", ready_by: "07:00", kwh: 1.2 }),
  planEntry({ name: "Heater", kind: "slots", hours: 3, max_gap: 10, group: "house", kw: 3 }),
  planEntry({ name: "Car", kind: "slots", hours: 3, from: "17:00", ready_by: "07:00", group: "house", kw: 7 }),
  planEntry({ name: "Floor", kind: "below", cheap_below: "35%" }),
  planEntry({ name: "Freezer", kind: "avoid", hours: 4, max_gap: 2 }),
];

/** Reads all that a page, a command line and a monitor read. */
async function readAll(daemon: TestDaemon): Promise<void> {
  for (const path of ["plans", "plans/car", "now", "results", "prices?home=home"])
    await daemon.request(`/local/v1/${path}`);
  await daemon.request("/metrics");
  const draft = {
    name: "Other",
    home: "home",
    kind: "slots",
    hours: 2,
    group: "house",
    kw: 7,
    from: "17:00",
    ready_by: "07:00",
  };
  expect((await daemon.post("/local/v1/plan-preview", draft)).status).toBe(200);
}

/** Lives through a day. Returns the runs and reasons of all plans at its end. */
async function dayOf(read: (daemon: TestDaemon) => Promise<void>): Promise<unknown> {
  await using daemon = await startLocalApi({
    start: NOON,
    config: { plans, groups: [{ name: "house", limit_kw: 8 }] },
  });
  for (let now = NOON + 20 * MINUTE_MS; now <= NOON + 22 * HOUR_MS; now += 40 * MINUTE_MS) {
    await daemon.clock.runUntil(now);
    await read(daemon);
  }
  await daemon.clock.runUntil(NOON + 22 * HOUR_MS);
  await untilPlan(daemon, ({ month }) => month.runs === 1, "the run of the night");
  const { plans: decided } = await askJson(daemon, "plans");
  return decided;
}

test("a daemon whose plans nobody reads decides as one that is read all the time", async () => {
  const unread = await dayOf(() => Promise.resolve());
  expect(unread).toHaveLength(plans.length);
  expect(await dayOf(readAll)).toEqual(unread);
});
