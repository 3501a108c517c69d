/** `npm run docs`: writes what is generated from the code into the README. A test fails when it was forgotten. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { entityDocs } from "../../src/homeassistant/entity-docs.ts";

const README = path.resolve(import.meta.dirname, "../../README.md");
const text = readFileSync(README, "utf8");
const marks = /(<!-- entities -->\n).*(<!-- \/entities -->)/s;
if (!marks.test(text)) throw new Error("README.md has no <!-- entities --> marks");
writeFileSync(
  README,
  text.replace(marks, (_all, open: string, close: string) => `${open}\n${entityDocs()}\n\n${close}`),
);
