/** `npm run docs`: writes all documentation that is generated from the code. A test fails if it is out of date. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { generatedFiles } from "./generated-files.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
for (const { name, text } of generatedFiles(ROOT)) writeFileSync(path.join(ROOT, name), text);
