/** The programs that the lab runs: where each comes from, what it reads, and which of its steps are checked. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { addressesOf } from "../../release/addresses.ts";
import { writeHomeAssistantApp } from "../../release/home-assistant-app.ts";
import { install } from "../homeassistant/install.ts";
import { type Machine, prepareMachine } from "../homeassistant/machine.ts";
import { copiedText } from "../support/docs/copied-files.ts";
import { pageText } from "../support/docs/docs-pages.ts";
import type { Case } from "./cases.ts";

/** Start in ms and price of each step, or the reason for none. */
export type Read = readonly (readonly [at: number, price: number])[] | string;

export interface Program {
  readonly name: string;
  /** What it reads. */
  readonly input: string;
  /** Whose prices are right: the home with this format. */
  readonly home: "nordpool" | "predbat" | "energidataservice";
  /** `known`: confirmed prices. `all`: also estimates. `sold`: confirmed export prices. `chosen`: steps that it chose. */
  readonly steps: "known" | "all" | "sold" | "chosen";
  readonly decimals: number;
  readonly note?: string;
  readonly run: (cases: readonly Case[]) => Promise<Ran> | Ran;
}

type Ran = { readonly version: string; readonly results: readonly Read[] };

const FOLDER = path.resolve(import.meta.dirname, "../../build/readers");
const PROGRAMS = path.join(import.meta.dirname, "programs");
const EMHASS = "0.18.7";
const NODE_RED = "5.0.7";
/** What Predbat imports at its start, and Home Assistant's environment lacks. */
const PREDBAT_LIBRARIES = ["aiofiles", "aiomqtt", "protobuf", "ruamel.yaml"];
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

export class NotHere extends Error {}

