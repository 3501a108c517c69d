/** `npm run docs`: writes all documentation that is generated from the code. A test fails if it is out of date. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { type GeneratedFile, languageLists, languageShares } from "./language-files.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

function write(files: readonly GeneratedFile[]): void {
  for (const { name, text } of files) writeFileSync(path.join(ROOT, name), text);
}

// First, because the sources of the other files import it.
write(languageLists(ROOT));
const { generatedFiles } = await import("./generated-files.ts");
write(generatedFiles(ROOT));
console.log(languageShares(ROOT).join("\n"));
