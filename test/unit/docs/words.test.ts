import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** Words that are hard to read and names that were replaced, each with its replacement. */
const BANNED: Readonly<Record<string, string>> = {
  anew: "again",
  beside: "besides, next to",
  dear: "expensive",
  dearer: "more expensive",
  mend: "fix",
  mends: "fixes",
  mended: "fixed",
  ordinarily: "by default",
  "gives back": "returns",
  "so many": "n",
  "under way": "in flight",
  "for good": "permanently",
  "by hand": "manually",
  "turn of the loop": "event-loop tick",
  whoever: "the noun",
  knocks: "connects without authentication",
  "is told": "the actor and the channel",
  "are told": "the actor and the channel",
  "is none": "is not",
  "are none": "are not",
  shelf: "series store",
  ledger: "request log",
  governor: "rate limiter",
  lobby: "pending logins",
  desk: "admin API",
  vitals: "runtime stats",
  upkeep: "nightly maintenance",
  mending: "write recovery",
  setback: "fetch failure",
  withheld: "deferred",
  timetable: "fetch schedule",
  companion: "plan slot",
  discreet: "redacted",
  partner: "third party",
};

/** Maximum number of banned words. It may only fall. The rest are values of the API, of the service and of file names. */
const MAX_COUNT = 9;
const MAX_COUNT_IN_TESTS = 65;

function textsIn(folder: string, endings: RegExp, without = /node_modules/): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => endings.test(name) && !without.test(name))
    .map((name) => readFileSync(path.join(ROOT, folder, name), "utf8"));
}

function countOf(word: string, texts: readonly string[]): number {
  const pattern = new RegExp(`\\b${word}\\b`, "gi");
  return texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
}

function expectAtMost(max: number, texts: readonly string[]): void {
  const counts = Object.keys(BANNED).map((word) => ({ word, count: countOf(word, texts), instead: BANNED[word] }));
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const most = counts.sort((a, b) => b.count - a.count).slice(0, 10);
  expect(total, JSON.stringify(most)).toBeLessThanOrEqual(max);
}

test("sources and documentation contain at most MAX_COUNT banned words", () => {
  const texts = [
    ...textsIn("src", /\.(tsx?|js|md)$/),
    ...textsIn("docs", /\.md$/),
    ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map((name) => readFileSync(path.join(ROOT, name), "utf8")),
  ];
  expectAtMost(MAX_COUNT, texts);
});

test("tests contain at most MAX_COUNT_IN_TESTS banned words", () => {
  expectAtMost(MAX_COUNT_IN_TESTS, textsIn("test", /\.tsx?$/, /node_modules|words\.test\.ts$/));
});

test("countOf counts a banned word in any case, and not inside another word", () => {
  expect(countOf("mend", ["Mend it, recommend it, mends"])).toBe(1);
  expect(countOf("gives back", ["It gives back; gives backs"])).toBe(1);
});
