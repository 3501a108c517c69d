import { expect, test } from "vitest";
import { readConfig } from "../../../src/config/reading/load.ts";
import { mistakesIn } from "../../support/sources/config-mistakes.ts";

const read = (text: string, environment: Record<string, string> = {}) =>
  readConfig({ text, environment, readFile: () => "" });

test("every level has its own default", () => {
  const reading = read("levels: { cheap: 0.8 }");
  expect(reading.kind === "config" && reading.config.levels).toEqual({
    very_cheap: 0.6,
    cheap: 0.8,
    normal: 1.15,
    expensive: 1.4,
  });
});

test("a level can be set with an environment variable", () => {
  const reading = read("", { ELBRO_LEVELS_VERY_CHEAP: "0.5" });
  expect(reading.kind === "config" && reading.config.levels.very_cheap).toBe(0.5);
});

test("thresholds that do not ascend are rejected with their path", () => {
  const reading = read("levels: { cheap: 1.2 }");
  expect(mistakesIn(reading)).toEqual([
    { path: "levels", line: 1, text: expect.stringContaining("very_cheap < cheap < normal < expensive") },
  ]);
});
