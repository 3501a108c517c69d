import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod/mini";
import keyDescriptions from "../../../src/config/key-descriptions.json" with { type: "json" };
import { readConfig } from "../../../src/config/reading/load.ts";
import { configJsonSchema } from "../../../src/config/schema/json-schema.ts";
import { keyRows } from "../../../src/config/schema/key-rows.ts";
import { oneLine } from "../../../src/config/schema/values.ts";
import { configDocs } from "../../support/docs/config-docs.ts";
import { exampleText } from "../../support/docs/config-example.ts";
import { pemOr } from "../../support/service/test-identity.ts";
import { corpusNames, corpusText } from "../../support/sources/config-corpus.ts";

const ajv = new Ajv({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true });
formats.default(ajv);
const validate = ajv.compile(configJsonSchema());

function fits(text: string): boolean {
  return validate(parse(text, { logLevel: "silent" }) ?? {});
}

function read(text: string) {
  return readConfig({ text, environment: {}, readFile: pemOr("from-a-file") });
}

/** Example with every line uncommented. */
const allLines = exampleText().replace(/^( *)#(?=\S)/gm, "$1");
/** Same without accounts_dir, which excludes the accounts below it. */
const everything = allLines.replace(/^(accounts_dir:|shard:(\n +.*)*).*$/gm, "");

describe("configuration descriptions", () => {
  test("exist for every key, and for no other; a missing one is reported with its key", () => {
    expect(Object.keys(keyDescriptions)).toEqual(keyRows().map(({ path }) => path));
    const section = z.strictObject({ bare: z.optional(oneLine) });
    expect(() => keyRows(z.strictObject({ log: section }))).toThrow("log.bare has no description");
  });

  test("configuration descriptions are sentences", () => {
    for (const { words } of keyRows()) expect(words.about).toMatch(/^[A-Za-z].*\.$/);
  });

  test("fill one table line for every key that is not a section", () => {
    const lines = configDocs().split("\n");
    for (const row of keyRows().filter(({ depth }) => depth > 0))
      expect(lines.filter((line) => line.startsWith(`| \`${row.path}\` |`))).toHaveLength(1);
    for (const line of lines.filter((each) => each.startsWith("|"))) expect(line.split(/(?<!\\)\|/)).toHaveLength(6);
  });
});

describe("elbro.example.yaml", () => {
  test("elbro.example.yaml is valid and contains only defaults and the API key", () => {
    const reading = read(exampleText());
    expect(reading).toMatchObject({ kind: "config", config: { consumer: { api_key: "put-your-key-here" } } });
    const bare = read("consumer: { api_key: put-your-key-here }");
    expect(reading).toEqual(bare);
  });

  test("elbro.example.yaml is valid with every line uncommented", () => {
    expect(read(everything)).toMatchObject({ kind: "config", config: { mqtt: { ca: "from-a-file" } } });
  });

  test("elbro.example.yaml has a line for every key outside lists", () => {
    for (const { name, inList, depth, words } of keyRows().filter((row) => !row.inList)) {
      const key = words.exampleFile === undefined ? name : `${name}_file`;
      expect(allLines, name).toMatch(new RegExp(`^${"  ".repeat(depth)}${key}:`, "m"));
      expect(inList).toBe(false);
    }
  });

  test("elbro.example.yaml has sections whose defaults equal the defaults of their keys", () => {
    const sections = ["service", "mqtt", "broker", "api", "levels", "history", "retention", "log"];
    const given = sections.map((name) => `${name}: {}`).join("\n");
    expect(read(given)).toEqual(read(""));
  });

  test("elbro.example.yaml shows the default of every key that has one", () => {
    const text = everything.replace(/^( *)(ca|cert|key)_file:.*$/gm, "");
    const reading = read(text);
    if (reading.kind === "mistakes") throw new Error(JSON.stringify(reading.mistakes));
    const defaults = read("consumer: { api_key: put-your-key-here }");
    if (defaults.kind === "mistakes") throw new Error("the defaults are a mistake");
    const { levels, history, retention, data_dir, log } = defaults.config;
    expect(reading.config).toMatchObject({ levels, history, retention, data_dir, log });
  });
});

describe("the JSON Schema", () => {
  test("the JSON Schema accepts the example, also with every line uncommented", () => {
    expect(fits(exampleText()), JSON.stringify(validate.errors)).toBe(true);
    expect(fits(allLines), JSON.stringify(validate.errors)).toBe(true);
  });

  test("the JSON Schema accepts every configuration that the reader accepts", () => {
    const good = [
      "",
      "consumer:\n  api_key: abc\nmqtt:\nhomes:\nthird_party:\n",
      "consumer: [{ api_key: abc }, { name: cabin, api_key_file: /run/key }]",
      "api: { keys: [{ name: a, key_file: /k }, { name_file: /n, key: b }] }",
      "plans: [{ name: A, home: h, kind: window, hours: 1h30m }, { name: B, home: h, kind: slots, hours: 1.5 }]",
      "plugs: [{ name: A, family: tasmota, topic: a, signal_topic: b, channel: 2 }]",
      "third_party: { places: [{ name: A, region_file: /region }] }",
    ];
    for (const text of good) {
      expect(read(text), text).toMatchObject({ kind: "config" });
      expect(fits(text), `${text} ${JSON.stringify(validate.errors)}`).toBe(true);
    }
  });

  test("the JSON Schema describes every key", () => {
    const described = JSON.stringify(configJsonSchema());
    for (const { words } of keyRows()) expect(described).toContain(JSON.stringify(words.about));
  });
});

describe("the JSON Schema rejects the invalid file", () => {
  /** Not expressible in a schema: invalid YAML, missing files, unknown references, sums and orders. */
  const BEYOND = /^(yaml-|reader-)/;
  const within = corpusNames.filter((name) => !BEYOND.test(name));

  test.each(within)("%s", (name) => {
    expect(fits(corpusText(name))).toBe(false);
  });

  test.each(corpusNames.filter((name) => name.startsWith("reader-")))(
    "the JSON Schema accepts %s, which only the reader can reject",
    (name) => {
      expect(fits(corpusText(name)), JSON.stringify(validate.errors)).toBe(true);
    },
  );

  test("the example refers editors to the JSON Schema", () => {
    const [first] = readFileSync(path.join(import.meta.dirname, "../../../config/elbro.example.yaml"), "utf8").split(
      "\n",
    );
    expect(first).toBe("# yaml-language-server: $schema=./elbro.schema.json");
  });
});
