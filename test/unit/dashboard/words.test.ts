import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { planRefusals } from "../../../src/core/planning/command-refusal.ts";
import { planCodes } from "../../../src/core/planning/plan-reason.ts";
import { planStates } from "../../../src/core/planning/plan-state-machine.ts";
import { serviceStates } from "../../../src/core/status/daemon-status.ts";
import { texts as editingDa } from "../../../src/dashboard/editing/texts-da.ts";
import { texts as editingEn } from "../../../src/dashboard/editing/texts-en.ts";
import { texts as editingNb } from "../../../src/dashboard/editing/texts-nb.ts";
import { texts as editingSv } from "../../../src/dashboard/editing/texts-sv.ts";
import { languageFor } from "../../../src/dashboard/language.ts";
import { texts as resultsDa } from "../../../src/dashboard/results/texts-da.ts";
import { texts as resultsEn } from "../../../src/dashboard/results/texts-en.ts";
import { texts as resultsNb } from "../../../src/dashboard/results/texts-nb.ts";
import { texts as resultsSv } from "../../../src/dashboard/results/texts-sv.ts";
import { texts as setupDa } from "../../../src/dashboard/setup/texts-da.ts";
import { texts as setupEn } from "../../../src/dashboard/setup/texts-en.ts";
import { texts as setupNb } from "../../../src/dashboard/setup/texts-nb.ts";
import { texts as setupSv } from "../../../src/dashboard/setup/texts-sv.ts";
import { texts as systemDa } from "../../../src/dashboard/system/texts-da.ts";
import { texts as systemEn } from "../../../src/dashboard/system/texts-en.ts";
import { texts as systemNb } from "../../../src/dashboard/system/texts-nb.ts";
import { texts as systemSv } from "../../../src/dashboard/system/texts-sv.ts";
import { words as da } from "../../../src/dashboard/words-da.ts";
import { words as en } from "../../../src/dashboard/words-en.ts";
import { words as nb } from "../../../src/dashboard/words-nb.ts";
import { words as sv } from "../../../src/dashboard/words-sv.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../../src/dashboard");
type Words = Readonly<Record<string, string | Readonly<Record<string, string>>>>;
/** The texts of the page, and of the parts that are loaded later, in each language. */
const tables: Readonly<Record<string, Readonly<Record<"da" | "en" | "nb" | "sv", Words>>>> = {
  page: { da, en, nb, sv },
  setup: { da: setupDa, en: setupEn, nb: setupNb, sv: setupSv },
  editing: { da: editingDa, en: editingEn, nb: editingNb, sv: editingSv },
  results: { da: resultsDa, en: resultsEn, nb: resultsNb, sv: resultsSv },
  system: { da: systemDa, en: systemEn, nb: systemNb, sv: systemSv },
};
const languages = ["da", "nb", "sv"] as const;

/** Returns the placeholders of a text. */
function factsOf(word: Words[string] | undefined): string[] {
  const texts = typeof word === "object" ? Object.values(word) : [word ?? ""];
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "")))].sort();
}

function sources(): string {
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(words|texts)-/.test(name))
    .map((name) => readFileSync(path.join(FOLDER, name), "utf8"))
    .join("\n");
}

describe.each(Object.entries(tables))("the texts of %s", (_, table) => {
  const english: Words = table.en;

  test.each(languages)("have the same placeholders in %s as in English", (language) => {
    for (const [key, word] of Object.entries(english))
      expect([key, factsOf(table[language][key])]).toEqual([key, factsOf(word)]);
  });

  test.each(languages)("are translated in %s", (language) => {
    const same = Object.entries(english).filter(
      ([key, word]) => typeof word === "string" && word.length > 14 && table[language][key] === word,
    );
    expect(same).toEqual([]);
  });

  test("are all used", () => {
    const text = sources();
    const stems = [...text.matchAll(/`([a-z_]+_)\$\{/g)].map(([, stem]) => stem ?? "");
    const unused = Object.keys(english).filter(
      (key) => !text.includes(`"${key}"`) && !stems.some((stem) => key.startsWith(stem)),
    );
    expect(unused.filter((key) => !new RegExp(`\\b${key}\\b`).test(text))).toEqual([]);
  });
});

test("all codes of plans and service states have a text", () => {
  for (const code of planCodes) expect(en).toHaveProperty(`reason_${code}`);
  for (const why of planRefusals) expect(en).toHaveProperty(`refused_${why}`);
  for (const state of planStates) expect(en).toHaveProperty(`state_${state}`);
  for (const state of serviceStates)
    if (!["address_gone", "bad_request"].includes(state)) expect(en).toHaveProperty(`service_${state}`);
});

test.each([
  [["da-DK", "en"], null, "da"],
  [["no"], null, "nb"],
  [["nn-NO"], null, "nb"],
  [["de-DE", "sv"], null, "sv"],
  [["fr"], null, "en"],
  [["en-US"], "da", "da"],
  [["en-US"], "xx", "en"],
])("a user with languages %j and choice %s gets %s", (wanted, chosen, language) => {
  expect(languageFor(wanted, chosen)).toBe(language);
});
