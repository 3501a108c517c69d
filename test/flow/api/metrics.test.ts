import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { metricRows } from "../../../src/api/monitoring/metrics.ts";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { copiedText } from "../../support/docs/copied-files.ts";
import { planEntry } from "../../support/plans/plan-topics.ts";
import { type ReadMetric, readMetrics } from "../../support/prometheus/metrics-parser.ts";
import { lacks } from "../../support/runner/needs.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const { plugs } = configSchema.parse({
  plugs: [{ name: "Boiler", family: "tasmota", topic: "boiler", signal: "cheap", home: "home" }],
});
const config = {
  history: { months: 1 },
  plugs,
  plans: [planEntry({ kind: "window", hours: 2, from: "10:00", ready_by: "20:00", kwh: 2 })],
};

async function scrape(it: TestDaemon): Promise<ReadMetric[]> {
  const answer = await it.request("/metrics");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  return readMetrics(await answer.text());
}

function figure(metrics: readonly ReadMetric[], name: string, labels: Record<string, string> = {}): number | undefined {
  const samples = metrics.find((metric) => metric.name === name)?.samples ?? [];
  return samples.find((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))?.value;
}

const sumOf = (metrics: readonly ReadMetric[], name: string) =>
  metrics.find((metric) => metric.name === name)?.samples.reduce((sum, { value }) => sum + value, 0);

test("hourly metrics of a day equal the home's state, and their number stays constant", async () => {
  await using it = await TestDaemon.start({ start: MORNING, config });
  await it.clock.runUntil(MORNING + 5 * MINUTE_MS);
  const counts: number[] = [];
  let before: readonly ReadMetric[] = [];
  for (let at = MORNING + HOUR_MS; at <= MORNING + DAY_MS; at += HOUR_MS) {
    await it.clock.runUntil(at + MINUTE_MS);
    const metrics = await scrape(it);
    const price = it.watcher.json("elbro/home/price/state").price;
    await it.watcher.until(
      () =>
        it.watcher.json("elbro/home/price/state").price === figure(metrics, "elbro_price_per_kwh", { home: "home" }),
      `the price ${price}`,
    );
    for (const { name, type, samples } of before.filter((metric) => metric.type === "counter"))
      for (const { labels, value } of samples)
        expect(figure(metrics, name, labels), `${name} ${type}`).toBeGreaterThanOrEqual(value);
    counts.push(metrics.reduce((sum, { samples }) => sum + samples.length, 0));
    before = metrics;
  }
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(12);
  expect(Math.max(...counts)).toBeLessThan(250);
  const metrics = await scrape(it);
  // Labels with a value in the queries of the dashboard, such as `against="mean"`.
  const chosen = [...copiedText("grafana-dashboard.json").matchAll(/(elbro_\w+)\{[^}]*?(\w+)=\\"(\w+)\\"/g)];
  expect(chosen.length).toBeGreaterThan(0);
  for (const [query, name = "", label = "", value = ""] of chosen)
    expect(figure(metrics, name, { [label]: value }), query).toEqual(expect.any(Number));
  const requests = it.simulator.answered().length;
  expect(sumOf(metrics, "elbro_service_requests_total")).toBe(requests);
  const today = sumOf(metrics, "elbro_service_requests_today") ?? 0;
  const limit = figure(metrics, "elbro_service_quota_limit", { window: "day" }) ?? 0;
  expect(figure(metrics, "elbro_service_quota_remaining", { window: "day" })).toBe(limit - today);
  expect(figure(metrics, "elbro_lan_requests_total", { key: "test", status: "200" })).toBe(24);
  expect(figure(metrics, "elbro_mqtt_connected")).toBe(1);
  expect(figure(metrics, "elbro_plan_month_seconds", { plan: "washer" })).toBe(2 * 3_600);
  expect(sumOf(metrics, "elbro_plan_state")).toBe(1);
  expect(figure(metrics, "elbro_plug_wanted", { plug: "boiler" })).toBe(
    figure(metrics, "elbro_cheap", { home: "home" }),
  );
  expect(figure(metrics, "elbro_uptime_seconds")).toBe(DAY_MS / 1_000 + 60);
  expect(figure(metrics, "elbro_prices_known_seconds", { home: "home" })).toBeGreaterThan(12 * 3_600);
  // All documented metrics exist, except those that do not apply to this home.
  const exposed = new Set(metrics.map(({ name }) => name));
  const missing = metricRows.map(({ name }) => name).filter((name) => !exposed.has(name));
  const plugs = ["on", "available", "watts", "month_kwh"].map((name) => `elbro_plug_${name}`);
  const absent = ["elbro_problems", "elbro_plan_next_start_seconds", ...plugs];
  expect(missing.filter((name) => !absent.includes(name) && !name.startsWith("elbro_archive_"))).toEqual([]);
  for (const { name, samples } of metrics) {
    const labels = metricRows.find((row) => row.name === name)?.labels;
    for (const sample of samples) expect(Object.keys(sample.labels), name).toEqual(labels);
  }
});

test("a restart resets counters and keeps daily counts", async () => {
  const short = { ...config, history: { months: 0 } };
  await using it = await TestDaemon.start({ start: MORNING, config: short });
  await it.clock.runUntil(MORNING + HOUR_MS);
  await it.stop();
  const before = it.simulator.answered().length;
  await it.restart();
  await it.clock.runUntil(MORNING + 6 * HOUR_MS);
  const all = it.simulator.answered().length;
  const after = await scrape(it);
  expect(all).toBeGreaterThan(before);
  expect(sumOf(after, "elbro_service_requests_today")).toBe(all);
  expect(sumOf(after, "elbro_service_requests_total")).toBe(all - before);
});

test.skipIf(lacks("promtool"))(
  "promtool has no findings in the metrics of a home and in the alerts (skipped without promtool)",
  async () => {
    await using it = await TestDaemon.start({ start: MORNING, config });
    await it.clock.runUntil(MORNING + 2 * HOUR_MS);
    const input = await (await it.request("/metrics")).text();
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" });
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
    expect(input.split("\n").length).toBeGreaterThan(140);
    const rules = "config/snippets/prometheus-rules.yml";
    const checked = spawnSync("promtool", ["check", "rules", rules], { encoding: "utf8" });
    expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining("SUCCESS: 4 rules found")]);
    const named = new Set(metricRows.map(({ name }) => name));
    const asked = copiedText("snippets/prometheus-rules.yml").match(/elbro_\w+/g) ?? [];
    expect(asked.filter((name) => !named.has(name))).toEqual([]);
  },
);
