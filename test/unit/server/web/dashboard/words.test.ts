import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { planRefusals } from "../../../../../src/core/planning/command-refusal.ts";
import { planCodes } from "../../../../../src/core/planning/plan-reason.ts";
import { planStates } from "../../../../../src/core/planning/plan-state-machine.ts";
import { serviceStates } from "../../../../../src/core/status/daemon-status.ts";
import { problemCatalog } from "../../../../../src/core/status/problem-catalog.ts";
import { languageFor } from "../../../../../src/server/web/dashboard/language.ts";
import { words as da } from "../../../../../src/server/web/dashboard/words-da.ts";
import { words as en } from "../../../../../src/server/web/dashboard/words-en.ts";
import { words as nb } from "../../../../../src/server/web/dashboard/words-nb.ts";
import { words as sv } from "../../../../../src/server/web/dashboard/words-sv.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../../../../src/server/web/dashboard");
type Words = Readonly<Record<string, string | Readonly<Record<string, string>>>>;
const languages: Readonly<Record<string, Words>> = { da, en, nb, sv };

/** Returns the placeholders of a text. */
function factsOf(word: Words[string] | undefined): string[] {
  const texts = typeof word === "object" ? Object.values(word) : [word ?? ""];
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "")))].sort();
}

function sources(): string {
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("words-"))
    .map((name) => readFileSync(path.join(FOLDER, name), "utf8"))
    .join("\n");
}

describe.each(["da", "nb", "sv"])("%s", (language) => {
  const words = languages[language] ?? {};

  test("has the same placeholders as English", () => {
    for (const [key, word] of Object.entries(en)) expect([key, factsOf(words[key])]).toEqual([key, factsOf(word)]);
  });

  test("is not English", () => {
    const same = Object.entries(en).filter(
      ([key, word]) => typeof word === "string" && word.length > 14 && words[key] === word,
    );
    expect(same).toEqual([]);
  });
});

test("every text is used", () => {
  const text = sources();
  const stems = [...text.matchAll(/`([a-z_]+_)\$\{/g)].map(([, stem]) => stem ?? "");
  const unused = Object.keys(en).filter(
    (key) => !text.includes(`"${key}"`) && !stems.some((stem) => key.startsWith(stem)),
  );
  expect(unused.filter((key) => !new RegExp(`\\b${key}\\b`).test(text))).toEqual([]);
});

test("all codes of plans, problems and service states have a text", () => {
  for (const code of planCodes) expect(en).toHaveProperty(`reason_${code}`);
  for (const why of planRefusals) expect(en).toHaveProperty(`refused_${why}`);
  for (const state of planStates) expect(en).toHaveProperty(`state_${state}`);
  for (const code of Object.keys(problemCatalog)) expect(en).toHaveProperty(`problem_${code}`);
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
