import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { en } from "../../../../src/core/language/en.ts";
import { languageOf, languages } from "../../../../src/core/language/language.ts";
import { message, nameIn, textIn, translations } from "../../../../src/core/language/text.ts";
import { Problems, problemIn } from "../../../../src/core/status/problem.ts";
import { type ProblemRow, problemCatalog } from "../../../../src/core/status/problem-catalog.ts";
import { explainFailure } from "../../../../src/mqtt/client/connect-errors.ts";

const SOURCES = path.resolve(import.meta.dirname, "../../../../src");
type Texts = Readonly<Record<string, string>>;
const advice: Texts = Object.fromEntries(
  Object.entries<ProblemRow>(problemCatalog).map(([code, row]) => [code, row.advice]),
);
const names: Texts = Object.fromEntries(Object.keys(translations.da.names).map((name) => [name, name]));

function placesOf(text: string | undefined): string[] {
  return [...(text ?? "").matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "").sort();
}

function sources(): string {
  return readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith(path.join("core", "language")))
    .map((name) => readFileSync(path.join(SOURCES, name), "utf8"))
    .join("\n");
}

describe.each(["da", "sv", "nb"] as const)("%s", (language) => {
  const { texts, advice: adviceTexts, names: called } = translations[language];

  test.each([
    ["texts", en as Texts, texts],
    ["advice", advice, adviceTexts],
    ["names", names, called],
  ])("has all %s, with the same placeholders as English", (_what, english, other: Texts) => {
    expect(Object.keys(other).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(english))
      expect([key, placesOf(other[key])]).toEqual([key, placesOf(text)]);
    for (const text of Object.values(other)) expect(text.trim()).not.toBe("");
  });

  test("is not English", () => {
    const english = { ...en, ...advice, ...names } as Texts;
    const own = { ...texts, ...adviceTexts, ...called } as Texts;
    const isSame = (key: string) => own[key] === english[key] && /[a-z]{13}|\w \w/.test(own[key] ?? "");
    expect(Object.keys(english).filter(isSame)).toEqual([]);
  });

  test("two entities of a device with different English names have different names", () => {
    const twice = Object.entries(called).filter(([name, text]) =>
      Object.entries(called).some(([other, same]) => other !== name && same === text),
    );
    expect(twice).toEqual([]);
  });
});

test("every text is used", () => {
  const text = sources();
  const stems = [...text.matchAll(/`([a-z_]+_)\$\{/g)].map(([, stem]) => stem ?? "");
  const isUsed = (key: string) =>
    text.includes(`"${key}"`) || text.includes(`en.${key}`) || stems.some((stem) => key.startsWith(stem));
  expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([]);
});

test("a problem has advice and detail in every language, with its facts", () => {
  const problems = new Problems(() => undefined);
  problems.start({
    ...{ code: "plug_without_timer", subject: "timer of plug heater", since: 0 },
    names: { name: "Heater", state: message("on") },
    detail: message("found_timer_failed", { state: message("on") }),
  });
  const [problem] = problems.list();
  if (!problem) throw new Error("no problem");
  expect(languages.map((language) => problemIn(language, problem).detail)).toEqual([
    "its timer did not end an ON",
    "dens timer afsluttede ikke TÆNDT",
    "dess timer avslutade inte PÅ",
    "tidsbryteren avsluttet ikke PÅ",
  ]);
  expect(problemIn("da", problem)).toMatchObject({
    code: "plug_without_timer",
    subject: "timer of plug heater",
    advice:
      "stikkontakten Heater kan ikke selv afslutte TÆNDT, hvis elbro går ned; brug en med timer, se docs/plugs.md",
  });
});

test("textIn translates known sentences, and does not change texts of other programs", () => {
  expect(textIn("da", "it refuses the connection")).toBe("den afviser forbindelsen");
  const found = message("found_in_series", { series: "consumer prices", what: "it closed the connection" });
  expect(textIn("sv", found)).toBe("consumer prices: den stängde anslutningen");
  expect(textIn("da", "on")).toBe("on");
  const closed = explainFailure(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }), "opening");
  expect(textIn("nb", closed)).toBe(
    "ingenting lytter på denne adressen og porten; sjekk at brokeren kjører, og porten",
  );
  expect(textIn("da", "disk I/O error {time}")).toBe("disk I/O error {time}");
});

test("nameIn inserts the facts of an entity", () => {
  expect(nameIn("sv", "Cheapest {count} hours from", { count: 3 })).toBe("Billigaste 3 timmarna från");
  expect(nameIn("en", "Service {account}", { account: "consumer" })).toBe("Service consumer");
});

test.each([
  [undefined, "sv"],
  ["", "sv"],
  ["da", "da"],
  ["nn-NO,nb;q=0.9", "nb"],
  ["de, en-GB;q=0.5", "en"],
  ["en;q=0.3, da-DK;q=0.8", "da"],
  ["da;q=0, en", "en"],
  ["*", "sv"],
  ["fr", "sv"],
  ["da;q=x", "sv"],
] as const)("Accept-Language %j gives %s if sv is configured", (accepted, language) => {
  expect(languageOf(accepted, "sv")).toBe(language);
});
