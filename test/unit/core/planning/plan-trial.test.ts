import { describe, expect, test } from "vitest";
import { readConfig } from "../../../../src/config/reading/load.ts";
import { mistakeLines } from "../../../support/sources/config-mistakes.ts";

/** Returns the mistakes of a plan, without its path. */
function mistakesOf(settings: string): string[] {
  const text = `plans: [{ name: A, home: home, ${settings} }]`;
  const reading = readConfig({ text, environment: {}, readFile: () => "" });
  return mistakeLines(reading).map((line) => line.slice(9));
}

const AT_NIGHT = 'from: "22:00", ready_by: "06:00"';

describe("a plan that can never run as meant is a mistake:", () => {
  test.each([
    ["kind: slots, hours: 1, min_run: 2", "min_run: expected at most the 1 h of hours, found 2 h"],
    [
      "kind: slots, hours: 1, up_to: 3, cheap_below: 1, min_run: 4",
      "min_run: expected at most the 3 h of up_to, found 4 h",
    ],
    [
      "kind: slots, hours: 1, max_gap: 1",
      "max_gap: expected another value: no choice of runs fits into the 24 h of its window, found 1 h with hours 1 h",
    ],
    [
      "kind: slots, hours: 2, max_gap: 10m",
      "max_gap: expected another value: no choice of runs fits into the 24 h of its window, found 10 min with hours 2 h",
    ],
    [
      "kind: slots, hours: 3, min_pause: 12, max_gap: 2",
      "max_gap: expected another value: no choice of runs fits into the 24 h of its window, found 2 h with hours 3 h, min_pause 12 h",
    ],
    [
      "kind: avoid, hours: 24",
      "hours: expected another value: with this one the plan would never run in the 24 h of its window",
    ],
    [
      "kind: avoid, hours: 4, max_gap: 10m",
      "max_gap: expected another value: no choice of runs fits into the 24 h of its window, found 10 min with hours 4 h",
    ],
    [
      "kind: avoid, hours: 4, min_run: 23",
      "min_run: expected another value: no choice of runs fits into the 24 h of its window, found 23 h with hours 4 h",
    ],
    [
      "kind: below, percent: 10, min_run: 4",
      "min_run: expected another value: no choice of runs fits into the 24 h of its window, found 4 h",
    ],
    [
      "kind: below, cheap_below: 0%",
      "cheap_below: expected another value: with this one the plan would never run in the 24 h of its window",
    ],
    [
      `kind: window, hours: 2, ${AT_NIGHT}, fallback: ["23:00-01:00", "12:00-14:00"]`,
      'fallback: expected hours between 22:00 and 06:00, the window of the plan, found "12:00-14:00"',
    ],
  ])("%s", (settings, mistake) => {
    expect(mistakesOf(settings)).toEqual([mistake]);
  });
});

describe("a plan that prices may delay is no mistake:", () => {
  test.each([
    "kind: below, level: very_cheap",
    "kind: below, level: very_cheap, min_run: 3",
    "kind: below, max_price: -0.5, min_run: 2",
    "kind: below, percent: 1",
    "kind: slots, hours: 3, max_price: 0.1, max_gap: 6",
    `kind: slots, hours: 3, min_pause: 12, ${AT_NIGHT}`,
    `kind: avoid, hours: 8, ${AT_NIGHT}`,
    `kind: avoid, hours: 4, max_gap: 2, min_run: 30m, days: [sat]`,
    `kind: window, hours: 8, ${AT_NIGHT}, fallback: ["21:00-23:00"], days: [mon]`,
    'kind: window, hours: 2, ready_by: "07:00", fallback: ["02:00-04:00"], profile: [1, 2]',
  ])("%s", (settings) => {
    expect(mistakesOf(settings)).toEqual([]);
  });
});
