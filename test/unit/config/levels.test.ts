import { expect, test } from "vitest";
import { readConfig } from "../../../src/config/reading/load.ts";

test("every level has its own default", () => {
  const reading = readConfig({ text: "levels: { cheap: 0.8 }", environment: {}, readFile: () => "" });
  expect(reading.kind === "config" && reading.config.levels).toEqual({
    very_cheap: 0.6,
    cheap: 0.8,
    normal: 1.15,
    expensive: 1.4,
  });
});
