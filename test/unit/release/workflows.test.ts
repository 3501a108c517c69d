import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

const FOLDER = path.join(import.meta.dirname, "../../../.github/workflows");
const texts = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(path.join(FOLDER, name), "utf8") }));

type Step = { readonly uses?: string; readonly with?: Readonly<Record<string, unknown>> };
type Workflow = Readonly<{ jobs: Readonly<Record<string, { readonly uses?: string; readonly steps?: Step[] }>> }>;

const stepsOf = (text: string) =>
  Object.values((parse(text) as Workflow).jobs).flatMap(({ uses, steps = [] }) => [
    { ...(uses && { uses }) },
    ...steps,
  ]);

test.each(texts)("$name names each action by the digest of a commit, with its version", ({ text }) => {
  const lines = text.split("\n").filter((line) => /^\s*(- )?uses:/.test(line));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => !/uses: [\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  expect(stepsOf(text).filter(({ uses }) => uses !== undefined)).toHaveLength(lines.length);
});

test.each(texts)("$name leaves no credentials in a checkout for the steps after it", ({ text }) => {
  const checkouts: Step[] = stepsOf(text).filter(({ uses = "" }) => uses.startsWith("actions/checkout@"));
  expect(checkouts.map((step) => step.with?.["persist-credentials"])).toEqual(checkouts.map(() => false));
});
