import { expect, test } from "vitest";
import type { Words } from "../../../src/dashboard/page.ts";
import { headlineOf, stateReason } from "../../../src/dashboard/plans/plan-words.ts";
import type { Plan } from "../../../src/dashboard/store/answers.ts";
import { Format } from "../../../src/dashboard/words/format.ts";
import { translator } from "../../../src/dashboard/words/language.ts";
import { calendar } from "../../support/home/price-days.ts";
import { allTexts } from "../../support/sources/all-texts.ts";

test.each([
  ["en", /so the plan is ON$/, /so the plan is OFF$/],
  ["da", /så planen er tændt$/, /så planen er slukket$/],
  ["nb", /så planen er på$/, /så planen er av$/],
  ["sv", /så planen är på$/, /så planen är av$/],
] as const)("with an untrusted clock the page says in %s whether the plan is ON", (language, on, off) => {
  const words = { t: translator(allTexts[language].page, language) } as Words;
  const plan = { code: "clock_not_trusted", missing: null, mean_price: null } as Plan;
  expect(stateReason({ ...plan, on: true }, words)).toMatch(on);
  expect(stateReason({ ...plan, on: false }, words)).toMatch(off);
});

test("a run that may still move is probable in the headline, and is not joined with one that has begun", () => {
  const f = new Format("en-GB", calendar);
  const words = { t: translator(allTexts.en.page, "en"), f } as Words;
  const now = Date.parse("2026-03-10T11:00:00Z");
  const run = { start: "2026-03-10T12:00:00Z", end: "2026-03-10T13:00:00Z", basis: "estimates", begun: false };
  const plan = { on: false, provisional: true, state: "scheduled", runs: [run] } as unknown as Plan;
  expect(headlineOf(plan, words, now)).toBe("probably today 13:00–14:00");
  expect(headlineOf({ ...plan, provisional: false }, words, now)).toBe("today 13:00–14:00");
});