/** Returns the programs. `sources` holds clones of those that no registry has, in folders of their repositories' names. */
export function programsIn(sources: string | null): readonly Program[] {
  const sourceOf = (repository: string) => {
    const folder = path.join(sources ?? "", repository);
    if (sources === null || !existsSync(folder)) throw new NotHere(`a clone of ${repository} in READERS_DIR is needed`);
    return folder;
  };
  const inHomeAssistant =
    (program: string, repository: string, libraries: readonly string[] = []) =>
    (cases: readonly Case[]) => {
      const source = sourceOf(repository);
      if (libraries.length > 0) homeAssistant().addLibraries(libraries);
      return { version: versionOf(source), results: runInHomeAssistant(program, source, cases) };
    };
  const inNodeRed = (form: string) => (cases: readonly Case[]) => {
    const source = sourceOf("node-red-contrib-power-saver");
    return { version: versionOf(source), results: runInNodeRed(form, source, cases) as readonly Read[] };
  };
  const inEmhass = (action: string, key: string) => (cases: readonly Case[]) => ({
    version: EMHASS,
    results: runInEmhass(action, key, cases),
  });
  const nordpool = { home: "nordpool", steps: "known", decimals: 3 } as const;
  return [
    {
      ...{ name: "EMHASS", input: "`load_cost_forecast` over HTTP, day-ahead", home: "nordpool", steps: "all" },
      ...{ decimals: 6, run: inEmhass("dayahead-optim", "load_cost_forecast") },
    },
    {
      ...{ name: "EMHASS", input: "`load_cost_forecast` over HTTP, MPC", home: "nordpool", steps: "all" },
      ...{ decimals: 6, run: inEmhass("naive-mpc-optim", "load_cost_forecast") },
    },
    {
      ...{ name: "EMHASS", input: "`prod_price_forecast` over HTTP", home: "nordpool", steps: "sold" },
      ...{ decimals: 6, run: inEmhass("dayahead-optim", "prod_price_forecast") },
    },
    {
      ...{ name: "evcc", input: "the tariffs of this page over HTTP", home: "nordpool", steps: "all", decimals: 6 },
      note: "Its packages tariff, plugin and decoder. Lists are moved to the present, because evcc has no other clock.",
      run: (cases) => runEvcc(sourceOf("evcc"), pastedText("evcc"), cases),
    },
    {
      ...{ name: "evcc", input: "`config/snippets/evcc.yaml`", home: "nordpool", steps: "all", decimals: 6 },
      run: (cases) => runEvcc(sourceOf("evcc"), copiedText("snippets/evcc.yaml"), cases),
    },
    {
      ...{ name: "Predbat", input: "`metric_octopus_import`: entity, format predbat", home: "predbat", steps: "known" },
      ...{ decimals: 5, run: inHomeAssistant("Predbat", "batpred", PREDBAT_LIBRARIES) },
    },
    {
      ...{ name: "Predbat", input: "`metric_energidataservice_import`: entity, format energidataservice" },
      ...{ home: "energidataservice", steps: "known", decimals: 4 },
      run: inHomeAssistant("Predbat, energidataservice", "batpred"),
    },
    {
      ...{ name: "EV Smart Charging", input: "entity, format nordpool", ...nordpool },
      run: inHomeAssistant("EV Smart Charging", "ev_smart_charging"),
    },
    {
      ...{ name: "EV Smart Charging", input: "entity, format energidataservice", home: "energidataservice" },
      ...{ steps: "known", decimals: 4 },
      run: inHomeAssistant("EV Smart Charging, energidataservice", "ev_smart_charging"),
    },
    {
      ...{ name: "AIO Energy Management", input: "entity, format nordpool", ...nordpool, steps: "chosen" },
      note: "Cheapest and most expensive quarter of each hour of tomorrow. It finds nothing if today or tomorrow has a clock change: it expects 96 quarters.",
      run: inHomeAssistant("AIO Energy Management", "aio_energy_management"),
    },
    {
      ...{ name: "cheapest-energy-hours", input: "entity, format nordpool", ...nordpool },
      note: "In Home Assistant's template engine. It mixes up the hour that occurs twice in October.",
      run: inHomeAssistant("cheapest-energy-hours", "cheapest-energy-hours"),
    },
    {
      ...{ name: "PowerSaver", input: "node *events: state*: entity, format nordpool", ...nordpool },
      ...{ note: `In Node-RED ${NODE_RED}.`, run: inNodeRed("events") },
    },
    {
      ...{ name: "PowerSaver", input: "node *current state*: entity, format nordpool", ...nordpool },
      ...{ note: `In Node-RED ${NODE_RED}.`, run: inNodeRed("current") },
    },
    {
      ...{ name: "PowerSaver", input: "`payload.attributes`: MQTT topic in a wrapper, format nordpool", ...nordpool },
      ...{ note: `In Node-RED ${NODE_RED}.`, run: inNodeRed("attributes") },
    },
    {
      ...{ name: "PowerSaver", input: "format powersaver over HTTP", ...nordpool, decimals: 6 },
      ...{ note: `In Node-RED ${NODE_RED}.`, run: inNodeRed("http") },
    },
    {
      ...{ name: "apexcharts-card", input: "`config/home-assistant/apexcharts.yaml`: entity, format nordpool" },
      ...nordpool,
      run: (cases) => runCard(sourceOf("apexcharts-card"), cases),
    },
  ];
}

/** Returns the version of a clone: its tag, with the number of commits after it. */
function versionOf(source: string): string {
  return run("git", "-C", source, "describe", "--tags")
    .trim()
    .replace(/-g\w+$/, "")
    .replace(/^v/, "");
}

function runInHomeAssistant(program: string, source: string, cases: readonly object[]): readonly Read[] {
  const { machine, python } = homeAssistant();
  const folder = path.join(machine.folder, "readers");
  const copied = (from: string, name: string) => {
    cpSync(realpathSync(from), machine.outside(path.join(folder, name)), {
      recursive: true,
      filter: (name) => path.basename(name) !== ".git",
    });
    return path.join(folder, name);
  };
  copied(source, path.basename(source));
  const script = copied(path.join(PROGRAMS, "in_home_assistant.py"), "in_home_assistant.py");
  const file = path.join(folder, "cases.json");
  writeFileSync(machine.outside(file), JSON.stringify(cases));
  return JSON.parse(machine.run(python, script, folder, file, program, pastedText(program))) as Read[];
}

