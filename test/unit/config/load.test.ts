import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { planDefinitions } from "../../../src/config/plan-list.ts";
import { readConfig } from "../../../src/config/reading/load.ts";
import { withNewKeys } from "../../../src/config/reading/new-keys.ts";
import { keyRows } from "../../../src/config/schema/key-rows.ts";
import { oldPlanKeys } from "../../../src/config/schema/old-keys.ts";
import { redactedConfig } from "../../../src/config/secrets.ts";
import { StartError } from "../../../src/core/status/start-error.ts";
import { corpusMessages, corpusMistakes, corpusNames, corpusText } from "../../support/sources/config-corpus.ts";
import { mistakeLines, mistakesIn } from "../../support/sources/config-mistakes.ts";

const CANARY = "canary";

/** Returns the content of existing files: one with a secret. */
function readFile(name: string): string {
  if (name === "/run/secrets/key") return `${CANARY}\n`;
  throw Object.assign(new Error(`ENOENT: ${name}`), { code: "ENOENT" });
}

function read(text: string | null, environment: Record<string, string | undefined> = {}) {
  return readConfig({ text, environment, readFile });
}

function configOf(text: string | null, environment: Record<string, string | undefined> = {}) {
  const reading = read(text, environment);
  if (reading.kind === "mistakes") throw new Error(JSON.stringify(reading.mistakes));
  return reading.config;
}

function mistakesOf(text: string | null, environment: Record<string, string | undefined> = {}): string[] {
  const reading = read(text, environment);
  return mistakeLines(reading);
}

describe("an invalid file is reported completely, without its secrets:", () => {
  test.each(corpusNames)("%s", (name) => {
    const reported = mistakesOf(corpusText(name)).join("\n");
    expect(`${reported}\n`).toBe(corpusMistakes(name));
    expect(reported).not.toContain(CANARY);
    expect(reported).not.toContain("4711");
  });

  test("in words that do not depend on another library in the process that sets Zod's language", () => {
    const { localeError } = z.config();
    z.config(z.locales.en());
    try {
      for (const name of corpusNames) expect(`${mistakesOf(corpusText(name)).join("\n")}\n`).toBe(corpusMistakes(name));
    } finally {
      z.config({ localeError });
    }
  });

  test("every file with messages has its configuration", () => {
    expect(corpusMessages).toEqual(corpusNames);
    expect(corpusNames.length).toBeGreaterThanOrEqual(60);
  });
});

describe("a valid file", () => {
  test.each([null, "", "# nothing but a comment\n", "---\n"])("without keys contains all defaults: %j", (text) => {
    expect(configOf(text)).toMatchObject({
      service: { base_url: "https://api.minstroem.app" },
      mqtt: { base_topic: "elbro", discovery_prefix: "homeassistant" },
      api: { port: 8080, requests_per_minute: 60, requests_per_day: 2000 },
      history: { months: 13 },
      data_dir: "./data",
    });
  });

  test("a valid file treats an empty list as a missing list", () => {
    const reading = readConfig({
      text: '{"consumer":{"api_key":"a"},"homes":[],"plans":[]}',
      environment: {},
      readFile,
    });
    expect(reading).toMatchObject({ kind: "config", config: { plans: [] } });
    expect(reading.kind === "config" && reading.config.homes).toBeUndefined();
  });

  test("a valid file treats a section without uncommented lines as missing", () => {
    const text = "consumer:\n  api_key: abc\nmqtt:\n  # url: mqtt://host\nhomes:\nthird_party:\n";
    expect(configOf(text)).toEqual(configOf("consumer: { api_key: abc }"));
  });

  test("a valid file has one consumer, or a list of consumers with different names", () => {
    expect(configOf("consumer: { api_key: abc }").consumer).toEqual({ name: "consumer", api_key: "abc" });
    const two = "consumer: [{ api_key: abc }, { name: cabin, api_key: def }]";
    expect(configOf(two).consumer).toEqual([
      { name: "consumer", api_key: "abc" },
      { name: "cabin", api_key: "def" },
    ]);
  });

  test("a valid file can refer to files with secrets, also in lists, and ignores their line end", () => {
    const { consumer, api } = configOf(
      "consumer: { api_key_file: /run/secrets/key }\napi: { keys: [{ name: a, key_file: /run/secrets/key }] }",
    );
    expect(consumer).toEqual({ name: "consumer", api_key: CANARY });
    expect(api.keys).toEqual([{ name: "a", key: CANARY }]);
  });

  test("a valid file reads quoted numbers as text", () => {
    expect(configOf('consumer: { api_key: "0815" }').consumer).toMatchObject({ api_key: "0815" });
  });
});

