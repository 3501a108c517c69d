import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { pageNames, pagesIn, pageText } from "../../support/docs/docs-pages.ts";
import { brokenLinks, linksOf } from "../../support/docs/markdown-links.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
/** Usage of `npm run lab`, which lists all names. */
const labsUsage = spawnSync(process.execPath, [path.join(ROOT, "test/lab.ts")], { encoding: "utf8" }).stderr;
const MAX_README_BYTES = 10_000;

test("the README has at most MAX_README_BYTES", () => {
  expect(Buffer.byteLength(pageText("README.md"))).toBeLessThanOrEqual(MAX_README_BYTES);
});

test("the README links to every page", () => {
  const pages = pageNames().filter((name) => name !== "README.md");
  expect(pages.filter((name) => !linksOf(pageText("README.md")).includes(name))).toEqual([]);
});

describe.each([...pageNames(), ...pagesIn("docs/da")])("%s", (name) => {
  const text = pageText(name);

  test("has only relative links to existing files and headings", () => {
    expect(brokenLinks(ROOT, name)).toEqual([]);
  });

  test("names only npm commands that exist", () => {
    const named = [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, command = ""]) => command);
    expect(named.filter((command) => !(command in packageJson.scripts))).toEqual([]);
    const labs = [...text.matchAll(/npm run lab -- ([a-z]+)/g)].map(([, lab = ""]) => lab);
    expect(labs.filter((lab) => !new RegExp(`^ {2}${lab} `, "m").test(labsUsage))).toEqual([]);
  });
});

test.each(pageNames().filter((name) => name.startsWith("docs/")))(
  "%s starts with a title and one sentence on its content",
  (name) => {
    expect(pageText(name)).toMatch(/^# .+\n\n[A-Z][^.\n]*\.\n\n/);
  },
);

test("architecture.md gives a reason for every library, and names no other", () => {
  const page = pageText("docs/architecture.md");
  const section = page.slice(page.indexOf("## Libraries and why")).split("\n## ")[0] ?? "";
  const named = [...section.matchAll(/^\| ([a-z@][^|]*?) \|/gm)].flatMap(([, names = ""]) =>
    names
      .replace(/\(.*?\)/g, "")
      .split(",")
      .map((name) => name.trim()),
  );
  expect(named.filter((name) => name !== "library").toSorted()).toEqual(
    Object.keys(packageJson.dependencies).toSorted(),
  );
});

test("every file that CONTRIBUTING names exists", () => {
  const named = [...pageText("CONTRIBUTING.md").matchAll(/`((?:src|test)\/[\w/.-]+)`/g)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
});
