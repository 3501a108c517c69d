import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { importsOf, type Violation, violationsIn } from "./support/architecture.ts";

const root = join(import.meta.dirname, "..");
const sources = Object.fromEntries(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [`src/${path}`, readFileSync(join(root, "src", path), "utf8")]),
);

const rules = ["parse", "imports", "purity", "clock", "process", "default-export", "barrel"] as const;

describe("the sources keep the rule", () => {
  const found = violationsIn(sources);
  test.each(rules)("%s", (rule) => {
    expect(found.filter((each) => each.rule === rule).map(({ path, what }) => `${path}: ${what}`)).toEqual([]);
  });

  test("files over the usual length are listed as a warning", () => {
    const long = found.filter(({ rule }) => rule === "length").map(({ path, what }) => `${path}: ${what}`);
    if (long.length > 0) console.warn(`longer than usual, look for two nouns:\n${long.join("\n")}`);
    expect(found.every(({ rule }) => rule === "length" || rules.some((each) => each === rule))).toBe(true);
  });

  test("the walk saw the core, the contract and a root", () => {
    expect(Object.keys(sources)).toEqual(
      expect.arrayContaining(["src/core/time/calendar.ts", "src/service/contract/operations.ts", "src/main.ts"]),
    );
  });
});

/** What is wrong with one file of this content: the rules in their order. */
function rulesBrokenBy(path: string, source: string): Violation["rule"][] {
  return violationsIn({ [path]: source }).map((each) => each.rule);
}