describe("an environment variable", () => {
  test.each([
    ["ELBRO_CONSUMER_API_KEY", "abc", { consumer: { api_key: "abc" } }],
    ["ELBRO_CONSUMER_API_KEY", "0815", { consumer: { api_key: "0815" } }],
    ["ELBRO_CONSUMER_API_KEY", "*a:[b", { consumer: { api_key: "*a:[b" } }],
    ["ELBRO_CONSUMER_API_KEY_FILE", "/run/secrets/key", { consumer: { api_key: CANARY } }],
    ["ELBRO_API_PORT", "80", { api: { port: 80 } }],
    ["ELBRO_API_REQUESTS_PER_MINUTE", "5", { api: { requests_per_minute: 5 } }],
    ["ELBRO_LEVELS_VERY_CHEAP", "0.5", { levels: { very_cheap: 0.5 } }],
    ["ELBRO_THIRD_PARTY_HASH_ENCODING", "base64", { third_party: { hash_encoding: "base64" } }],
    [
      "ELBRO_THIRD_PARTY_PLACES",
      "[{ name: A, region: DK1 }]",
      { third_party: { places: [{ name: "A", region: "DK1" }] } },
    ],
    ["ELBRO_API_KEYS", "[{ name: a, key: b }]", { api: { keys: [{ name: "a", key: "b" }] } }],
    ["ELBRO_CONSUMER", "[{ name: a, api_key: b }]", { consumer: [{ name: "a", api_key: "b" }] }],
    ["ELBRO_MQTT", "{ url: mqtt://host }", { mqtt: { url: "mqtt://host" } }],
    ["ELBRO_MQTT_DISCOVERY_PREFIX", "7", { mqtt: { discovery_prefix: "7" } }],
    ["ELBRO_DATA_DIR", "/data", { data_dir: "/data" }],
    ["ELBRO_LOG_LEVEL", "debug", { log: { level: "debug" } }],
  ])("an environment variable sets a key: %s=%s", (name, value, expected) => {
    expect(configOf(null, { [name]: value })).toMatchObject(expected);
  });

  test("an environment variable overrides the file for its key only", () => {
    const text = "api: { port: 1, host: 127.0.0.1 }\nconsumer: { api_key: abc }";
    const config = configOf(text, { ELBRO_API_PORT: "2" });
    expect(config).toMatchObject({ api: { port: 2, host: "127.0.0.1" }, consumer: { api_key: "abc" } });
  });

  test("with a value overrides a `_file` key of the file, and vice versa", () => {
    const byFile = "consumer: { api_key_file: /none }";
    expect(configOf(byFile, { ELBRO_CONSUMER_API_KEY: "abc" }).consumer).toMatchObject({ api_key: "abc" });
    const byValue = "consumer: { api_key: abc }";
    const variable = { ELBRO_CONSUMER_API_KEY_FILE: "/run/secrets/key" };
    expect(configOf(byValue, variable).consumer).toMatchObject({ api_key: CANARY });
  });

  test("an environment variable sets a key in a section that is empty in the file", () => {
    expect(configOf("consumer:", { ELBRO_CONSUMER_API_KEY: "abc" }).consumer).toMatchObject({ api_key: "abc" });
  });

  test("an environment variable is ignored if it is empty or belongs to another program", () => {
    const environment = {
      ...{ ELBRO_CONSUMER_API_KEY: "", ELBRO_BROKER_PORT: undefined, HOME: "/root", elbro_api_port: "1" },
      ...{ ELBRO_CONFIG: "x", ELBRO_CLOCK: "y", ELBRO_SPEED: "z" },
      ...{
        ELBRO_SERVICE_HOST: "10.0.0.1",
        ELBRO_SERVICE_PORT_HTTP: "80",
        ELBRO_PORT_8080_TCP_ADDR: "10.0.0.1",
        ELBRO_PORT: "tcp://",
        ELBRO_API_SERVICE_HOST: "10.0.0.1",
        ELBRO_API_SERVICE_PORT: "80",
        ELBRO_API_PORT: "tcp://10.0.0.1:80",
        ELBRO_API_PORT_80_TCP_PROTO: "tcp",
      },
    };
    expect(read(null, environment)).toEqual(read(null));
  });

  test.each([
    [
      { ELBRO_CONSUMER_APIKEY: CANARY },
      "ELBRO_CONSUMER_APIKEY: is not a key of the configuration; did you mean ELBRO_CONSUMER_API_KEY?",
    ],
    [{ ELBRO_WHATEVER_ELSE: "1" }, "ELBRO_WHATEVER_ELSE: is not a key of the configuration"],
    [{ ELBRO_API_PORT: "eighty" }, 'api.port (ELBRO_API_PORT): expected a number, found "eighty"'],
    [
      { ELBRO_API_KEYS: "[{ name: a" },
      "ELBRO_API_KEYS: line 1, column 11: this line is indented differently from the lines around it, or a bracket is not closed",
    ],
    [{ ELBRO_API_KEYS: "*canary" }, "ELBRO_API_KEYS: line 1, column 1: a value that begins with & or * needs quotes"],
    [
      { ELBRO_API_KEYS: "[{ name: a, kye: canary }]" },
      "api.keys[0].key (ELBRO_API_KEYS): expected text, found nothing",
    ],
    [
      { ELBRO_CONSUMER_API_KEY_FILE: "/none" },
      "consumer.api_key_file (ELBRO_CONSUMER_API_KEY_FILE): cannot read /none: the file does not exist",
    ],
    [
      { ELBRO_CONSUMER_API_KEY: CANARY, ELBRO_CONSUMER_API_KEY_FILE: "/run/secrets/key" },
      "consumer.api_key_file (ELBRO_CONSUMER_API_KEY_FILE): api_key is also set; remove one of them",
    ],
  ])("with a mistake is reported with its name: %j", (environment, reported) => {
    const mistakes = mistakesOf(null, environment as Record<string, string>);
    expect(mistakes).toContain(reported);
    expect(mistakes.join()).not.toContain(CANARY);
  });

  test("an environment variable cannot set a consumer key if the file has a list of consumers", () => {
    const text = "consumer: [{ name: a, api_key: canary }]";
    expect(mistakesOf(text, { ELBRO_CONSUMER_API_KEY: "abc" })).toEqual([
      "ELBRO_CONSUMER_API_KEY: cannot be set: consumer is a list in the file",
    ]);
  });

  test("an environment variable is reported together with the mistakes of the file", () => {
    expect(mistakesOf("api: { port: x }\nspeed: 1", { ELBRO_NOTHING_AT_ALL: "1", ELBRO_API_HOST: "h" })).toHaveLength(
      3,
    );
  });
});

