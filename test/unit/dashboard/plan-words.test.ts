import { expect, test } from "vitest";
import type { Words } from "../../../src/dashboard/page.ts";
import { stateReason } from "../../../src/dashboard/plans/plan-words.ts";
import type { Plan } from "../../../src/dashboard/store/answers.ts";
import { translator } from "../../../src/dashboard/words/language.ts";
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
