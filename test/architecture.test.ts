import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  importCircles,
  importLevels,
  importsOf,
  largeFunctions,
  namesExportedTwice,
  type Violation,
  valueImportsOf,
  violationsIn,
} from "./support/sources/architecture.ts";

const root = join(import.meta.dirname, "..");
const sources = Object.fromEntries(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    // Settings of tools are no part of the product.
    .filter((path) => /(?<!\.config)\.tsx?$/.test(path))
    .map((path) => [`src/${path}`, readFileSync(join(root, "src", path), "utf8")]),
);

/** Lines of TypeScript when the number was last set. A change that shrinks a folder lowers its number. */
const LINES = { src: 62_720, test: 74_920 };
/** Lines by which a folder may grow before its number has to be raised, with the reason in the commit message. */
const SLACK_LINES = 250;
/** The longest chain of files that load each other, from main.ts down; it may only get shorter. */
const MAX_LEVELS = 14;
/** Time limit of the search for cycles, which takes 2 s on an idle machine. */
const SEARCH_MS = 30_000;
const rules = [
  "parse",
  "imports",
  "purity",
  "clock",
  "process",
  "pattern",
  "json",
  "default-export",
  "barrel",
] as const;

describe("the sources follow the rule", () => {
  const found = violationsIn(sources);
  test.each(rules)("%s", (rule) => {
    expect(found.filter((each) => each.rule === rule).map(({ path, what }) => `${path}: ${what}`)).toEqual([]);
  });

  test("there are no import cycles, and import chains have at most MAX_LEVELS levels", { timeout: SEARCH_MS }, () => {
    expect(importCircles(sources)).toEqual([]);
    expect(importLevels(sources)).toBeLessThanOrEqual(MAX_LEVELS);
  });

  test("a start loads no code that makes JSON Schemas", { timeout: SEARCH_MS }, () => {
    const loaded = new Set(["src/main.ts", "src/cli/commands/run.ts", "src/api/api.ts"]);
    for (const path of loaded)
      for (const name of valueImportsOf(path, sources[path] ?? ""))
        if (name?.startsWith(".")) loaded.add(join(dirname(path), name));
    expect(loaded).toContain("src/api/openapi/openapi-parts.ts");
    expect([...loaded].filter((path) => sources[path]?.includes("toJSONSchema"))).toEqual([]);
  });

  test.each(["src", "test"] as const)("%s has at most the lines of its budget", (folder) => {
    const lines = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path) && !path.includes("node_modules"))
      .reduce((sum, path) => sum + readFileSync(join(root, folder, path), "utf8").split("\n").length - 1, 0);
    expect(lines, "LINES in test/architecture.test.ts").toBeLessThanOrEqual(LINES[folder] + SLACK_LINES);
  });

  test("no folder of src has more than 20 files of code", () => {
    const folders = Object.groupBy(Object.keys(sources), (path) => dirname(path));
    const large = Object.entries(folders).filter(([, files = []]) => files.length > 20);
    expect(large.map(([folder]) => folder)).toEqual([]);
  });

  test("the daemon reads price rows only where implausible prices are left out", () => {
    const isReader = (path: string) => /\b(pricePoints|placePoints)\(/.test(sources[path] ?? "");
    const daemons = Object.keys(sources).filter((path) => !path.startsWith("src/dashboard/"));
    expect(daemons.filter(isReader).sort()).toEqual([
      "src/core/prices/place-snapshot.ts",
      "src/core/prices/timeline.ts",
      "src/state/answers/doubtful-prices.ts",
    ]);
  });

  test("no name is exported by two files", () => {
    expect(namesExportedTwice(sources)).toEqual([]);
  });

  test("functions have at most 60 lines and 4 parameters", () => {
    expect(largeFunctions(sources)).toEqual([]);
  });

  test("files of more than 300 lines are only a warning", () => {
    const long = found.filter(({ rule }) => rule === "length").map(({ path, what }) => `${path}: ${what}`);
    if (long.length > 0) console.warn(`longer than usual, look for two nouns:\n${long.join("\n")}`);
    expect(found.every(({ rule }) => rule === "length" || rules.some((each) => each === rule))).toBe(true);
  });

  test("the checked sources include core, contract and main.ts", () => {
    expect(Object.keys(sources)).toEqual(
      expect.arrayContaining(["src/core/time/calendar.ts", "src/service/contract/operations.ts", "src/main.ts"]),
    );
  });
});