describe("secret files in standard folders", () => {
  const secrets = ["/run/secrets/elbro_consumer_api_key", "/creds/ELBRO_MQTT_PASSWORD", "/run/secrets/elbro_whatever"];
  const readFrom = (
    text: string | null,
    environment: Record<string, string> = {},
    there: readonly string[] = secrets,
  ) => readConfig({ text, environment, readFile: (file) => `of:${file}\n`, secrets: there });

  test("set the keys that they are named after; other files are ignored", () => {
    expect(readFrom(null)).toMatchObject({
      config: {
        consumer: { api_key: "of:/run/secrets/elbro_consumer_api_key" },
        mqtt: { password: "of:/creds/ELBRO_MQTT_PASSWORD" },
      },
      secretFiles: [],
    });
  });

  test.each([
    ["consumer: { api_key: abc }", {}, "abc"],
    ["consumer: { api_key_file: /mine }", {}, "of:/mine"],
    [null, { ELBRO_CONSUMER_API_KEY: "abc" }, "abc"],
    [null, { ELBRO_CONSUMER_API_KEY_FILE: "/mine" }, "of:/mine"],
    ["consumer:", {}, "of:/run/secrets/elbro_consumer_api_key"],
  ])(
    "secret files in standard folders have a lower priority than file and environment: %j %j",
    (text, environment, expected) => {
      expect(readFrom(text, environment)).toMatchObject({ config: { consumer: { api_key: expected } } });
    },
  );

  test("secret files in standard folders are reported if the file has a list of consumers", () => {
    expect(mistakesIn(readFrom("consumer: [{ name: a, api_key: canary }]"))).toEqual([
      { path: "/run/secrets/elbro_consumer_api_key", text: "cannot be set: consumer is a list in the file" },
    ]);
  });
});

