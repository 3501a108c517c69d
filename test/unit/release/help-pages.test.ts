import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DANISH_PAGES, HELP_PAGES, helpFiles } from "../../../release/help-pages.ts";
import { htmlOf } from "../../../release/markdown.ts";
import { configJsonSchema } from "../../../src/config/schema/json-schema.ts";
import { problemCatalog } from "../../../src/core/status/problem-catalog.ts";
import { type Field, fieldOf, type JsonSchema } from "../../../src/dashboard/forms/fields.ts";
import { fieldHelpUrl, helpTopics, helpUrl, problemHelpUrl } from "../../../src/dashboard/words/help.ts";
import { anchorsOf } from "../../support/docs/markdown-links.ts";

const MAX_HELP_BYTES = 330_000;
const files = helpFiles();
const pages = Object.entries(files);

describe("the help", () => {
  test("the help has the owner's pages and an index, and at most MAX_HELP_BYTES", () => {
    const danish = DANISH_PAGES.map((name) => `da-${name}.html`);
    expect(Object.keys(files)).toEqual([
      ...HELP_PAGES.map((name) => `${name}.html`),
      ...danish,
      "index.html",
      "da.html",
    ]);
    const bytes = pages.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(MAX_HELP_BYTES);
  });

  test.each(pages)("%s has no script, no inline style and no Markdown left", (_, text) => {
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=|javascript:/);
    const words = text.replace(/<pre>[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, "");
    expect(words).not.toMatch(/^#|\]\(|\*\*|^\||<!--|```/m);
  });

  test.each(pages)("every link of %s leads to a page and an anchor of the help, or to another site", (name, text) => {
    const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, href = ""]) => href);
    expect(links.filter((href) => !leads(href, name))).toEqual([]);
  });

  test.each(HELP_PAGES)("%s has every heading of its source, with the same anchor", (name) => {
    const source = readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8");
    const html = files[`${name}.html`] ?? "";
    expect([...anchorsOf(source)].filter((anchor) => !html.includes(` id="${anchor}"`))).toEqual([]);
  });

  test.each(DANISH_PAGES)("the Danish %s has the parts, tables and examples of the English one", (name) => {
    const partsOf = (folder: string) => {
      const text = readFileSync(new URL(`../../../docs/${folder}${name}.md`, import.meta.url), "utf8");
      const examples = [...text.matchAll(/^ *```(\w+)\n(.*?)^ *```/gms)].map(([, language, code = ""]) => [
        ...[language, code.replace(/ *#.*$/gm, "")],
      ]);
      const marks = text.replace(/```.*?```/gs, "").match(/^(#+ |\| *|- |\d+\. |!\[)/gm);
      return { examples, marks };
    };
    expect(partsOf("da/")).toEqual(partsOf(""));
  });

  test.each([
    ["topic of the dashboard", helpTopics.map(helpUrl)],
    ["problem", Object.keys(problemCatalog).map(problemHelpUrl)],
    ["field of the configuration", pathsOf(fieldOf(configJsonSchema() as JsonSchema, "")).map(fieldHelpUrl)],
  ])("every %s has its place in the help", (_, urls) => {
    expect(urls.length).toBeGreaterThan(4);
    expect(urls.filter((url) => !leads(url.replace(/^help\//, ""), "index.html"))).toEqual([]);
  });

  test("every field of a plug has a place of its own, and unknown ones have the table of all keys", () => {
    const paths = pathsOf(fieldOf(configJsonSchema() as JsonSchema, "")).filter((path) => path.startsWith("plugs[]."));
    expect(paths.length).toBeGreaterThan(25);
    expect(paths.filter((path) => fieldHelpUrl(path) === fieldHelpUrl(""))).toEqual([]);
    expect(["plugs[].topic", "plugs[].power.key", "plugs[].min_on", "levels"].map(fieldHelpUrl)).toEqual([
      "help/switch-a-plug#add-it",
      "help/plugs#plugs-that-measure",
      "help/configuration#plugs[].min_on",
      "help/configuration#every-key",
    ]);
  });
});

/** Returns the paths of a field and of all fields below it. */
function pathsOf(field: Field): string[] {
  const below =
    field.kind === "group"
      ? field.fields
      : field.kind === "list"
        ? [field.item]
        : field.kind === "one-of"
          ? field.forms.slice(0, 1)
          : [];
  return [field.path, ...below.flatMap(pathsOf)];
}

/** Returns whether a link on a page of the help leads somewhere. */
function leads(href: string, on: string): boolean {
  if (/^https?:|^\.\.?\/$/.test(href)) return true;
  const [page, anchor] = href.split("#");
  const target = files[page === "" ? on : `${page}.html`];
  return target !== undefined && (anchor === undefined || target.includes(` id="${anchor}"`));
}

test.each([
  ["a **bold** `a|b`", "<p>a <strong>bold</strong> <code>a|b</code></p>\n"],
  ['`**no**` and <b> & "q"', "<p><code>**no**</code> and &lt;b&gt; &amp; &quot;q&quot;</p>\n"],
  ["[a](x.md#y) [b](gone.md)", '<p><a href="x#y">a</a> b</p>\n'],
  ["- a\n  b\n- c\n\nd", "<ul>\n<li>a b</li>\n<li>c</li>\n</ul>\n<p>d</p>\n"],
  ["1. a\n\n   ```sh\n   ls\n   ```\n2. b", "<ol>\n<li>a<pre><code>ls</code></pre>\n</li>\n<li>b</li>\n</ol>\n"],
  ["## Keys & `x`", '<h2 id="keys--x">Keys &amp; <code>x</code></h2>\n'],
  ["```\n<a>\n# b\n```", "<pre><code>&lt;a&gt;\n# b</code></pre>\n"],
])("the Markdown %j becomes HTML", (markdown, html) => {
  expect(htmlOf(markdown, (target) => (target.startsWith("x") ? target.replace(".md", "") : null))).toBe(html);
});

test("a row of a table that begins with a code can be linked to, once", () => {
  const html = htmlOf("| a | b |\n|---|---|\n| `clock_wrong` | x \\| y |\n| `clock_wrong` | z |\n", () => null);
  expect(html).toContain('<tr id="clock_wrong"><td><code>clock_wrong</code></td><td>x | y</td></tr>');
  expect(html.match(/id=/g)).toHaveLength(1);
});
