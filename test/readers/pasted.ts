/** What the documentation shows to paste into other programs, loaded by those programs next to a running demo. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { parse, stringify } from "yaml";
import { freePort } from "../support/broker/mosquitto.ts";
import { TopicWatcher } from "../support/broker/topic-watcher.ts";
import { copiedText } from "../support/docs/copied-files.ts";
import { pageText } from "../support/docs/docs-pages.ts";
import { DaemonProcess } from "../support/processes/daemon-process.ts";
import { lacks } from "../support/runner/needs.ts";
import { TempDir } from "../support/runner/temp-dir.ts";
import { emhass, eventsIn, NotHere, pastedFlows, pastedText, supervisorReads } from "./programs.ts";

export interface Demo {
  readonly url: string;
  readonly brokerPort: number;
}

/** Key of the demo. */
const KEY = "demo";
const headers = { authorization: `Bearer ${KEY}` };
const LOOKS = 240;

export interface Pasted {
  readonly name: string;
  readonly input: string;
  /** Loads it. Returns the program's version, and how much of what it names has data. Throws if it is refused. */
  readonly run: (demo: Demo, sources: string | null) => Promise<Loaded>;
}

type Loaded = { readonly version: string; readonly right: number; readonly all: number };

export const pasted: readonly Pasted[] = [
  { name: "EMHASS", input: "the `curl` line of this page to its server: steps of its day-ahead plan", run: emhassPlan },
  {
    name: "Prometheus",
    input:
      "its configuration, `config/snippets/prometheus-rules.yml` and `config/grafana-dashboard.json`: queries with data",
    run: prometheus,
  },
  { name: "Node-RED", input: "`config/snippets/node-red.json`: commands at the plug", run: nodeRed },
  { name: "PowerSaver", input: "`config/snippets/node-red-power-saver.json`: quarters of its plan", run: powerSaver },
  { name: "Supervisor", input: "the address of the app, its form, texts and users: parts accepted", run: supervisor },
  { name: "Remote Calendar", input: "the calendar feed: events", run: calendarFeed },
];

