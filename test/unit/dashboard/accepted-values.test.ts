import { expect, test } from "vitest";
import * as daemon from "../../../src/core/planning/plan-settings.ts";
import * as page from "../../../src/dashboard/accepted-values.ts";
import { texts as da } from "../../../src/dashboard/setup/texts-da.ts";
import { texts as en } from "../../../src/dashboard/setup/texts-en.ts";
import { texts as nb } from "../../../src/dashboard/setup/texts-nb.ts";
import { texts as sv } from "../../../src/dashboard/setup/texts-sv.ts";
import { KEY_NAME } from "../../../src/storage/api-key-file.ts";

test("the page accepts what the daemon accepts", () => {
  expect({ ...page }).toEqual({
    KEY_NAME,
    MAX_ENERGY_KWH: daemon.MAX_ENERGY_KWH,
    MAX_PRICE_LIMITS: daemon.MAX_PRICE_LIMITS,
  });
});

test.each(Object.entries({ da, en, nb, sv }))("the set-up says in %s that a name may contain _ . and -", (_, texts) => {
  expect(texts.key_name_help).toMatch(/, _ \. \w+ -\.$/);
  expect(texts.key_name_wrong).toMatch(/, _ \. \w+ -\.$/);
});
