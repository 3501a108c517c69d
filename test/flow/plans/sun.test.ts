import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { startLocalApi } from "../../support/http/local-api.ts";
import { command, isOn, isoOf, planEntry, untilPlan, untilSignal } from "../../support/plans/plan-topics.ts";

/** 14:00 local time, when tomorrow's prices are known. */
const AFTERNOON = Date.parse("2026-06-20T12:00:00Z");
/** The same spot price in every hour, so that only tariffs and the sun make a difference. */
const hours = Array.from({ length: 40 * 24 }, (_, i) => AFTERNOON - 30 * DAY_MS + i * HOUR_MS);
const csv = ["start_utc,minutes,dkk_per_mwh", ...hours.map((at) => `${isoOf(at)},60,500`)].join("\n");
const plans = [planEntry({ kind: "window", hours: 2, kwh: 2, from: "16:00", ready_by: "15:30" })];

test("with `sun` a plan moves from the night into the hours in which the roof usually has something left", async () => {
  await using daemon = await startLocalApi({ start: AFTERNOON, simulator: { prices: { csv } }, config: { plans } });
  const { clock } = daemon;
  await clock.runUntil(AFTERNOON + 2 * HOUR_MS + MINUTE_MS);
  const night = await untilPlan(daemon, ({ next_start: at }) => at !== null, "a plan");
  expect(Date.parse(night.next_start ?? "")).toBeLessThan(Date.parse("2026-06-21T04:00:00Z"));
  expect(night.reason).not.toContain("roof");

  await command(daemon, "sun", "ON");
  const sunny = await untilPlan(daemon, ({ settings }) => settings.sun?.value === true, "a plan with the sun");
  expect(sunny.reason).toMatch(/DKK\/kWh from 16:00, (1\.[5-9]|2\.0) kWh probably from the roof$/);
  const start = Date.parse(sunny.next_start ?? "");
  expect(start).toBeGreaterThanOrEqual(Date.parse("2026-06-21T08:00:00Z"));
  expect(isOn(daemon)).toBe(false);
  await clock.runUntil(start + MINUTE_MS);
  await untilSignal(daemon, "ON");
});
