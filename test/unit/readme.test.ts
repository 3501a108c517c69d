import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };

const ROOT = path.join(import.meta.dirname, "../..");
const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");

/** A heading as its link names it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

describe("the README", () => {
  test("gives a reason for every library, and for none that is not there", () => {
    const table = readme.slice(readme.indexOf("## Libraries and why"));
    const named = [...table.matchAll(/^\| ([a-z][^|]*?) \|/gm)].flatMap(([, names = ""]) =>
      names
        .replace(/\(.*?\)/g, "")
        .split(",")
        .map((name) => name.trim()),
    );
    expect(named.filter((name) => name !== "library").toSorted()).toEqual(
      Object.keys(packageJson.dependencies).toSorted(),
    );
  });

  test("links to headings and files that there are", () => {
    const anchors = new Set([...readme.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, to = ""]) => to);
    expect(links.length).toBeGreaterThan(10);
    for (const to of links) {
      if (to.startsWith("#")) expect(anchors, to).toContain(to.slice(1));
      else if (!to.startsWith("http")) expect(existsSync(path.join(ROOT, to)), to).toBe(true);
    }
  });

  test("names npm commands that there are", () => {
    const named = [...readme.matchAll(/npm run ([a-z]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });
});

test("CONTRIBUTING has ten lines", () => {
  const text = readFileSync(path.join(ROOT, "CONTRIBUTING.md"), "utf8");
  expect(text.match(/^\d+\. /gm)).toHaveLength(10);
});