/** Returns the rules that a file with this content breaks, in order. */
function rulesBrokenBy(path: string, source: string): Violation["rule"][] {
  return violationsIn({ [path]: source }).map((each) => each.rule);
}

test.each([
  ["src/plugs/plug.ts", "export const a = b.map(JSON.parse);", ["json"]],
  ["src/plugs/plug.ts", "export const a = await (await fetch(b)).json();", ["json"]],
  ["src/plugs/plug.ts", 'import { ownJson } from "../core/text/own-json.ts"; export const a = ownJson(b);', ["json"]],
  ["src/storage/series/chunk-text.ts", "export const a = JSON.parse(b);", []],
  ["src/simulator/fault-rules.ts", "export const a = z.json();", []],
])("JSON is read by readForeign, or is in the list of what elbro wrote: %s: %s", (path, source, broken) => {
  expect(rulesBrokenBy(path, source)).toEqual(broken);
});

describe("imports between modules", () => {
  test.each([
    ["src/core/text/fill-text.ts", "../../i18n/en.json"],
    ["src/core/prices/level.ts", "../time/interval.ts"],
    ["src/service/contract/range.ts", "../../core/time/interval.ts"],
    ["src/service/contract/range.ts", "./errors.ts"],
    ["src/simulator/world.ts", "../http/route.ts"],
    ["src/mqtt/broker/start-broker.ts", "../../http/allowed-hosts.ts"],
    ["src/storage/series/series-store.ts", "../../core/series/series.ts"],
    ["src/storage/series/series-store.ts", "node:sqlite"],
    ["src/state/homes.ts", "../storage/key-value-store.ts"],
    ["src/state/homes.ts", "../service/contract/resources.ts"],
    ["src/mqtt/client/retained-publisher.ts", "mqtt"],
    ["src/mqtt/state-publisher.ts", "../state/homes.ts"],
    ["src/mqtt/homeassistant/discovery.ts", "../client/message.ts"],
    ["src/plugs/plug-manager.ts", "../mqtt/client/message.ts"],
    ["src/integrations/notify/ntfy.ts", "../../plugs/plug-manager.ts"],
    ["src/api/mirror/mirror.ts", "../../service/contract/request.ts"],
    ["src/daemon.ts", "./api/start.ts"],
    ["src/cli/demo.ts", "../daemon.ts"],
    ["src/cli/demo.ts", "../simulator/simulator.ts"],
    ["src/main.ts", "./cli/arguments.ts"],
  ])("%s may import %s", (path, name) => {
    expect(violationsIn({ [path]: `import { a } from "${name}"; export const b = a;` })).toEqual([]);
  });

  test.each([
    ["src/core/prices/level.ts", "../../config/schema/schema.ts", "core may not import src/config/schema/schema.ts"],
    ["src/core/prices/level.ts", "../../main.ts", "core may not import src/main.ts"],
    [
      "src/config/schema/schema.ts",
      "../../service/contract/range.ts",
      "config may not import src/service/contract/range.ts",
    ],
    [
      "src/storage/series/series-store.ts",
      "../../config/schema/schema.ts",
      "storage may not import src/config/schema/schema.ts",
    ],
    ["src/service/client/client.ts", "../../storage/database.ts", "service may not import src/storage/database.ts"],
    [
      "src/service/contract/range.ts",
      "../client/client.ts",
      "service/contract may not import src/service/client/client.ts",
    ],
    ["src/http/route.ts", "../state/homes.ts", "http may not import src/state/homes.ts"],
    ["src/state/homes.ts", "../mqtt/client/message.ts", "state may not import src/mqtt/client/message.ts"],
    ["src/mqtt/state-publisher.ts", "../plugs/plug-manager.ts", "mqtt may not import src/plugs/plug-manager.ts"],
    ["src/plugs/plug-manager.ts", "../api/api.ts", "plugs may not import src/api/api.ts"],
    ["src/api/api.ts", "../daemon.ts", "api may not import src/daemon.ts"],
    ["src/api/api.ts", "../../package.json", "api may not import package.json"],
    ["src/daemon.ts", "./cli/demo.ts", "daemon.ts may not import src/cli/demo.ts"],
    ["src/api/api.ts", "../simulator/simulator.ts", "api may not import src/simulator/simulator.ts"],
    ["src/simulator/world.ts", "../state/homes.ts", "simulator may not import src/state/homes.ts"],
    ["src/cli/demo.ts", "../dashboard/page.ts", "cli may not import src/dashboard/page.ts"],
    ["src/cli/demo.ts", "../main.ts", "cli may not import src/main.ts"],
    ["src/core/prices/level.ts", "../../helpers/text.ts", "core may not import src/helpers/text.ts"],
  ])("%s may not import %s", (path, name, what) => {
    const forms = [
      `import { a } from "${name}"; export const b = a;`,
      `import type { A } from "${name}"; export const b = (a: A) => a;`,
      `import "${name}"; export const b = 1;`,
      `export { a } from "${name}"; export const b = 1;`,
      `export const b = async () => await import("${name}");`,
      `export type B = import("${name}").B;`,
      `export const b = require("${name}");`,
      `import a = require("${name}"); export const b = a;`,
    ];
    for (const form of forms) {
      expect(violationsIn({ [path]: form }), form).toEqual([{ path, rule: "imports", what: `line 1: ${what}` }]);
    }
  });

  test("browser code may import any types, but only values of its folder, of core and of bundled packages", () => {
    const path = "src/dashboard/app.tsx";
    const whatIsWrong = (source: string) => violationsIn({ [path]: source }).map(({ what }) => what);
    const later = " export const b = Date.now();";
    for (const name of ["./page-store.ts", "preact/hooks"])
      expect(whatIsWrong(`import { a } from "${name}"; export const c = a;${later}`)).toEqual([]);
    expect(whatIsWrong(`import type { A } from "../api/plans.ts"; export type C = A;${later}`)).toEqual([]);
    for (const name of ["../api/plans.ts", "luxon", "node:fs"])
      expect(whatIsWrong(`import { a } from "${name}"; export const c = a;`)).toEqual([
        `line 1: a browser has no ${name}`,
      ]);
  });

  test("a folder that is not in the list of modules is reported", () => {
    expect(violationsIn({ "src/helpers/text.ts": 'import { a } from "./other.ts"; export const b = a;' })).toEqual([
      { path: "src/helpers/text.ts", rule: "imports", what: "line 1: src/helpers is not in the list of modules" },
    ]);
  });

  test("a dynamic import with a computed name is reported", () => {
    expect(rulesBrokenBy("src/main.ts", "export const load = (name: string) => import(name);")).toEqual(["imports"]);
  });

  test("importsOf finds every form of import", () => {
    const source = `import a from "a"; import type { B } from "b"; export * from "c"; export { d } from "d"; void import("e"); type F = import("f").F;`;
    expect(importsOf("src/main.ts", source)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });
});

describe("import cycles", () => {
  const file = (...names: string[]) => `${names.map((name) => `import "${name}";`).join(" ")} export const a = 1;`;

  test("import cycles are found across files, also with type imports only", () => {
    const sources = {
      "src/core/a.ts": file("./b.ts"),
      "src/core/b.ts": 'import type { C } from "./c.ts"; export type B = C;',
      "src/core/c.ts": file("./a.ts"),
    };
    expect(importCircles(sources)).toEqual(["src/core/a.ts > src/core/b.ts > src/core/c.ts > src/core/a.ts"]);
  });

  test("a chain of three files has three levels", () => {
    const sources = { "src/core/a.ts": file("./b.ts"), "src/core/b.ts": file("./c.ts"), "src/core/c.ts": file() };
    expect(importCircles(sources)).toEqual([]);
    expect(importLevels(sources)).toBe(3);
  });
});

test.each([
  "export const matches = (owners: string) => new RegExp(owners);",
  "export const matches = (owners: string) => RegExp(owners, 'u');",
])("a regular expression that is compiled from a value is reported: %s", (source) => {
  expect(rulesBrokenBy("src/config/schema/values.ts", source)).toEqual(["pattern"]);
  expect(rulesBrokenBy("src/config/schema/values.ts", 'export const a = new RegExp("^a");')).toEqual([]);
});

describe("purity of core and contract", () => {
  test.each([
    'import { readFileSync } from "node:fs"; export const a = readFileSync;',
    'import { randomUUID } from "crypto"; export const a = randomUUID;',
    'import { DateTime } from "luxon"; export const a = DateTime;',
    'import pino from "pino"; export const a = pino;',
    'import type { Logger } from "pino"; export type A = Logger;',
    "export const now = () => Date.now();",
    'export const now = () => Date["now"]();',
    "export const clock = Date.now;",
    "export const now = () => new Date();",
    "export const now = () => new Date;",
    "export const now = () => Date();",
    "export const now = () => performance.now();",
    "export const wait = () => setTimeout(() => {}, 1);",
    "export const wait = () => setInterval(() => {}, 1);",
    "export const dice = () => Math.random();",
    "export const dice = () => crypto.randomUUID();",
    'export const say = () => console.log("…");',
    "export const home = process.env;",
    "export const home = { process };",
    "export const home = (at = process.cwd()) => at;",
    "export const home = globalThis;",
    'export const ask = () => fetch("http://service.test");',
  ])("%s", (source) => {
    for (const folder of ["core/prices", "service/contract"]) {
      expect(new Set(rulesBrokenBy(`src/${folder}/level.ts`, source)), folder).toEqual(new Set(["purity"]));
    }
  });

  test.each([
    "export const at = (ms: number) => new Date(ms).toISOString();",
    'export const at = Date.parse("2026-01-01T00:00:00Z") + Date.UTC(2026, 0, 1);',
    "export interface Part { process: string; performance: number; fetch(): void }",
    "export const part = (given: { process: string }) => given.process;",
    'export const part = { console: 1, ["a"]: 2 };',
    "export class Part { readonly process = 1; setTimeout() { return this.process; } }",
    "export const most = Math.max(1, 2); // process.env, Date.now()",
  ])("purity of core and contract is kept by %s", (source) => {
    expect(violationsIn({ "src/core/prices/level.ts": source })).toEqual([]);
  });

  test("core and contract may not import luxon, and only the contract zod/mini", () => {
    const importing = (name: string) => `import * as a from "${name}"; export const b = a;`;
    expect(rulesBrokenBy("src/core/time/calendar.ts", importing("luxon"))).toEqual(["purity"]);
    expect(rulesBrokenBy("src/service/contract/range.ts", importing("luxon"))).toEqual(["purity"]);
    expect(rulesBrokenBy("src/service/contract/resources.ts", importing("zod/mini"))).toEqual([]);
    expect(rulesBrokenBy("src/service/contract/resources.ts", importing("zod"))).toEqual(["purity"]);
    expect(rulesBrokenBy("src/core/prices/level.ts", importing("zod/mini"))).toEqual(["purity"]);
  });
});

describe("process and clock outside of core and contract", () => {
  test.each([
    "export const home = process.env.HOME;",
    "export const home = globalThis.process;",
    'import process from "node:process"; export const a = 1;',
    'import { env } from "node:process"; export const a = env;',
  ])("only the command line may use process: %s", (source) => {
    expect(new Set(rulesBrokenBy("src/http/listener.ts", source))).toEqual(new Set(["process"]));
    expect(rulesBrokenBy("src/main.ts", source)).toEqual([]);
  });

  test.each(["Date.now()", "new Date()"])("only the command line may read the clock: %s", (reading) => {
    const source = `export const now = () => ${reading};`;
    expect(rulesBrokenBy("src/storage/request-log.ts", source)).toEqual(["clock"]);
    expect(rulesBrokenBy("src/cli/system-clock.ts", source)).toEqual([]);
    expect(rulesBrokenBy("src/main.ts", source)).toEqual([]);
  });

  test.each(["export const bytes = process.memoryUsage();", "export const { versions, platform } = process;"])(
    "every module may read constants and measurements of process: %s",
    (source) => {
      expect(rulesBrokenBy("src/http/listener.ts", source)).toEqual([]);
    },
  );

  test("timers, and a field named console, are allowed", () => {
    const source = "export const wait = (given: { console: string }) => setTimeout(() => given.console, 1);";
    expect(violationsIn({ "src/mqtt/client/reconnect.ts": source })).toEqual([]);
  });
});

describe("size of functions", () => {
  const functionOf = (lines: number) => `export function a() {${"\n".repeat(lines - 1)}}`;

  test("61 lines and 5 parameters are reported, 60 and 4 are not", () => {
    expect(largeFunctions({ "src/a.ts": `${functionOf(60)}\nexport const b = (c, d, e, f) => c;` })).toEqual([]);
    expect(
      largeFunctions({
        "src/a.ts": `${functionOf(61)}\nexport const b = (c, d, e, f, g) => c;`,
        "src/b.ts":
          "export interface A { b(c: 1, d: 1, e: 1, f: 1, g: 1): void; readonly h: (c: 1, d: 1, e: 1, f: 1, g: 1) => 1 }",
        "src/c.ts": `export class A { b() {${"\n".repeat(60)}} }`,
      }),
    ).toEqual([
      "src/a.ts a: 61 lines",
      "src/a.ts b: 5 parameters",
      "src/b.ts b: 5 parameters",
      "src/b.ts (…): 5 parameters",
      "src/c.ts b: 61 lines",
    ]);
  });
});

describe("names of exports", () => {
  test("a name of two files is reported, however it is exported", () => {
    expect(
      namesExportedTwice({
        "src/a.ts": "export const a = 1; export function b() {} export interface C {} export const { d, e: f } = g;",
        "src/b.ts":
          "const a = 1; const e = 2; export { a, e }; export class b {} export type C = 1; export const f = 1;",
        "src/c.ts": 'export type { C } from "./a.ts"; export const [d] = g; const inner = () => { const b = 1; };',
      }),
    ).toEqual([
      "a: src/a.ts, src/b.ts",
      "b: src/a.ts, src/b.ts",
      "C: src/a.ts, src/b.ts, src/c.ts",
      "d: src/a.ts, src/c.ts",
      "f: src/a.ts, src/b.ts",
    ]);
  });

  test("each command exports its line and main", () => {
    const command = "export const line = 1; export function main() {}";
    expect(namesExportedTwice({ "src/cli/a.ts": command, "src/cli/b.ts": command })).toEqual([]);
  });
});

describe("form of files", () => {
  test.each([
    "const a = 1; export default a;",
    "export default function a() {}",
    "const a = 1; export { a as default };",
    'export { a as default } from "./b.ts"; export const c = 1;',
    "const a = 1; export = a;",
  ])("a default export is reported: %s", (source) => {
    expect(rulesBrokenBy("src/storage/series/series-store.ts", source)).toEqual(["default-export"]);
  });

  test("a declaration file may have a default export", () => {
    expect(rulesBrokenBy("src/library.d.ts", "declare const a: number; export default a;")).toEqual([]);
  });

  test.each([
    ["src/storage/index.ts", "export const a = 1;"],
    ["src/storage/all.ts", 'export { a } from "./a.ts"; export { b } from "./b.ts";'],
    ["src/storage/all.ts", 'import { a } from "./a.ts"; export { a };'],
    ["src/storage/all.ts", 'export * from "./a.ts"; export const b = 1;'],
    ["src/storage/all.ts", 'export type { A } from "./a.ts";'],
  ])("a barrel is reported: %s with %s", (path, source) => {
    expect(rulesBrokenBy(path, source)).toEqual(["barrel"]);
  });

  test("301 lines are reported, 300 are not", () => {
    const lines = (count: number) => "export const a = 1;\n".concat("\n".repeat(count - 1));
    expect(violationsIn({ "src/storage/series/series-store.ts": lines(300) })).toEqual([]);
    expect(violationsIn({ "src/storage/series/series-store.ts": lines(301) })).toEqual([
      { path: "src/storage/series/series-store.ts", rule: "length", what: "301 lines; at most 300" },
    ]);
  });

  test("a file that cannot be parsed is reported", () => {
    expect(rulesBrokenBy("src/storage/series/series-store.ts", "export const = 1;")).toEqual(["parse"]);
  });

  test("a violation contains its line", () => {
    expect(violationsIn({ "src/core/prices/level.ts": "// one\n\nexport const now = () => Date.now();\n" })).toEqual([
      { path: "src/core/prices/level.ts", rule: "purity", what: "line 3: reads the clock by Date.now" },
    ]);
  });
});
