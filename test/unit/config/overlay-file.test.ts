import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { overlayText, readOverlay } from "../../../src/config/overlay/overlay-file.ts";
import { readConfig } from "../../../src/config/reading/load.ts";
import type { Config } from "../../../src/config/schema/schema.ts";

const OWNER = `consumer: { api_key: k }
language: da
log: { level: info, format: text }
notify: { topic_url: https://ntfy.example/topic, quiet_hours: "22:00-07:00" }
plans:
  - { name: Car, home: home, kind: slots, hours: 2 }
  - { name: Dryer, home: home, kind: window, hours: 1 }
plugs:
  - { name: Car plug, family: tasmota, topic: car, plan: car }
`;

function read(page: string | null, environment: Record<string, string> = {}, text = OWNER) {
  const reading = readConfig({ text, environment, readFile: () => "from a file", overlay: () => page });
  if (reading.kind === "mistakes") throw new Error(reading.mistakes.map(({ path }) => path).join());
  return reading;
}

const namesOf = ({ plans }: Config) => plans.map(({ name }) => name);

describe("page.yaml", () => {
  test("settings override those of the owner's file, and null removes one", () => {
    const { config, overlay } = read(
      "version: 2\nsettings: { language: sv, log: { level: warn }, notify: { quiet_hours: null } }",
    );
    expect(config).toMatchObject({ language: "sv", log: { level: "warn", format: "text" } });
    expect(config.notify).toEqual(expect.not.objectContaining({ quiet_hours: expect.anything() }));
    expect(overlay).toMatchObject({ overridden: ["language", "log.level", "notify.quiet_hours"], mistakes: [] });
  });

  test("entries replace, remove and follow those of the owner's file, in its order", () => {
    const car = "{ name: Big car, home: home, kind: slots, hours: 3 }";
    const { config, overlay } = read(
      `plans: { car: ${car}, dryer: null, pool: { name: Pool, home: home, kind: below, cheap_below: 20% } }`,
    );
    expect(namesOf(config)).toEqual(["Big car", "Pool"]);
    expect(overlay.overridden).toEqual(["plans.car", "plans.dryer"]);
  });

  test("the environment and files of secrets come first", () => {
    const text = OWNER.replace("topic_url: https://ntfy.example/topic", "topic_url_file: /run/topic");
    const page = "settings: { language: sv, log: { level: warn }, notify: { topic_url: https://other.example/x } }";
    const environment = { ELBRO_LOG_LEVEL: "error" };
    const reading = readConfig({ text, environment, readFile: () => "https://ntfy.example/own", overlay: () => page });
    expect(reading).toMatchObject({
      config: { language: "sv", log: { level: "error" }, notify: { topic_url: "https://ntfy.example/own" } },
      overlay: { unused: ["log.level", "notify.topic_url"] },
    });
  });

  test("each file is read once, however many mistakes page.yaml has", () => {
    const reads: string[] = [];
    const reading = readConfig({
      text: OWNER.replace("api_key: k", "api_key_file: /run/key"),
      environment: {},
      readFile: (file) => `key-${reads.push(file)}`,
      overlay: () => {
        reads.push("page");
        return "settings: { log: { level: loud }, language: xx }\nplans: { a: [] }";
      },
    });
    expect(reading).toMatchObject({ kind: "config", overlay: { mistakes: [{}, {}] } });
    expect(reads.sort()).toEqual(["/run/key", "page"]);
  });

  test("a file of an entry stays that of the owner, but not for another server", () => {
    const text = `plugs: [{ name: P, family: tasmota, url: "http://192.168.1.9", password_file: /p, plan: car }]\n${OWNER.replace(/plugs:.*$/s, "")}`;
    const plugsWith = (url: string) =>
      read(`plugs: { p: { name: P, family: tasmota, url: "${url}", password: typed, plan: car } }`, {}, text).config
        .plugs;
    expect(plugsWith("http://192.168.1.9/")).toMatchObject([{ password: "from a file" }]);
    expect(plugsWith("http://192.168.1.10")).toMatchObject([{ password: "typed" }]);
  });

  test.each([
    ["text that is no YAML", "plans: [", "page.yaml"],
    ["an unknown setting", "settings: { api: { port: 1 } }", null],
    ["the name of a file", "settings: { mqtt: { password_file: /etc/hostname } }", "page.yaml: mqtt.password_file"],
    [
      "the name of a file in a list",
      "settings: { broker: { users: [{ name: a, password_file: /etc/hostname }] } }",
      "page.yaml: broker.users[0].password",
    ],
    [
      "the name of a file in an entry",
      "plugs: { p: { name: P, family: tasmota, topic_file: /etc/hostname, plan: car } }",
      "page.yaml: plugs.p.topic_file",
    ],
    ["a wrong value", "settings: { log: { level: loud } }", "page.yaml: log.level"],
    [
      "a wrong plan",
      "plans: { pool: { name: Pool, home: home, kind: slots, hours: two } }",
      "page.yaml: plans.pool.hours",
    ],
    ["the removal of a plan that a plug needs", "plans: { car: null }", "plugs[0].plan"],
    ["the removal of what is gone", "plans: { boat: null }", null],
  ])("%s is left out and reported, and the rest is used", (_, text, path) => {
    const { config, overlay } = read(`${text}\n`);
    expect(namesOf(config)).toEqual(["Car", "Dryer"]);
    expect(config.log.level).toBe("info");
    expect(overlay.mistakes.map((mistake) => mistake.path).slice(0, 1)).toEqual(path === null ? [] : [path]);
    if (path === null) expect([...overlay.unused, ...overlay.gone]).toHaveLength(1);
  });

  test("a mistake costs only its own entry", () => {
    const { config, overlay } = read(
      "settings: { log: { level: loud } }\nplans: { pool: { name: Pool, home: home, kind: below, cheap_below: 20% } }",
    );
    expect(namesOf(config)).toEqual(["Car", "Dryer", "Pool"]);
    expect(overlay.mistakes).toHaveLength(1);
  });

  test("the first version, a list whose entries follow the owner's, has the same effect after its conversion", () => {
    const old =
      "plans:\n  - { name: Car, home: home, kind: slots, hours: 5 }\n  - { id: pool, name: Pool, home: home, kind: below, cheap_below: 20% }\n";
    const owner = { plans: [{ name: "Car" }, { name: "Dryer" }] };
    const converted = overlayText(readOverlay(old, owner).overlay);
    expect(converted).not.toBe(old);
    expect(read(converted).config).toEqual(read(old).config);
    expect(namesOf(read(old).config)).toEqual(["Car", "Dryer", "Pool"]);
  });

  test("no text of page.yaml prevents the use of the owner's file", () => {
    const values = fc.oneof(fc.jsonValue(), fc.constantFrom("car", "dryer", 2, "two", [], null));
    const keys = fc.constantFrom(
      "settings",
      "plans",
      "plugs",
      "language",
      "log",
      "car",
      "dryer",
      "notify",
      "name",
      "kind",
    );
    const trees = fc.letrec((tie) => ({
      tree: fc.dictionary(keys, fc.oneof({ depthSize: "small" }, values, tie("tree")), { maxKeys: 4 }),
    })).tree;
    fc.assert(
      fc.property(trees, (tree) => {
        expect(read(JSON.stringify(tree)).kind).toBe("config");
      }),
      { numRuns: 300 },
    );
  });

  test("a file of a newer elbro is not used, and the mistake says so", () => {
    const { config, overlay } = read("version: 4\nsettings: { language: nb }\nplans: { car: null }");
    expect([config.language, namesOf(config)]).toEqual(["da", ["Car", "Dryer"]]);
    expect(overlay.mistakes).toMatchObject([
      { path: "page.yaml", key: "mistake.newer_file", facts: { version: 4, known: 3 } },
    ]);
  });

  test("what is written is read again", () => {
    const overlay = {
      settings: { language: "nb", log: { level: "warn" } },
      plans: { car: null, pool: { name: "on", from: "07:00" } },
      plugs: {},
      servers: {},
    };
    expect(readOverlay(overlayText(overlay), {})).toEqual({ overlay, mistake: null });
  });
});
