import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { readConfig } from "../../../src/config/reading/load.ts";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { planCodes } from "../../../src/core/planning/snapshot/plan-reason.ts";
import { pageNames, pageText } from "../../support/docs/docs-pages.ts";
import { planStateDocs } from "../../support/docs/plan-docs.ts";
import { pemOr } from "../../support/service/test-identity.ts";
import { mistakeLines } from "../../support/sources/config-mistakes.ts";

const SECTIONS = new Set(Object.keys(configSchema.shape));

/** Pages whose examples belong together: a plug of plugs.md follows a plan of plans.md. */
const TOGETHER = /^docs\/(plans|plugs)\.md$/;
const REFERENCE = "plans.md and plugs.md";

type Section = "plans" | "plugs" | "groups";
type Tree = Readonly<Record<string, unknown>>;

/** YAML examples of configurations by page, parsed. */
const examples = pageNames()
  .flatMap((page) =>
    [...pageText(page).matchAll(/^ *```yaml\n(.*?)^ *```/gms)].map(([, text = ""]) => ({ page, text })),
  )
  .map(({ page, text }) => ({ page: TOGETHER.test(page) ? REFERENCE : page, tree: parse(text) as unknown }))
  .filter((each): each is { page: string; tree: Tree } => isTree(each.tree))
  .filter(({ tree }) => Object.keys(tree).every((key) => SECTIONS.has(key)));
const isListed = ({ tree }: { tree: Tree }) => "plans" in tree || "plugs" in tree;

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mistakesIn(tree: object): string[] {
  const reading = readConfig({ text: stringify(tree), environment: {}, readFile: pemOr("a-key") });
  return mistakeLines(reading);
}

function listOf(page: string, section: Section): unknown[] {
  return examples
    .filter((each) => each.page === page)
    .flatMap(({ tree }) => (tree[section] as unknown[] | undefined) ?? []);
}

test.each([...new Set(examples.filter(isListed).map(({ page }) => page))])(
  "the plans and plugs of %s are valid together",
  (page) => {
    // Plugs of a page without plans follow those of plans.md.
    const from = listOf(page, "plans").length > 0 ? page : REFERENCE;
    const tree = { plans: listOf(from, "plans"), groups: listOf(from, "groups"), plugs: listOf(page, "plugs") };
    expect(mistakesIn(tree)).toEqual([]);
  },
);

test("plans.md and plugs.md show every kind of plan and every family", () => {
  const plans = listOf(REFERENCE, "plans") as { kind: string }[];
  const plugs = listOf(REFERENCE, "plugs") as { family: string }[];
  expect(new Set(plans.map(({ kind }) => kind))).toEqual(new Set(["window", "slots", "below", "avoid"]));
  expect(new Set(plugs.map(({ family }) => family)).size).toBe(9);
});

test("all other documented configurations are valid", () => {
  const others = examples.filter((each) => !isListed(each));
  expect(others.length).toBeGreaterThan(0);
  for (const { page, tree } of others) expect([page, mistakesIn(tree)]).toEqual([page, []]);
});

test("plans.md lists every reason code with a state", () => {
  const documented = planStateDocs();
  expect(planCodes.filter((code) => !documented.includes(`\`${code}\``))).toEqual([]);
});
