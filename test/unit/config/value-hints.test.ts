import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/reading/load.ts";
import { mistakeLines } from "../../support/sources/config-mistakes.ts";

function mistakesOf(text: string, environment: Record<string, string> = {}): string[] {
  const reading = readConfig({ text, environment, readFile: () => "" });
  return mistakeLines(reading);
}

const plan = (settings: string) => `plans: [{ name: A, home: home, kind: window, hours: 2, ${settings} }]`;

describe("a value that is nearly right is reported with the right one:", () => {
  test.each([
    [plan("ready_by: 7"), 'plans[0].ready_by: expected a time of day such as "07:00", found 7; write "07:00"'],
    [plan('ready_by: "7"'), 'plans[0].ready_by: expected a time of day such as "07:00", found "7"; write "07:00"'],
    [plan("from: 22.30"), 'plans[0].from: expected a time of day such as "07:00", found 22.3; write "22:30"'],
    [plan('from: "24:00"'), 'plans[0].from: expected a time of day such as "07:00", found "24:00"; write "00:00"'],
    [plan('from: "25:00"'), 'plans[0].from: expected a time of day such as "07:00", found "25:00"'],
    [
      plan("max_price: 99"),
      "plans[0].max_price: expected at most 25 of the currency per kWh, such as 1.50 and not 150 øre, found 99",
    ],
    [
      plan('kwh: "1,25"'),
      'plans[0].kwh: expected kWh such as 1.1, learned, or 1.1 learned, found "1,25"; write 1.25, with a point',
    ],
    [plan("days: weekend"), "plans[0].days: expected a list, found text; write [sat, sun]"],
    [plan("days: mon"), "plans[0].days: expected a list, found text; write [mon]"],
    [plan('deadline: "07:00"'), "plans[0].deadline: is not a key of the configuration; did you mean ready_by?"],
    [plan("tolerance: 5 % lates"), /expected a percentage such as 5, or 5 % latest, found "5 % lates"$/],
    ["plans: [{ name: A, home: home, kind: slotts, hours: 2 }]", /found "slotts"; did you mean slots\?$/],
    [
      'plans: [{ name: A, home: home, kind: slots, hours: "1,25" }]',
      /plans\[0\]\.hours: expected hours .*found "1,25"; write 1\.25, with a point$/,
    ],
    [
      "plans: [{ name: A, home: home, kind: slots, hours: 1, up_to: 2, cheap_below: cheep }]",
      /expected a price, a price level such as cheap, a percentage such as "30%", or several of them .*, found "cheep"/,
    ],
    ["plugs: [{ name: A, family: tapo, topic: a, signal_topic: b }]", /found "tapo"; .*automation of Home Assistant/],
    ["consumer:\n  api_key:abc", /^consumer: .*found text; a key needs a space after its colon/],
    ["api_key:abc", /^the file: .*with a space after each colon$/],
  ])("%s", (text, said) => {
    expect(mistakesOf(text)).toEqual([typeof said === "string" ? said : expect.stringMatching(said)]);
  });

  test("a list in an environment variable", () => {
    expect(mistakesOf("", { ELBRO_API_HOSTS: "a.example,b.example" })).toEqual([
      "api.hosts (ELBRO_API_HOSTS): expected a list, found text; write [a.example, b.example]",
    ]);
  });

  test("never a secret", () => {
    expect(mistakesOf("api: { keys: canary-key }\nbroker: { users: canary }").join()).not.toContain("canary");
    expect(mistakesOf("consumer: { api_key: [canary-key] }").join()).not.toContain("canary");
  });
});

test("mistakes between plans are listed together with all others", () => {
  const text = `
language: klingon
plans:
  - { name: A, home: home, kind: window, hours: 2, after: dryr }
  - { name: Dryer, home: home, kind: window, hours: 2, group: house }
  - { name: B, home: home, kind: windw, hours: 2 }
  - { name: B, home: cabin, kind: window, hours: 2 }
`;
  const places = mistakesOf(text).map((each) => each.split(":")[0]);
  expect(places.toSorted()).toEqual(["language", "plans[0].after", "plans[2].id", "plans[2].kind", "plans[3].id"]);
  const elsewhere = "language: klingon\nplans: [{ name: A, home: home, kind: window, hours: 2, group: house }]";
  expect(mistakesOf(elsewhere).map((each) => each.split(":")[0])).toEqual(["language", "plans[0].group"]);
});
