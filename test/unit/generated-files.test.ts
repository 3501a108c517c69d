import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { generatedFiles } from "../support/generated-files.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

test.each(generatedFiles(ROOT).map(({ name, text }) => [name, text]))(
  "%s is what the code makes of it (npm run docs writes it)",
  (name, text) => {
    expect(readFileSync(path.join(ROOT, name), "utf8")).toBe(text);
  },
);
