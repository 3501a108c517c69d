import { expect, test } from "vitest";
import * as daemon from "../../../src/core/planning/plan-settings.ts";
import * as page from "../../../src/dashboard/accepted-values.ts";
import { KEY_NAME } from "../../../src/storage/api-key-file.ts";
import { allTexts } from "../../support/sources/all-texts.ts";

test("the page accepts what the daemon accepts", () => {
  expect({ ...page }).toEqual({
    KEY_NAME,
    MAX_ENERGY_KWH: daemon.MAX_ENERGY_KWH,
    MAX_PRICE_LIMITS: daemon.MAX_PRICE_LIMITS,
  });
});

test.each(Object.entries(allTexts))("the set-up says in %s that a name may contain _ . and -", (_, { setup }) => {
  expect(setup.key_name_help).toMatch(/, _ \. \w+ -\.$/);
  expect(setup.key_name_wrong).toMatch(/, _ \. \w+ -\.$/);
});
