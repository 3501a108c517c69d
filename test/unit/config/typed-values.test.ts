import * as fc from "fast-check";
import { expect, test } from "vitest";
import { changeBetween, takenOver } from "../../../src/config/config-change.ts";
import { dashboardUrlOf } from "../../../src/config/dashboard-url.ts";
import { planDefinitions } from "../../../src/config/plan-list.ts";
import { plugWarnings } from "../../../src/config/plug-warnings.ts";
import { readConfig } from "../../../src/config/reading/load.ts";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { redactedConfig, secretsIn } from "../../../src/config/secrets.ts";
import type { Language } from "../../../src/core/language/language.ts";
import type { Message } from "../../../src/core/language/text.ts";
import { languages } from "../../../src/i18n/languages.ts";
import { allTexts, patternsIn, placeholdersOf } from "../../support/sources/all-texts.ts";
import { mistakeLines, mistakesIn } from "../../support/sources/config-mistakes.ts";
import { typedValues } from "../../support/sources/typed-values.ts";

const RUNS = process.env.ELBRO_NIGHTLY === "1" ? 20_000 : 3_000;

function readFile(): string {
  throw Object.assign(new Error("no such file"), { code: "ENOENT" });
}

/** Returns the keys that a language lacks, and the placeholders without a fact, of a text and its parts. */
function unfilledIn(language: Language, { key, facts }: Pick<Message, "key" | "facts">): string[] {
  const pattern = patterns.get(language)?.get(key);
  const unfilled = pattern === undefined ? [key] : placeholdersOf(pattern).filter((name) => !(name in facts));
  return [
    ...unfilled,
    ...Object.values(facts).flatMap((fact) => (typeof fact === "object" ? unfilledIn(language, fact) : [])),
  ];
}

const patterns = new Map(languages.map((language) => [language, patternsIn(allTexts[language])]));

test("any value of any key is a configuration or a list of mistakes with a text in every language, never an exception", () => {
  const before = configSchema.parse({});
  const found = { config: 0, mistakes: 0 };
  fc.assert(
    fc.property(typedValues(), ({ tree }) => {
      const reading = readConfig({ text: JSON.stringify(tree), environment: {}, readFile });
      found[reading.kind]++;
      if (reading.kind === "mistakes") {
        const isListed = mistakesIn(reading).every(({ path, text }) => path !== "" && !/internal error|^$/.test(text));
        for (const language of languages)
          for (const said of reading.mistakes) expect(unfilledIn(language, said)).toEqual([]);
        return isListed && reading.mistakes.length > 0;
      }
      const { config } = reading;
      planDefinitions(config.plans, config.groups);
      plugWarnings(config.plugs, config.plans);
      changeBetween(before, takenOver(before, config));
      dashboardUrlOf(config.api);
      redactedConfig(config);
      secretsIn(config);
      return true;
    }),
    { numRuns: RUNS },
  );
  expect(found.config).toBeGreaterThan(RUNS / 20);
  expect(found.mistakes).toBeGreaterThan(RUNS / 4);
});

test("an accepted key of the service can be sent; any other is named before the network is asked", () => {
  const typed = fc.oneof(fc.string({ unit: "binary", minLength: 1, maxLength: 6 }), fc.string({ minLength: 1 }));
  let sent = 0;
  fc.assert(
    fc.property(typed, (key) => {
      const reading = readConfig({ text: JSON.stringify({ consumer: { api_key: key } }), environment: {}, readFile });
      if (reading.kind === "mistakes") return reading.mistakes[0]?.path === "consumer.api_key";
      sent++;
      return new Headers({ authorization: `Bearer ${key}` }).get("authorization") === `Bearer ${key}`;
    }),
    { numRuns: 2_000 },
  );
  expect(sent).toBeGreaterThan(200);
});

test.each([
  ["“abc”", "begins and ends with quotes"],
  ['"abc"', "begins and ends with quotes"],
  ["abc”d", "found a character that no key has, such as a curly quote, at position 4"],
  ["abc\ndef", "found a line break at position 4"],
  ["abc\0def", "found a control character at position 4"],
  ["abc def", "found a space at position 4"],
])("the key %j is a mistake that does not show it", (key, said) => {
  for (const [name, more] of [
    ["consumer.api_key", { consumer: { api_key: key } }],
    ["third_party.api_secret", { third_party: { api_key: "a", api_secret: key } }],
    ["home_assistant.token", { home_assistant: { url: "http://ha", token: key } }],
    ["notify.token", { notify: { topic_url: "https://ntfy.sh/a", token: key } }],
  ] as const) {
    const reading = readConfig({ text: JSON.stringify(more), environment: {}, readFile });
    expect(mistakesIn(reading)).toMatchObject([{ path: name, text: expect.stringContaining(said) }]);
    expect(JSON.stringify(reading)).not.toContain("abc");
  }
});

test("a control character in any text is a mistake, except in certificates", () => {
  const texts = [
    ["mqtt", "password"],
    ["mqtt", "ca"],
    ["broker", "host"],
  ] as const;
  const mistaken = texts.filter(([section, key]) => {
    const tree = { [section]: { [key]: "one\ntwo" } };
    return readConfig({ text: JSON.stringify(tree), environment: {}, readFile }).kind === "mistakes";
  });
  expect(mistaken.map(([section, key]) => `${section}.${key}`)).toEqual(["mqtt.password", "broker.host"]);
});

test("an unexpected error while a configuration is read is a mistake that does not quote it", () => {
  const page = () => {
    throw new TypeError("Invalid value: canary");
  };
  const reading = readConfig({ text: "language: da", environment: {}, readFile, overlay: page });
  expect(mistakeLines(reading)).toEqual([
    expect.stringMatching(/^the file: internal error, please report this: TypeError at /),
  ]);
  expect(JSON.stringify(reading)).not.toContain("canary");
});
