import { describe, expect, test } from "vitest";
import { fillText } from "../../../src/core/text/fill-text.ts";
import { allTexts, formsOf, namedTexts, patternsIn, placeholdersOf } from "../../support/sources/all-texts.ts";

const english = patternsIn(allTexts.en);
const dashboard = namedTexts(["dashboard"]);
const daemon = namedTexts([
  "core",
  "config",
  "service",
  "storage",
  "state",
  "plans",
  "mqtt",
  "plugs",
  "integrations",
  "http",
  "api",
  "cli",
]);

/** The schema of the configuration has the English descriptions that the texts lack. */
const isDescription = (key: string) => /^forms\..*\.about$/.test(key);

describe.each(["da", "nb", "sv"] as const)("the texts in %s", (language) => {
  const texts = patternsIn(allTexts[language]);

  test("have the keys of English", () => {
    const keys = [...texts.keys()].filter((key) => english.has(key) || !isDescription(key));
    expect(keys).toEqual([...english.keys()]);
  });

  test("have the placeholders and plurals of English", () => {
    for (const [key, pattern] of english) {
      const translated = texts.get(key) ?? "";
      expect([key, typeof translated, placeholdersOf(translated)]).toEqual([
        ...[key, typeof pattern],
        placeholdersOf(pattern),
      ]);
    }
  });

  test("are translated, and not empty", () => {
    const sentence = /[a-z]{13}|[a-z]{2} [a-z]{2}/;
    for (const [key, pattern] of texts) {
      if (!isDescription(key)) expect(formsOf(pattern).map((form) => form.trim())).not.toContain("");
      const same = formsOf(pattern).some((form) => sentence.test(form) && form === english.get(key));
      expect([key, same]).toEqual([key, false]);
    }
  });
});

test("the dashboard uses every text of its parts", () => {
  const stems = [...dashboard.strings].filter((each) => each.endsWith("_…")).map((each) => each.slice(0, -1));
  const { page, editing, results, setup, system } = allTexts.en;
  const names = Object.keys({ ...page, ...editing, ...results, ...setup, ...system });
  const isUsed = (name: string) => dashboard.strings.has(name) || stems.some((stem) => name.startsWith(stem));
  expect(names.filter((name) => !isUsed(name))).toEqual([]);
});

test("the daemon uses every text of its subjects", () => {
  const stems = [...daemon.strings].filter((each) => /\..*…$/.test(each)).map((each) => each.slice(0, -1));
  const { page, editing, forms, results, setup, system, ...subjects } = allTexts.en;
  const isUsed = (key: string) => daemon.strings.has(key) || stems.some((stem) => key.startsWith(stem));
  expect([...patternsIn(subjects).keys()].filter((key) => !isUsed(key))).toEqual([]);
});

test("an error of the API has the key of its text, never an English sentence", () => {
  const { errors } = namedTexts(["http", "api"]);
  expect(errors.length).toBeGreaterThan(100);
  expect(errors.filter(({ hasSentence }) => hasSentence)).toEqual([]);
});

test("a text gets a fact for each of its placeholders", () => {
  const parts = [allTexts.en.page, allTexts.en.editing, allTexts.en.results, allTexts.en.setup, allTexts.en.system];
  const called = [...dashboard.calls, ...daemon.calls.filter(({ name }) => english.has(name))];
  const checked = called.flatMap(({ file, name, facts }) => {
    const patterns = [english, ...parts.map((part) => patternsIn(part))].flatMap((each) => each.get(name) ?? []);
    const isFilled = patterns.some((pattern) => placeholdersOf(pattern).every((each) => facts.includes(each)));
    return patterns.length === 0 ? [] : [{ file, name, isFilled }];
  });
  expect(checked.length).toBeGreaterThan(300);
  expect(checked.filter(({ isFilled }) => !isFilled)).toEqual([]);
});

describe("fillText", () => {
  const runs = { one: "{runs} run", other: "{runs} runs" };

  test.each([
    ["inserts facts", "{name}: {hours} h", { name: "Washer", hours: 2 }, "Washer: 2 h"],
    ["does not fill the text of a fact", "{name}", { name: "{hours}", hours: 2 }, "{hours}"],
    ["leaves out a fact that is null", "Refused: {reason}", { reason: null }, "Refused: "],
    ["keeps a placeholder without a fact", "{seconds} s", {}, "{seconds} s"],
    ["selects the form for one", runs, { count: 1, runs: "1" }, "1 run"],
    ["selects the form for several", runs, { count: 2, runs: "2" }, "2 runs"],
    ["selects the form for several without a count", runs, { runs: "2" }, "2 runs"],
  ])("%s", (_, pattern, facts, text) => {
    expect(fillText("en", pattern, facts)).toBe(text);
  });
});
