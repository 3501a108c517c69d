import { expect, test } from "vitest";
import { textIn } from "../../../../src/core/language/text.ts";
import { explainFailure, explainSilentClose, type Phase } from "../../../../src/mqtt/client/connect-errors.ts";

const errorOf = (code: string) => Object.assign(new Error(`read ${code}`), { code });

test.each([
  ["ECONNRESET", "greeting", textIn("en", explainSilentClose("greeting"))],
  ["EPIPE", "greeting", textIn("en", explainSilentClose("greeting"))],
  ["EOTHER", "greeting", "read EOTHER"],
  ["EOTHER", "opening", "read EOTHER"],
] satisfies [string, Phase, string][])("%s while %s is explained as: %s", (code, phase, words) => {
  expect(textIn("en", explainFailure(errorOf(code), phase))).toBe(words);
});
