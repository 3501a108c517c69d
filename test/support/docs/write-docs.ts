/** `npm run docs`: writes everything that is generated from the code. A test fails when it was forgotten. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { generatedFiles } from "./generated-files.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
for (const { name, text } of generatedFiles(ROOT)) writeFileSync(path.join(ROOT, name), text);
