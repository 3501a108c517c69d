import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/reading/load.ts";
import { mistakeLines } from "../../support/sources/config-mistakes.ts";

function mistakesOf(text: string, environment: Record<string, string> = {}): string[] {
  const reading = readConfig({ text, environment, readFile: () => "" });
  return mistakeLines(reading);
}

describe("a value that is nearly right is reported with the right one:", () => {
  test("a list in an environment variable", () => {
    expect(mistakesOf("", { ELBRO_API_HOSTS: "a.example,b.example" })).toEqual([
      "api.hosts (ELBRO_API_HOSTS): expected a list, found text; write [a.example, b.example]",
    ]);
  });

  test("a plug of an unknown make", () => {
    expect(mistakesOf("plugs: [{ name: A, family: tapo, topic: a, signal_topic: b }]")).toEqual([
      expect.stringMatching(/^plugs\[0\]\.family: expected one of tasmota, .*found "tapo"; .*Home Assistant/),
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
