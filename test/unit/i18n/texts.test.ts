import { describe, expect, test } from "vitest";
import { dashboardSubjects, fillText, withEnglish } from "../../../src/core/text/fill-text.ts";
import { languages } from "../../../src/i18n/languages.ts";
import { textFiles } from "../../../src/i18n/texts.ts";
import {
  allTexts,
  completeLanguages,
  formsOf,
  namedTexts,
  patternsIn,
  placeholdersOf,
} from "../../support/sources/all-texts.ts";

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

/** Texts of a page may be longer than in English by this much, so that they fit where the English one fits. */
const MAX_LONGER = { times: 1.5, characters: 24 } as const;

describe.each(languages.filter((language) => language !== "en"))("the texts in %s", (language) => {
  const texts = patternsIn(textFiles[language]);

  test("have keys of English, in its order", () => {
    const keys = [...texts.keys()].filter((key) => english.has(key) || !isDescription(key));
    expect(keys).toEqual([...english.keys()].filter((key) => texts.has(key)));
  });

  test("have the placeholders of English, and each plural form of the language", () => {
    const counts = Array.from({ length: 200 }, (_, count) => count);
    const categories = new Set(counts.map((count) => new Intl.PluralRules(language).select(count)).concat("other"));
    for (const [key, translated] of texts) {
      const pattern = english.get(key) ?? translated;
      expect([key, typeof translated, placeholdersOf(translated)]).toEqual([
        ...[key, typeof pattern],
        placeholdersOf(pattern),
      ]);
      if (typeof translated !== "string") expect([key, new Set(Object.keys(translated))]).toEqual([key, categories]);
    }
  });

  test("are translated, not empty, and not much longer", () => {
    const sentence = /[a-z]{13}|[a-z]{2} [a-z]{2}/;
    for (const [key, pattern] of texts) {
      const inEnglish = english.get(key);
      if (!isDescription(key)) expect(formsOf(pattern).map((form) => form.trim())).not.toContain("");
      const same = formsOf(pattern).some((form) => sentence.test(form) && form === inEnglish);
      expect([key, same]).toEqual([key, false]);
      if (inEnglish === undefined || !dashboardSubjects.some((subject) => key.startsWith(`${subject}.`))) continue;
      const longest = Math.max(...formsOf(inEnglish).map((form) => form.length));
      const limit = MAX_LONGER.times * longest + MAX_LONGER.characters;
      for (const form of formsOf(pattern)) expect(form.length, `${key}: ${form}`).toBeLessThanOrEqual(limit);
    }
  });
});

test.each(languages)("no text in %s names a file of the documentation, which a page cannot open", (language) => {
  const naming = [...patternsIn(textFiles[language])].filter(([, text]) =>
    formsOf(text).some((form) => /\.md\b/.test(form)),
  );
  expect(naming.map(([key]) => key)).toEqual([]);
});

test.each(completeLanguages)("%s stays complete: a new text is in it too", (language) => {
  const texts = patternsIn(textFiles[language]);
  const missing = [...english.keys()].filter((key) => !texts.has(key));
  expect(missing, `add these texts to src/i18n/${language}.json`).toEqual([]);
});

describe("a language with a few texts", () => {
  const few = { page: { now: "Jetzt" } };

  test("shows English for the others, marked where a translator looks", () => {
    const english = { page: { now: "Now", later: "Later", runs: { one: "{n} run", other: "{n} runs" } } };
    expect(withEnglish(few, english, (text) => `[en] ${text}`)).toMatchObject({
      page: { now: "Jetzt", later: "[en] Later", runs: { one: "[en] {n} run", other: "[en] {n} runs" } },
    });
    expect(withEnglish(undefined, english)).toEqual(english);
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
  const { language, app, page, editing, forms, results, setup, system, ...subjects } = allTexts.en;
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

  test("selects the forms of the language, and its last form where a text has no other", () => {
    const days = { one: "{count} dzień", few: "{count} dni", many: "{count} dni", other: "{count} dnia" };
    expect([1, 2, 5, 1.5].map((count) => fillText("pl", days, { count }))).toEqual([
      ...["1 dzień", "2 dni", "5 dni", "1.5 dnia"],
    ]);
    expect(fillText("pl", runs, { count: 2, runs: "2" })).toBe("2 runs");
  });
});