/** Starts the demo, which has past runs, plugs and all kinds of plans. */
export async function startDemo(): Promise<DaemonProcess & { readonly demo: Demo }> {
  const daemon = new DaemonProcess([], { ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0" });
  const demo = { url: `http://127.0.0.1:${await daemon.apiPort()}`, brokerPort: await daemon.brokerPort() };
  for (let look = 0; look < LOOKS && !(await fetch(`${demo.url}/healthz`)).ok; look++) await pause(500);
  return Object.assign(daemon, { demo });
}

/** Runs Prometheus with the configuration and the alerts of docs/monitoring.md, and asks what the dashboard asks. */
async function prometheus({ url }: Demo): Promise<Loaded> {
  if (lacks("promtool")) throw new NotHere("Debian's package prometheus is needed");
  using dir = new TempDir();
  const [, text = ""] = /```yaml\n(.*?)```/s.exec(pageText("docs/monitoring.md")) ?? [];
  const settings = parse(text) as { scrape_configs: object[] };
  writeFileSync(dir.file("rules.yml"), copiedText("snippets/prometheus-rules.yml"));
  writeFileSync(dir.file("key"), KEY);
  const here = {
    ...{ scrape_interval: "1s", authorization: { credentials_file: dir.file("key") } },
    static_configs: [{ targets: [new URL(url).host] }],
  };
  const scrape_configs = settings.scrape_configs.map((each) => ({ ...each, ...here }));
  const often = { global: { evaluation_interval: "1s" } };
  writeFileSync(dir.file("prometheus.yml"), stringify({ ...often, rule_files: ["rules.yml"], scrape_configs }));
  execFileSync("promtool", ["check", "config", dir.file("prometheus.yml")], { stdio: ["ignore", "ignore", "inherit"] });
  const at = `127.0.0.1:${await freePort()}`;
  const flags = [`--config.file=${dir.file("prometheus.yml")}`, `--storage.tsdb.path=${dir.file("data")}`];
  const server = spawn("prometheus", [...flags, `--web.listen-address=${at}`], { stdio: "ignore" });
  try {
    const ask = async (what: string) =>
      (await (await fetch(`http://${at}/api/v1/${what}`)).json()) as { data: unknown };
    const rows = async (query: string) => {
      const { data } = await ask(`query?query=${encodeURIComponent(query.replaceAll("$home", ".*"))}`);
      return (data as { result: object[] }).result.length;
    };
    const queries = [...copiedText("grafana-dashboard.json").matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)];
    const asked = queries.map(([, text = '""']) => JSON.parse(text) as string);
    let empty: readonly string[] = asked;
    for (let look = 0; look < LOOKS && empty.length > 0; look++) {
      await pause(500);
      const found = await Promise.all(empty.map((query) => rows(query).catch(() => 0)));
      empty = empty.filter((_, i) => found[i] === 0);
    }
    for (const query of empty) console.log(`  no data: ${query}`);
    const { data } = await ask("rules");
    if (!JSON.stringify(data).includes('"health":"ok"') || JSON.stringify(data).includes('"health":"err"'))
      throw new Error("a rule fails");
    const version = /version (\S+?)[+ ]/.exec(execFileSync("promtool", ["--version"], { encoding: "utf8" }))?.[1] ?? "";
    return { version, right: asked.length - empty.length, all: asked.length };
  } finally {
    server.kill();
  }
}

/** Runs the pasted line with EMHASS' own server. Compares the prices of both directions in the plan that it stores. */
async function emhassPlan({ url }: Demo): Promise<Loaded> {
  const { version, python } = emhass();
  using dir = new TempDir();
  // Without a use of its own it would ask Home Assistant for more than its settings.
  writeFileSync(dir.file("data_load_forecast.csv"), "0,500\n".repeat(96));
  writeFileSync(dir.file("config.json"), '{"load_forecast_method":"csv","optimization_time_step":15}');
  writeFileSync(dir.file("secrets.yaml"), "server_ip: 127.0.0.1\n");
  const [homePort, port] = [await freePort(), await freePort()];
  const home = http.createServer((_, answer) => answer.setHeader("content-type", "application/json").end("{}"));
  home.listen(homePort, "127.0.0.1");
  const paths = { DATA_PATH: dir.path, CONFIG_PATH: dir.file("config.json"), SECRETS_PATH: dir.file("secrets.yaml") };
  const env = { ...process.env, ...paths, EMHASS_URL: `http://127.0.0.1:${homePort}/`, PORT: String(port) };
  const server = spawn(python, ["-m", "emhass.web_server", "--no_response"], { env, stdio: "ignore" });
  try {
    const at = `http://127.0.0.1:${port}`;
    for (let look = 0; look < LOOKS && !(await fetch(`${at}/get-config`).catch(() => null))?.ok; look++)
      await pause(500);
    const given = await fetch(`${url}/local/v1/formats/emhass?home=home`, { headers });
    const { load_cost_forecast: bought, prod_price_forecast: sold } = (await given.json()) as Given;
    const line = pastedText("EMHASS").replace("http://192.168.1.5:8080", url).replace("http://192.168.1.6:5000", at);
    await promisify(execFile)("sh", ["-c", line.replace("<key>", KEY)]);
    const rows = readFileSync(dir.file("opt_res_latest.csv"), "utf8").trim().split("\n");
    const [names = [], ...plan] = rows.map((row) => row.split(","));
    const right = plan.filter((row) => {
      const start = new Date(row[0] ?? "").toISOString().replace("T", " ").replace(".000Z", "+00:00");
      const is = (name: string, prices: Given[keyof Given]) => Number(row[names.indexOf(name)]) === prices[start];
      return is("unit_load_cost", bought) && is("unit_prod_price", sold);
    });
    return { version, right: right.length, all: 96 };
  } finally {
    server.kill();
    home.close();
  }
}

type Given = Readonly<Record<"load_cost_forecast" | "prod_price_forecast", Readonly<Record<string, number>>>>;

/** Returns a snippet with the addresses and the key of the demo. */
const snippet = (name: string, { url, brokerPort }: Demo) =>
  copiedText(`snippets/${name}`)
    .replaceAll("http://192.168.1.5:8080", url)
    .replaceAll("a-key-of-elbro", KEY)
    .replace('"broker": "192.168.1.5", "port": "1883"', `"broker": "127.0.0.1", "port": "${brokerPort}"`);

async function nodeRed(demo: Demo, sources: string | null): Promise<Loaded> {
  await using watcher = await TopicWatcher.on(demo.brokerPort);
  const { version } = await pastedFlows(snippet("node-red.json", demo), sources);
  const [plan, plug] = ["elbro/home/plan/dishwasher", "cmnd/dishwasher/POWER"];
  await watcher.until(() => watcher.payload(plug) !== null, "a command");
  return { version, right: Number(watcher.payload(plug) === watcher.payload(plan)), all: 1 };
}

async function powerSaver(demo: Demo, sources: string | null): Promise<Loaded> {
  const { saver, minutes } = await pastedFlows(snippet("node-red-power-saver.json", demo), sources);
  const answer = await fetch(`${demo.url}/local/v1/formats/powersaver?home=home`, { headers });
  const { today, tomorrow } = (await answer.json()) as Record<"today" | "tomorrow", { start: string; value: number }[]>;
  const planned = new Map(minutes.map(({ start, price }) => [Date.parse(start), price]));
  const all = [...today, ...tomorrow];
  return {
    version: saver,
    right: all.filter(({ start, value }) => planned.get(Date.parse(start)) === value).length,
    all: all.length,
  };
}

async function supervisor(_: Demo, sources: string | null): Promise<Loaded> {
  const { version, accepted } = supervisorReads(sources);
  return { version, right: accepted.filter(Boolean).length, all: accepted.length };
}

/** Lets Home Assistant's integration read the feed. */
async function calendarFeed({ url }: Demo): Promise<Loaded> {
  const made = await fetch(`${url}/local/v1/calendar?home=home`, { method: "POST", headers });
  const feed = await (await fetch(`${url}${((await made.json()) as { path: string }).path}`)).text();
  const { version, events } = eventsIn(feed);
  const starts = [...feed.matchAll(/DTSTART:(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/g)].map(([, y, m, d, ...time]) =>
    Date.parse(`${y}-${m}-${d}T${time.join(":")}Z`),
  );
  return { version, right: starts.filter((at) => events.some(([start]) => start === at)).length, all: starts.length };
}
