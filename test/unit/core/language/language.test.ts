import { describe, expect, test } from "vitest";
import { languageOf } from "../../../../src/core/language/language.ts";
import { message, nameIn, textIn } from "../../../../src/core/language/text.ts";
import { Problems, problemIn } from "../../../../src/core/status/problem.ts";
import { languages } from "../../../../src/i18n/languages.ts";
import { explainFailure } from "../../../../src/mqtt/client/connect-errors.ts";
import { allTexts } from "../../../support/sources/all-texts.ts";

describe.each(languages)("%s", (language) => {
  test("two entities of a device with different English names have different names", () => {
    const names = Object.entries(allTexts[language].entity);
    const twice = names.filter(([key, name]) => names.some(([other, same]) => other !== key && same === name));
    expect(twice).toEqual([]);
  });
});

test("a problem has advice and detail in each language, with its facts", () => {
  const problems = new Problems(() => undefined);
  problems.start({
    ...{ code: "plug_without_timer", subject: "timer of plug heater", since: 0 },
    names: { name: "Heater", state: message("word.on") },
    detail: message("found.timer_failed", { state: message("word.on") }),
  });
  const [problem] = problems.list();
  if (!problem) throw new Error("no problem");
  expect((["en", "da", "sv", "nb"] as const).map((language) => problemIn(language, problem).detail)).toEqual([
    "its timer did not end an ON",
    "dens timer afsluttede ikke TÆNDT",
    "dess timer avslutade inte PÅ",
    "tidsbryteren avsluttet ikke PÅ",
  ]);
  expect(problemIn("da", problem)).toMatchObject({
    code: "plug_without_timer",
    subject: "timer of plug heater",
    advice:
      "stikkontakten Heater kan ikke selv afslutte TÆNDT, hvis elbro går ned; brug en med timer, se Plugs i hjælpen",
  });
});

test("textIn translates a message and the messages in it, and does not change texts of other programs", () => {
  expect(textIn("da", message("net.refused"))).toBe("den afviser forbindelsen");
  const found = message("found.in_series", { series: "consumer prices", what: message("net.closed") });
  expect(textIn("sv", found)).toBe("consumer prices: den stängde anslutningen");
  expect(textIn("da", "on")).toBe("on");
  const closed = explainFailure(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }), "opening");
  expect(textIn("nb", closed)).toBe(
    "ingenting lytter på denne adressen og porten; sjekk at brokeren kjører, og porten",
  );
  expect(textIn("da", "disk I/O error {time}")).toBe("disk I/O error {time}");
});

test("nameIn inserts the facts of an entity", () => {
  expect(nameIn("sv", "cheapest_hours_from", { count: 3 })).toBe("Billigaste 3 timmarna från");
  expect(nameIn("en", "service", { account: "consumer" })).toBe("Service consumer");
});

test.each([
  [undefined, "sv"],
  ["", "sv"],
  ["da", "da"],
  ["nn-NO,nb;q=0.9", "nb"],
  ["zxx, en-GB;q=0.5", "en"],
  ["en;q=0.3, da-DK;q=0.8", "da"],
  ["da;q=0, en", "en"],
  ["*", "sv"],
  ["zxx", "sv"],
  ["da;q=x", "sv"],
] as const)("Accept-Language %j gives %s if sv is configured", (accepted, language) => {
  expect(languageOf(accepted, "sv")).toBe(language);
});