describe("who may import whom", () => {
  test.each([
    ["src/core/prices/level.ts", "./interval.ts"],
    ["src/service/contract/range.ts", "../core/interval.ts"],
    ["src/config/schema.ts", "../core/interval.ts"],
    ["src/storage/series-store.ts", "../core/series.ts"],
    ["src/storage/series-store.ts", "node:sqlite"],
    ["src/mqtt/client/retained-publisher.ts", "mqtt"],
    ["src/service/client/collector.ts", "../core/timetable.ts"],
    ["src/mqtt/homeassistant/discovery.ts", "../mqtt/message.ts"],
    ["src/plugs/shelly.ts", "../mqtt/message.ts"],
    ["src/service/client/client.ts", "../contract/request.ts"],
    ["src/server/mirror/mirror.ts", "../contract/request.ts"],
    ["src/service/simulator/world.ts", "../server/mount.ts"],
    ["src/simulator/deep/world.ts", "../../server/mount.ts"],
    ["src/main.ts", "./store/shelf.ts"],
    ["src/cli/commands/check.ts", "../store/shelf.ts"],
    ["src/daemon.ts", "../package.json"],
  ])("%s may import %s", (path, name) => {
    expect(violationsIn({ [path]: `import { a } from "${name}"; export const b = a;` })).toEqual([]);
  });

  test.each([
    ["src/core/prices/level.ts", "../contract/range.ts", "core may not import src/service/contract/range.ts"],
    ["src/core/prices/level.ts", "../main.ts", "core may not import src/main.ts"],
    ["src/service/contract/range.ts", "../server/mount.ts", "contract may not import src/service/serve/mount.ts"],
    ["src/config/schema.ts", "../contract/token.ts", "config may not import src/service/contract/token.ts"],
    ["src/storage/series-store.ts", "../contract/range.ts", "store may not import src/service/contract/range.ts"],
    [
      "src/mqtt/client/retained-publisher.ts",
      "../homeassistant/discovery.ts",
      "mqtt may not import src/mqtt/homeassistant/discovery.ts",
    ],
    ["src/service/client/collector.ts", "../store/shelf.ts", "collector may not import src/storage/series-store.ts"],
    [
      "src/mqtt/homeassistant/discovery.ts",
      "../contract/range.ts",
      "homeassistant may not import src/service/contract/range.ts",
    ],
    [
      "src/plugs/shelly.ts",
      "../homeassistant/discovery.ts",
      "plugs may not import src/mqtt/homeassistant/discovery.ts",
    ],
    ["src/service/client/client.ts", "../server/mount.ts", "upstream may not import src/service/serve/mount.ts"],
    ["src/server/mirror/mirror.ts", "../store/shelf.ts", "server may not import src/storage/series-store.ts"],
    ["src/service/simulator/world.ts", "../server/mirror.ts", "simulator may not import src/server/mirror/mirror.ts"],
    ["src/service/simulator/world.ts", "../main.ts", "simulator may not import src/main.ts"],
    ["src/server/mirror/mirror.ts", "../../package.json", "server may not import package.json"],
    ["src/helpers/text.ts", "./other.ts", "src/helpers has no row in the import table"],
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

  test("an import whose name only a run can tell", () => {
    expect(rulesBrokenBy("src/main.ts", "export const load = (name: string) => import(name);")).toEqual(["imports"]);
  });

  test("every form of import is seen", () => {
    const source = `import a from "a"; import type { B } from "b"; export * from "c"; export { d } from "d"; void import("e"); type F = import("f").F;`;
    expect(importsOf("src/main.ts", source)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });
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
    for (const folder of ["core", "contract"]) {
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
  ])("is kept by %s", (source) => {
    expect(violationsIn({ "src/core/prices/level.ts": source })).toEqual([]);
  });

  test("luxon is for core/calendar.ts, zod/mini for the contract", () => {
    const importing = (name: string) => `import * as a from "${name}"; export const b = a;`;
    expect(rulesBrokenBy("src/core/time/calendar.ts", importing("luxon"))).toEqual([]);
    expect(rulesBrokenBy("src/service/contract/range.ts", importing("luxon"))).toEqual(["purity"]);
    expect(rulesBrokenBy("src/service/contract/resources.ts", importing("zod/mini"))).toEqual([]);
    expect(rulesBrokenBy("src/service/contract/resources.ts", importing("zod"))).toEqual(["purity"]);
    expect(rulesBrokenBy("src/core/prices/level.ts", importing("zod/mini"))).toEqual(["purity"]);
  });
});

describe("the world outside core and contract", () => {
  test.each([
    "export const home = process.env.HOME;",
    "export const home = globalThis.process;",
    'import process from "node:process"; export const a = 1;',
    'import { env } from "node:process"; export const a = env;',
  ])("only roots touch process: %s", (source) => {
    expect(new Set(rulesBrokenBy("src/server/http/listener.ts", source))).toEqual(new Set(["process"]));
    expect(rulesBrokenBy("src/main.ts", source)).toEqual([]);
  });

  test.each(["Date.now()", "new Date()"])("only roots and the collector read the clock: %s", (reading) => {
    const source = `export const now = () => ${reading};`;
    expect(rulesBrokenBy("src/storage/request-log.ts", source)).toEqual(["clock"]);
    expect(rulesBrokenBy("src/core/runtime/clock.ts", source)).toEqual([]);
    expect(rulesBrokenBy("src/main.ts", source)).toEqual([]);
  });

  test("timers and the console's name as a field are nobody's business", () => {
    const source = "export const wait = (given: { console: string }) => setTimeout(() => given.console, 1);";
    expect(violationsIn({ "src/mqtt/client/reconnect.ts": source })).toEqual([]);
  });
});

describe("the shape of files", () => {
  test.each([
    "const a = 1; export default a;",
    "export default function a() {}",
    "const a = 1; export { a as default };",
    'export { a as default } from "./b.ts"; export const c = 1;',
    "const a = 1; export = a;",
  ])("no default exports: %s", (source) => {
    expect(rulesBrokenBy("src/storage/series-store.ts", source)).toEqual(["default-export"]);
  });

  test("a declaration file may: it describes what others export", () => {
    expect(rulesBrokenBy("src/library.d.ts", "declare const a: number; export default a;")).toEqual([]);
  });

  test.each([
    ["src/store/index.ts", "export const a = 1;"],
    ["src/store/all.ts", 'export { a } from "./a.ts"; export { b } from "./b.ts";'],
    ["src/store/all.ts", 'import { a } from "./a.ts"; export { a };'],
    ["src/store/all.ts", 'export * from "./a.ts"; export const b = 1;'],
    ["src/store/all.ts", 'export type { A } from "./a.ts";'],
  ])("no barrels: %s with %s", (path, source) => {
    expect(rulesBrokenBy(path, source)).toEqual(["barrel"]);
  });

  test("300 lines are fine, 301 are not", () => {
    const lines = (count: number) => "export const a = 1;\n".concat("\n".repeat(count - 1));
    expect(violationsIn({ "src/storage/series-store.ts": lines(300) })).toEqual([]);
    expect(violationsIn({ "src/storage/series-store.ts": lines(301) })).toEqual([
      { path: "src/storage/series-store.ts", rule: "length", what: "301 lines; at most 300" },
    ]);
  });

  test("what does not parse is told, not passed over", () => {
    expect(rulesBrokenBy("src/storage/series-store.ts", "export const = 1;")).toEqual(["parse"]);
  });

  test("a violation names its line", () => {
    expect(violationsIn({ "src/core/prices/level.ts": "// one\n\nexport const now = () => Date.now();\n" })).toEqual([
      { path: "src/core/prices/level.ts", rule: "purity", what: "line 3: reads the clock by Date.now" },
    ]);
  });
});