describe("holdsSecrets and secretFiles, for warnings about file permissions,", () => {
  test.each([
    ["consumer: { api_key: abc }", true, []],
    ["mqtt: { url: mqtt://me:canary@host }", true, []],
    ["api: { keys: [{ name: a, key: b }] }", true, []],
    ["consumer: { api_key_file: /k }", false, ["/k"]],
    ["mqtt: { url: mqtt://host, ca_file: /ca, password_file: /p }", false, ["/p"]],
    ["mqtt: { url: mqtt://host }\nlog: { level: warn }", false, []],
  ])("%s", (text, holdsSecrets, secretFiles) => {
    const reading = readConfig({ text, environment: {}, readFile: () => "x" });
    expect(reading).toMatchObject({ kind: "config", holdsSecrets, secretFiles });
  });

  test("holdsSecrets and secretFiles, for warnings about file permissions, do not include a secret in an environment variable", () => {
    expect(read("log: { level: warn }", { ELBRO_CONSUMER_API_KEY: "abc" })).toMatchObject({ holdsSecrets: false });
  });
});

describe("a key of an earlier version", () => {
  const warning = /^broker\.ws_port is not used any more: .*Mosquitto/;

  test.each([
    ["in the file", 'broker: { port: 1884, ws_port: "9001" }', {}],
    ["alone in its section", "broker: { ws_port: 9001 }", {}],
    ["in the environment", "broker: { port: 1884 }", { ELBRO_BROKER_WS_PORT: "9001" }],
    ["as the name of a file", "broker: { ws_port_file: /missing }", {}],
  ])("is a warning that names its replacement: %s", (_, text, environment) => {
    const reading = read(text, environment);
    expect(reading).toMatchObject({ kind: "config", deleted: [expect.stringMatching(warning)] });
    expect(reading.kind === "config" && reading.config.broker).not.toHaveProperty("ws_port");
  });

  const washer = "kind: window, hours: 2";
  const lines: readonly (readonly [old: string, now: string, plan: string])[] = [
    ["power_limit: kitchen", "group: kitchen, and in groups: - { name: kitchen }", washer],
    ["level: cheap", "cheap_below: cheap", "kind: below, max_price: 2"],
    ["percent: 35", "cheap_below: 35%", "kind: below"],
    ["max_price: -0.1", "cheap_below: -0.1", "kind: below"],
    ["price: export", "cheap_below: 0 export", "kind: below, cheap_below: 0"],
    ["tolerance_side: latest", "tolerance: 5 % latest", `${washer}, tolerance: 5`],
    ["after_pause: 15m", "after: other + 15m", `${washer}, after: other`],
    ["energy: 24", "kwh: 24", "kind: slots, kw: 11"],
    ["use_forecast: true", "", washer],
    ["at_most_runs: 4", "min_run: 75m", "kind: slots, hours: 5"],
    ["learn: true", "kwh: 1.1 learned", `${washer}, kwh: 1.1`],
    ["when_lost: keep", 'fallback: ["02:00-04:00","keep"]', `${washer}, fallback: ["02:00-04:00"]`],
  ];
  const textWith = (plan: string) =>
    `homes: [{ address_id: 6f1c0a52-7c86-4f0e-9d0e-000000000001, id: home }]
plans: [{ name: Other, home: home, kind: window, hours: 1 }, { name: Washer, home: home, ${plan} }]`;
  const plansIn = (text: string) => planDefinitions(configOf(text).plans, configOf(text).groups);

  test.each(lines)("of a plan is a warning that shows the new line, which is the same plan: %s", (old, now, plan) => {
    const key = old.slice(0, old.indexOf(":"));
    const reading = read(textWith(`${plan}, ${old}`));
    expect(reading).toMatchObject({
      deleted: [`plans[1].${key} is not used any more: ${now ? `write ${now}` : "remove it"}`],
    });
    const [line, groups] = now.split(", and in groups: ");
    const others = plan.split(/, (?=\w+:)/).filter((each) => !now.startsWith(each.slice(0, each.indexOf(":") + 1)));
    const text = `${textWith([...others, line].filter(Boolean).join(", "))}${groups ? `\ngroups:\n  ${groups}` : ""}`;
    expect(read(text)).toMatchObject({ kind: "config", deleted: [] });
    expect(plansIn(text)).toEqual(plansIn(textWith(`${plan}, ${old}`)));

    const fixed = withNewKeys(`# of the owner\n${textWith(`${plan}, ${old}`)} # all`);
    expect(read(fixed)).toMatchObject({ kind: "config", deleted: [] });
    expect(plansIn(fixed)).toEqual(plansIn(text));
    expect(fixed.split(/ *#/).map((part) => part.split("\n")[0])).toEqual(["", " of the owner", " all"]);
  });

  test("gives its place and comments to the new one in `check --fix`; the rest of the file stays", () => {
    const file = (plan: string) => `# mine
homes:
  - { address_id: a, id: home } # the flat

plans:
  # by day
  - name: Car # fast
${plan}
    home: home
`;
    const old = "    kind: below # always\n    percent: 35 # of the day\n    use_forecast: true";
    const now = "    kind: below # always\n    cheap_below: 35% # of the day";
    expect(withNewKeys(file(old))).toBe(file(now));
    expect(withNewKeys(file(now))).toBe(file(now));
  });

  test("is replaced once where several plans share it, and not if they share its value, or in what is no YAML", () => {
    expect(withNewKeys("plans:\n  - &car { kind: below, level: cheap }\n  - *car\n")).toBe(
      "plans:\n  - &car { kind: below, cheap_below: cheap }\n  - *car\n",
    );
    const shared = "plans:\n  - { kind: below, percent: &p 35 }\n  - { kind: window, hours: *p }";
    expect(() => withNewKeys(shared)).toThrow(/alias/);
    expect(() => withNewKeys("plans: [")).toThrow(StartError);
  });

  test("of a plan has a line above", () => {
    expect(lines.map(([old]) => old.slice(0, old.indexOf(":"))).sort()).toEqual([...oldPlanKeys].sort());
  });

  test("is no warning where nobody uses it", () => {
    expect(read("broker: { port: 1884 }")).toMatchObject({ kind: "config", deleted: [] });
  });
});

test("a configuration is displayed without secrets", () => {
  const text = `
consumer: [{ api_key: canary-1 }, { name: b, api_key: canary-2 }]
third_party: { api_key: canary-3, api_secret: canary-4 }
mqtt: { url: "mqtts://me:canary-5@host:8883", username: me, password: canary-6, key: canary-7 }
broker: { users: [{ name: a, password: canary-8 }] }
api: { keys: [{ name: a, key: canary-9 }], third_party_keys: [{ name: c, api_key: canary-10, api_secret: canary-11 }] }
service: { base_url: "https://me:canary-12@service.example/path" }
`;
  const shown = JSON.stringify(redactedConfig(configOf(text)));
  expect(shown).not.toContain("canary");
  expect(shown).toContain('"url":"mqtts://(set)@host:8883"');
  expect(shown).toContain('"base_url":"https://(set)@service.example/path"');
  expect(shown).toContain('"username":"me"');
});

test("every secret of the schema is marked as secret", () => {
  const secrets = keyRows().flatMap((row) => (row.secret ? [row.path] : []));
  expect(secrets).toEqual([
    "consumer.api_key",
    "third_party.api_key",
    "third_party.api_secret",
    "mqtt.password",
    "mqtt.key",
    "broker.tls.key",
    "broker.users[].password",
    "home_assistant.token",
    "notify.topic_url",
    "notify.webhook_url",
    "notify.webhook_headers",
    "notify.webhook_body",
    "notify.token",
    "notify.password",
    "archive.password",
    "api.tls.key",
    "api.keys[].key",
    "api.third_party_keys[].api_key",
    "api.third_party_keys[].api_secret",
    "plugs[].password",
  ]);
});

test("a file that cannot be read is reported with its reason, without a secret given instead of its name", () => {
  const failing = (code: string) =>
    readConfig({
      text: "consumer: { api_key_file: /run/k }",
      environment: {},
      readFile: () => {
        throw Object.assign(new Error(CANARY), { code });
      },
    });
  for (const [code, why] of [
    ["EACCES", "this user has no permission to read it"],
    ["EISDIR", "it is a folder"],
    ["ELOOP", "the system says ELOOP"],
  ] as const)
    expect(mistakesIn(failing(code))).toEqual([
      { path: "consumer.api_key_file", text: `cannot read /run/k: ${why}`, line: 1 },
    ]);
});

test("no message shows a part of a file's content, whatever the key", () => {
  const content = "canary-root:x:0:0:😀\nsecond line";
  const texts = keyRows().filter(({ kind, inList }) => kind === "text" && !inList);
  for (const { path } of texts) {
    const reading = readConfig({
      text: null,
      environment: { [`ELBRO_${path.replaceAll(".", "_").toUpperCase()}_FILE`]: "/f" },
      readFile: () => content,
    });
    expect(JSON.stringify(reading.kind === "mistakes" && reading.mistakes), path).not.toMatch(/canary|root:x|second/);
  }
  const inLists = `
homes: [{ address_id_file: /f, id: home }, { address_id: "11111111-2222-4333-8444-555555555555", id_file: /f }]
plans:
  - { name_file: /f, home_file: /f, kind_file: /f, hours_file: /f, from_file: /f, after_file: /f, group_file: /f }
  - { name: A, home: home, kind: window, hours: 1, after_file: /s, group_file: /s }
plugs: [{ name: P, family_file: /f, topic_file: /f, plan_file: /s, on: { topic_file: /f, payload: a } }]
`;
  const readBoth = (name: string) => (name === "/s" ? "canary-slug" : content);
  const reading = readConfig({ text: inLists, environment: {}, readFile: readBoth });
  expect(reading.kind).toBe("mistakes");
  expect(JSON.stringify(reading)).not.toMatch(/canary|root:x|second/);
});

test("an empty secret file is reported", () => {
  const reading = readConfig({ text: "consumer: { api_key_file: /k }", environment: {}, readFile: () => "\n" });
  expect(mistakeLines(reading)).toEqual(["consumer.api_key: expected a text that is not empty, found an empty text"]);
});

describe("a mistake in the file is reported with its line:", () => {
  const linesOf = (text: string, environment = {}) => {
    return mistakesIn(read(text, environment)).map(({ path, line }) => [path, line]);
  };

  test("keys, list items, and missing keys of a section", () => {
    const text = `# a house
consumer:
  api_key: abc
api: { port: eighty }
plans:
  - name: A
    kind: slots
    hours: 2
  - name: B
    kind: window
    hurs: 2
speed: 3
`;
    expect(linesOf(text)).toEqual(
      expect.arrayContaining([
        ["api.port", 4],
        ["plans[1].hurs", 11],
        ["speed", 12],
      ]),
    );
    expect(linesOf("consumer: { api_key: a }\n", { ELBRO_API_PORT: "eighty" })).toEqual([
      ["api.port (ELBRO_API_PORT)", undefined],
    ]);
  });

  test("excessive nesting", () => {
    for (const text of [`a: ${"[".repeat(200_000)}`, `a:\n${"- ".repeat(100_000)}`])
      expect(mistakesOf(text)[0]).toBe("the file: brackets or lists are nested too deeply");
  });
});

test("unquoted on and off, which YAML 1.1 reads as booleans, keep their meaning", () => {
  const { plans, plugs } = configOf(`
plans:
  - { name: Heat pump, home: home, kind: avoid, hours: 3, fallback: [true], enabled: true }
  - { name: Car, home: home, kind: slots, hours: 3, fallback: [false] }
plugs:
  - { name: Heat pump, family: tasmota, topic: pump, plan: heat_pump, when_lost: true, inverted: false }
`);
  expect(plans.map(({ fallback, enabled }) => [fallback, enabled])).toEqual([
    [["on"], true],
    [["off"], true],
  ]);
  expect(plugs.map(({ when_lost, inverted }) => [when_lost, inverted])).toEqual([["on", false]]);
  expect(mistakesOf("log: { level: true }")).toEqual([
    "log.level: expected one of debug, info, warn, error, found true",
  ]);
});
