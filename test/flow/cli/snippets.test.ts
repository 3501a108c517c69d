import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { metricRows } from "../../../src/api/monitoring/metrics.ts";
import { readConfig } from "../../../src/config/reading/load.ts";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { copiedText, copiedYaml } from "../../support/docs/copied-files.ts";
import { planEntry } from "../../support/plans/plan-topics.ts";

const EVENING = Date.parse("2026-03-10T20:00:00Z");

test("the tariff for evcc has no other keys", () => {
  const { grid } = (copiedYaml("snippets/evcc.yaml") as { tariffs: { grid: { forecast: object } } }).tariffs;
  // evcc ends with an error at any other key of a source of its plugin http.
  expect([Object.keys(grid), Object.keys(grid.forecast)]).toEqual([
    ["type", "interval", "forecast"],
    ["source", "uri", "headers"],
  ]);
});

test("the Shelly script switches the plug as elbro's signal, with a timer", async () => {
  await using it = await TestDaemon.start({ start: EVENING });
  await it.clock.runUntil(EVENING + 5 * MINUTE_MS);
  const switched: object[] = [];
  let finish: () => void = () => undefined;
  let tick: () => void = () => undefined;
  const Shelly = {
    call(
      method: string,
      parameters: { url: string; headers: Record<string, string> },
      done?: (answer: object | null) => void,
    ) {
      if (method === "Switch.Set") {
        switched.push(parameters);
        return finish();
      }
      fetch(parameters.url, parameters).then(
        async (answer) => done?.({ code: answer.status, body: await answer.text() }),
        () => done?.(null),
      );
    },
  };
  const Timer = {
    set(_ms: number, _again: boolean, each: () => void) {
      tick = each;
    },
  };
  const next = (act: () => void) =>
    new Promise<object | undefined>((resolve) => {
      finish = () => resolve(switched.at(-1));
      act();
    });
  const script = copiedText("snippets/shelly-script.js")
    .replace("http://192.168.1.5:8080", `${it.url}`)
    .replace("a-key-of-elbro", LAN_KEY);
  expect(await next(() => runInNewContext(script, { Shelly, Timer }))).toEqual({ id: 0, on: false });
  let minutesOn = 0;
  for (let minute = 0; minute < 10 * 60; minute += 5) {
    await it.clock.runUntil(EVENING + (10 + minute) * MINUTE_MS);
    const said = await next(tick);
    expect([
      { id: 0, on: false },
      { id: 0, on: true, toggle_after: 900 },
    ]).toContainEqual(said);
    if (said && "on" in said && said.on === true) minutesOn += 5;
  }
  expect(minutesOn).toBe(3 * 60);
  await it.stop();
  expect(await next(tick)).toEqual({ id: 0, on: false });
});

test("the configuration on the Tasmota page is valid", () => {
  const [, text = ""] = /```yaml\n([\s\S]*?)```/.exec(copiedText("snippets/tasmota.md")) ?? [];
  const reading = readConfig({ text: `consumer: { api_key: k }\n${text}`, environment: {}, readFile: () => "" });
  expect(reading).toMatchObject({ kind: "config", config: { plugs: [{ family: "tasmota", plan: "water_heater" }] } });
});

interface NodeRedNode {
  readonly id: string;
  readonly type: string;
  readonly topic?: string;
  readonly retain?: string;
  readonly wires?: readonly (readonly string[])[];
}

test("the Node-RED flow is connected, subscribes to existing topics, and retains no command", async () => {
  await using it = await TestDaemon.start({
    start: EVENING,
    config: { plans: [planEntry({ name: "Dishwasher", kind: "window", hours: 2 })] },
  });
  const nodes = JSON.parse(copiedText("snippets/node-red.json")) as NodeRedNode[];
  const ids = new Set(nodes.map(({ id }) => id));
  for (const { wires = [] } of nodes) for (const id of wires.flat()) expect(ids).toContain(id);
  for (const { topic = "" } of nodes.filter(({ type }) => type === "mqtt in"))
    await it.watcher.until(() => it.watcher.payload(topic) !== null, topic);
  expect(nodes.filter(({ type }) => type === "mqtt out").map(({ retain }) => retain)).toEqual(["false"]);
});

test("the Grafana dashboard queries existing metrics", () => {
  const { panels } = JSON.parse(copiedText("grafana-dashboard.json")) as {
    readonly panels: readonly { readonly type: string; readonly targets?: readonly { readonly expr: string }[] }[];
  };
  const known = new Set(metricRows.map(({ name }) => name));
  const asked = panels.flatMap(({ targets = [] }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(elbro|process|nodejs)_\w+/g) ?? []),
  );
  expect(asked.length).toBeGreaterThan(12);
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
  expect(panels.filter(({ type, targets }) => type !== "row" && !targets?.length)).toEqual([]);
});

test("the apexcharts card is YAML with the attributes that elbro publishes", () => {
  const card = parse(copiedText("home-assistant/apexcharts.yaml")) as {
    readonly series: readonly { readonly entity: string; readonly data_generator?: string }[];
  };
  expect(card.series.map(({ entity }) => entity)).toEqual([
    "sensor.elbro_home_price",
    "sensor.elbro_home_prices",
    "sensor.elbro_home_forecast",
  ]);
  const generate = (index: number, attributes: object) =>
    new Function("entity", card.series[index]?.data_generator ?? "")({ attributes }) as unknown;
  const row = { start: "2026-03-10T00:00:00Z", value: 1.5 };
  expect(generate(1, { raw_today: [row], raw_tomorrow: [] })).toEqual([[Date.parse(row.start), 1.5]]);
  expect(generate(2, { forecast: [row] })).toEqual([[Date.parse(row.start), 1.5]]);
});
