import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { readConfig } from "../../../src/config/load.ts";
import { configSchema } from "../../../src/config/schema.ts";
import { planCodes } from "../../../src/core/planning/plan-reason.ts";
import { pageNames, pageText } from "../../support/docs/docs-pages.ts";
import { planStateDocs } from "../../support/docs/plan-docs.ts";
import { pemOr } from "../../support/service/test-identity.ts";
import { mistakeLines } from "../../support/sources/config-mistakes.ts";

const SECTIONS = new Set(Object.keys(configSchema.shape));

/** YAML examples of configurations, parsed. */
const examples = pageNames()
  .flatMap((name) => [...pageText(name).matchAll(/^```yaml\n(.*?)^```/gms)])
  .map(([, text = ""]) => parse(text) as unknown)
  .filter((tree): tree is Record<string, unknown> => typeof tree === "object" && tree !== null)
  .filter((tree) => Object.keys(tree).every((key) => SECTIONS.has(key)));

function mistakesIn(tree: object): string[] {
  const reading = readConfig({ text: stringify(tree), environment: {}, readFile: pemOr("a-key") });
  return mistakeLines(reading);
}

function listOf(section: "plans" | "plugs" | "groups"): unknown[] {
  return examples.flatMap((tree) => (tree[section] as unknown[] | undefined) ?? []);
}

test("all documented plans and plugs are valid together", () => {
  const plans = listOf("plans") as { kind: string }[];
  const plugs = listOf("plugs") as { family: string }[];
  expect(mistakesIn({ plans, plugs, groups: listOf("groups") })).toEqual([]);
  expect(new Set(plans.map(({ kind }) => kind))).toEqual(new Set(["window", "slots", "below", "avoid"]));
  expect(new Set(plugs.map(({ family }) => family)).size).toBe(9);
});

test("all other documented configurations are valid", () => {
  const others = examples.filter((tree) => !("plans" in tree) && !("plugs" in tree));
  expect(others.length).toBeGreaterThan(0);
  for (const tree of others) expect(mistakesIn(tree)).toEqual([]);
});

test("plans.md lists every reason code with a state", () => {
  const documented = planStateDocs();
  expect(planCodes.filter((code) => !documented.includes(`\`${code}\``))).toEqual([]);
});
