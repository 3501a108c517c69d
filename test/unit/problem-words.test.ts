import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { problemAdvice } from "../../src/core/policy.ts";
import { type ProblemWords, problemWords } from "../../src/core/problem-words.ts";

const SOURCES = path.join(import.meta.dirname, "../../src");

test("every code of a problem is started somewhere, so that nobody looks for what never comes", () => {
  const text = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith("problem-words.ts"))
    .map((name) => readFileSync(path.join(SOURCES, name), "utf8"))
    .join("\n");
  const started = Object.keys(problemWords).filter((code) => code in problemAdvice || text.includes(`code: "${code}"`));
  expect(started).toEqual(Object.keys(problemWords));
});

test("every code of the error policy has its words", () => {
  expect(Object.keys(problemWords)).toEqual(expect.arrayContaining(Object.keys(problemAdvice)));
});

test("they are sentences", () => {
  for (const words of Object.values<ProblemWords>(problemWords))
    for (const sentence of [words.meaning, words.meanwhile, words.mend]) expect(sentence).toMatch(/^[A-Z`].*\.$/);
});