interface Prepared {
  readonly machine: Machine;
  readonly python: string;
  readonly version: string;
  /** Installs packages of PyPI for the programs, next to those of Home Assistant. */
  readonly addLibraries: (names: readonly string[]) => void;
}

let prepared: Prepared | null = null;

function homeAssistant() {
  if (prepared) return prepared;
  const machine = prepareMachine(Number.POSITIVE_INFINITY);
  const { hass, version } = install(machine, { newest: false });
  mkdirSync(machine.outside(path.join(machine.folder, "readers")), { recursive: true });
  const python = path.join(path.dirname(hass), "python");
  const libraries = path.join(machine.folder, "readers/libraries");
  const addLibraries = (names: readonly string[]) =>
    void machine.run(python, "-m", "pip", "install", "--quiet", "--upgrade", "--target", libraries, ...names);
  prepared = { machine, python, version, addLibraries };
  return prepared;
}

function runInEmhass(action: string, key: string, cases: readonly Case[]): readonly Read[] {
  const { python } = emhass();
  return JSON.parse(run(python, path.join(PROGRAMS, "in_emhass.py"), casesFile(cases), action, key)) as Read[];
}

/** Installs EMHASS. Returns the Python that has it. */
export function emhass(): { readonly version: string; readonly python: string } {
  const environment = path.join(FOLDER, "emhass");
  const python = path.join(environment, "bin/python");
  if (!existsSync(python)) run("python3", "-m", "venv", environment);
  run(python, "-m", "pip", "install", "--quiet", `emhass==${EMHASS}`);
  return { version: EMHASS, python };
}

function runInNodeRed(form: string, source: string, cases: object): unknown {
  const folder = path.join(FOLDER, "node-red");
  if (!existsSync(path.join(folder, "node_modules/node-red-contrib-power-saver"))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), "{}");
    run("npm", "install", "--prefix", folder, "--no-audit", "--install-links", `node-red@${NODE_RED}`, source);
  }
  return JSON.parse(run(process.execPath, path.join(PROGRAMS, "in-node-red.cjs"), folder, casesFile(cases), form));
}

/** Runs pasted flows in Node-RED until their work is done. Returns the versions, and the plan of PowerSaver. */
export async function pastedFlows(flows: string, sources: string | null): Promise<PastedFlows> {
  const source = path.join(sources ?? "", "node-red-contrib-power-saver");
  if (!existsSync(source)) throw new NotHere("a clone of node-red-contrib-power-saver in READERS_DIR is needed");
  const minutes = runInNodeRed("pasted", source, JSON.parse(flows)) as PastedFlows["minutes"];
  return { version: NODE_RED, saver: versionOf(source), minutes };
}

interface PastedFlows {
  readonly version: string;
  readonly saver: string;
  readonly minutes: readonly { readonly start: string; readonly price: number }[];
}

/** Reads a calendar feed with the integration of Home Assistant and the version of its library that it names. */
export function eventsIn(feed: string): { readonly version: string; readonly events: Exclude<Read, string> } {
  const { machine, python, version, addLibraries } = homeAssistant();
  const find =
    "import homeassistant as h, pathlib as p; print(p.Path(h.__file__).parent / 'components/remote_calendar')";
  const manifest = readFileSync(machine.outside(`${machine.run(python, "-c", find).trim()}/manifest.json`), "utf8");
  const { requirements } = JSON.parse(manifest) as { requirements: string[] };
  addLibraries(requirements);
  const [events] = runInHomeAssistant("Remote Calendar", PROGRAMS, [{ feed, now: 0 }]);
  if (typeof events === "string" || events === undefined) throw new Error(events);
  return { version, events };
}

