import { expect, test } from "vitest";
import { readConfig } from "../../../src/config/reading/load.ts";
import type { Language } from "../../../src/core/language/language.ts";
import { errorIn } from "../../../src/dashboard/store/error-texts.ts";
import { errorBody, localError } from "../../../src/http/errors.ts";
import { allTexts } from "../../support/sources/all-texts.ts";

const dryer = { name: "Dryer", home: "home", kind: "window", hours: 2 };
const plug = { name: "Lamp", family: "tasmota", topic: "lamp", plan: "dryer" };

/** Returns an error as the page receives it, with its texts in a language. */
async function shownIn(language: Language, error: Parameters<typeof errorBody>[0]) {
  const body = JSON.parse(JSON.stringify(errorBody(error)));
  return errorIn(language, body, async () => ({
    mistake: allTexts[language].mistake,
    refused: allTexts[language].refused,
  }));
}

async function mistakesIn(language: Language, tree: object): Promise<string> {
  const reading = readConfig({ text: JSON.stringify(tree), environment: {}, readFile: () => "" });
  if (reading.kind === "config") throw new Error("no mistake");
  const error = { ...localError("invalid_parameter", "the configuration has mistakes"), mistakes: reading.mistakes };
  const { mistakes = [] } = await shownIn(language, error);
  return mistakes.map(({ text }) => text).join(" ");
}

test.each([
  ["hours that do not fit", { plans: [{ ...dryer, from: "12:00", ready_by: "13:00" }] }, /er kun 1 timer .* 2 timer/],
  ["no hours", { plans: [{ ...dryer, hours: undefined }] }, /^Skal udfyldes: antal timer\.$/],
  ["an unknown plan", { plans: [{ ...dryer, after: "wash" }] }, /id for en plan \(dryer\); her står ”wash”/],
  [
    "a time",
    { plans: [{ ...dryer, from: "7" }] },
    /^Skal være et klokkeslæt som ”07:00”; her står "7"; skriv ”07:00”\.$/,
  ],
  ["a large number", { plans: [{ ...dryer, tolerance: 200 }] }, /^Skal være højst 100; her står 200\.$/],
  ["an unknown key", { plans: [{ ...dryer, hurs: 2 }] }, /^Findes ikke i konfigurationen; mente du hours\?$/],
  ["one device twice", { plans: [dryer], plugs: [plug, { ...plug, name: "B" }] }, /^Er samme enhed som \[0\]/],
  [
    "a topic that is not a URL",
    { notify: { topic_url: "mit-hus" } },
    /^Skal være adressen på et emne, fx https:\/\/ntfy\.sh\/mit-hus-4821; her står en værdi, der ikke vises\.$/,
  ],
])("the page shows %s in Danish", async (_, tree, shown) => {
  expect(await mistakesIn("da", tree)).toMatch(shown);
});

test("an error without a key, and one whose texts cannot be loaded, stay English", async () => {
  const plain = { errorCode: "conflict", reason: "something new" };
  expect(await errorIn("nb", plain)).toEqual({ ...plain, isTranslated: false });
  const said = { ...plain, key: "refused.running", facts: {} };
  expect(await errorIn("nb", said, () => Promise.reject(new Error("offline")))).toEqual({
    ...said,
    isTranslated: false,
  });
});
