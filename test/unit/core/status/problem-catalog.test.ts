import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Problems } from "../../../../src/core/status/problem.ts";
import { type ProblemCode, type ProblemRow, problemCatalog } from "../../../../src/core/status/problem-catalog.ts";
import { allTexts } from "../../../support/sources/all-texts.ts";

const SOURCES = path.join(import.meta.dirname, "../../../../src");

test("every problem code occurs in a source file", () => {
  const text = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/problem-catalog\.ts$/.test(name))
    .map((name) => readFileSync(path.join(SOURCES, name), "utf8"))
    .join("\n");
  expect(Object.keys(problemCatalog).filter((code) => !text.includes(`"${code}"`))).toEqual([]);
});

test("meaning, automatic action and remedy are sentences", () => {
  for (const row of Object.values<ProblemRow>(problemCatalog))
    for (const sentence of [row.meaning, row.automaticAction, row.remedy]) expect(sentence).toMatch(/^[A-Z`].*\.$/);
});

test("advice contains the names of the problem", () => {
  const problems = new Problems(() => undefined);
  problems.start({ code: "plug_silent", subject: "plug heater", since: 0, detail: "-", names: { name: "Heater" } });
  problems.start({ code: "unreachable", subject: "account", since: 1, detail: "-" });
  expect(problems.list().map(({ advice }) => advice)).toEqual([
    allTexts.en.advice.unreachable,
    "the plug Heater does not answer; check that it has power and network, and its topic in the configuration",
  ]);
});

test("current problems are listed in the order of the catalogue, of the same code the oldest first", () => {
  const problems = new Problems(() => undefined);
  const start = (code: ProblemCode, subject: string, since: number) =>
    problems.start({ code, subject, since, detail: "-" });
  start("plug_without_timer", "plug lamp", 0);
  start("plug_silent", "plug heater", 2);
  start("plug_silent", "plug boiler", 1);
  start("invalid_token", "account", 3);
  expect(problems.list().map(({ subject }) => subject)).toEqual(["account", "plug boiler", "plug heater", "plug lamp"]);
});