/** Reads the app as it would be published with the Supervisor. Returns whether it accepts each of its parts. */
export function supervisorReads(sources: string | null): { readonly version: string; readonly accepted: boolean[] } {
  const source = path.join(sources ?? "", "supervisor");
  if (!existsSync(source)) throw new NotHere("a clone of supervisor in READERS_DIR is needed");
  const { machine } = homeAssistant();
  const folder = path.join(machine.folder, "readers/supervisor");
  const outside = machine.outside(folder);
  mkdirSync(outside, { recursive: true });
  for (const name of ["supervisor", "requirements.txt"])
    cpSync(path.join(realpathSync(source), name), path.join(outside, name), { recursive: true });
  cpSync(path.join(PROGRAMS, "in_supervisor.py"), path.join(outside, "in_supervisor.py"));
  const addresses = addressesOf({ repository: "https://github.com/owner/elbro", homepage: "" });
  writeHomeAssistantApp(path.join(outside, "app"), addresses);
  const python = path.join(folder, "python/bin/python");
  if (!existsSync(machine.outside(python))) machine.run(machine.python, "-m", "venv", path.join(folder, "python"));
  machine.run(python, "-m", "pip", "install", "--quiet", "--requirement", path.join(folder, "requirements.txt"));
  const read = ["env", "GIT_PYTHON_REFRESH=quiet", python, path.join(folder, "in_supervisor.py")];
  const answer = machine.run(...read, folder, path.join(folder, "app"), addresses?.appStore ?? "");
  return { version: versionOf(source), accepted: JSON.parse(answer) as boolean[] };
}

/** Returns what the page shows to paste into a program; empty if nothing. */
export function pastedText(program: string): string {
  const section = pageText("docs/other-programs.md").split(`\n### ${program}\n`)[1]?.split("\n##")[0] ?? "";
  return /^```\w+\n(.*?)^```/ms.exec(section)?.[1] ?? "";
}

/** Builds a program of evcc's packages, and loads a configuration with it. */
function runEvcc(source: string, config: string, cases: readonly Case[]): Ran {
  const version = versionOf(source);
  const folder = path.join(FOLDER, `evcc-${version}`);
  if (!existsSync(folder)) {
    cpSync(realpathSync(source), folder, { recursive: true, filter: (name) => path.basename(name) !== ".git" });
    // The package for EEBus needs a module that no proxy has, and tariffs only name its type.
    rmSync(path.join(folder, "server/eebus"), { recursive: true });
    mkdirSync(path.join(folder, "server/eebus"));
    writeFileSync(path.join(folder, "server/eebus/config.go"), "package eebus\n\ntype Config struct{}\n");
  }
  cpSync(path.join(PROGRAMS, "in_evcc.go"), path.join(folder, "cmd/in_evcc/main.go"));
  run("go", "-C", folder, "build", "-o", "in_evcc", "./cmd/in_evcc");
  const file = path.join(folder, "evcc.yaml");
  writeFileSync(file, config);
  return { version, results: JSON.parse(run(path.join(folder, "in_evcc"), file, casesFile(cases))) as Read[] };
}

/** Runs the published card's function as the card does (`_generateData` of its `graphEntry.ts`). */
async function runCard(source: string, cases: readonly Case[]): Promise<Ran> {
  const text = readFileSync(path.resolve(PROGRAMS, "../../../config/home-assistant/apexcharts.yaml"), "utf8");
  const { series } = parse(text) as { series: { data_generator?: string }[] };
  const body = series.find(({ data_generator }) => data_generator?.includes("raw_today"))?.data_generator ?? "";
  // The card makes its function of text, too.
  const AsyncFunction = (async () => undefined).constructor as new (
    ...texts: string[]
  ) => (entity: object) => Promise<Read>;
  const generate = new AsyncFunction("entity", "start", "end", "hass", "moment", `'use strict'; ${body}`);
  const results = await Promise.all(cases.map(({ entities }) => generate({ attributes: entities.nordpool })));
  return { version: versionOf(source), results };
}

function casesFile(cases: object): string {
  mkdirSync(FOLDER, { recursive: true });
  const file = path.join(FOLDER, "cases.json");
  writeFileSync(file, JSON.stringify(cases));
  return file;
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, {
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ["ignore", "pipe", "inherit"],
  });
}
