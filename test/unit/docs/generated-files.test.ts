import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { pageNames, pageText } from "../../support/docs/docs-pages.ts";
import { generatedFiles, generatedParts } from "../../support/docs/generated-files.ts";
import { expectLines } from "../../support/golden/differing-lines.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

test.each(generatedFiles(ROOT).map(({ name, text }) => [name, text]))(
  "%s is up to date (npm run docs writes it)",
  (name, text) => {
    expectLines(name, readFileSync(path.join(ROOT, name), "utf8"), text, "npm run docs");
  },
);

test("every mark in a page belongs to a generated part of that page", () => {
  const marked = pageNames().flatMap((name) =>
    [...pageText(name).matchAll(/^<!-- \/(.+) -->$/gm)].map(([, part]) => `${name} ${part}`),
  );
  const written = Object.entries(generatedParts).flatMap(([name, parts]) =>
    Object.keys(parts).map((part) => `${name} ${part}`),
  );
  expect(marked.toSorted()).toEqual(written.toSorted());
});
