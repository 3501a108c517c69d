import { expect, test } from "vitest";
import { planRefusals } from "../../../src/core/planning/command-refusal.ts";
import { planStates } from "../../../src/core/planning/plan-state-machine.ts";
import { planCodes } from "../../../src/core/planning/snapshot/plan-reason.ts";
import { serviceStates } from "../../../src/core/status/daemon-status.ts";
import { languageFor } from "../../../src/dashboard/words/language.ts";
import { allTexts } from "../../support/sources/all-texts.ts";

test("all codes of plans and service states have a text", () => {
  const { page } = allTexts.en;
  for (const code of planCodes) expect(page).toHaveProperty(`reason_${code}`);
  for (const why of planRefusals) expect(page).toHaveProperty(`refused_${why}`);
  for (const state of planStates) expect(page).toHaveProperty(`state_${state}`);
  for (const state of serviceStates)
    if (!["address_gone", "bad_request"].includes(state)) expect(page).toHaveProperty(`service_${state}`);
});

test.each([
  [["da-DK", "en"], null, "da"],
  [["no"], null, "nb"],
  [["nn-NO"], null, "nb"],
  [["zxx", "sv"], null, "sv"],
  [["zxx"], null, "en"],
  [["en-US"], "da", "da"],
  [["en-US"], "xx", "en"],
])("a user with languages %j and choice %s gets %s", (wanted, chosen, language) => {
  expect(languageFor(wanted, chosen)).toBe(language);
});
