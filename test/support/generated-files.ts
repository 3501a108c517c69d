/** Files that are made from the code, whole or between marks. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { configDocs } from "../../src/config/config-docs.ts";
import { exampleText } from "../../src/config/example.ts";
import { configJsonSchema } from "../../src/config/json-schema.ts";
import { entityDocs } from "../../src/homeassistant/entity-docs.ts";
import { eventDocs, metricDocs } from "../../src/live-openapi.ts";
import { errorDocs } from "../../src/server/error-docs.ts";
import { localDocs } from "../../src/server/local-operations.ts";
import { commandDocs } from "./command-docs.ts";
import { operationDocs } from "./operation-docs.ts";
import { planStateDocs, plugFamilyDocs, plugReasonDocs } from "./plan-docs.ts";
import { healthDocs, problemDocs } from "./problem-docs.ts";

export interface GeneratedFile {
  /** Its path below the root. */
  readonly name: string;
  readonly text: string;
}

/** What stands between `<!-- name -->` and `<!-- /name -->` in the README. */
const README_PARTS: Readonly<Record<string, () => string>> = {
  commands: commandDocs,
  entities: entityDocs,
  events: eventDocs,
  figures: metricDocs,
  errors: errorDocs,
  health: healthDocs,
  local: localDocs,
  operations: operationDocs,
  options: configDocs,
  "plan-states": planStateDocs,
  "plug-families": plugFamilyDocs,
  "plug-reasons": plugReasonDocs,
  problems: problemDocs,
};

/** Every generated file as it should be. Errors: throws where the README lacks a mark. */
export function generatedFiles(root: string): GeneratedFile[] {
  return [
    { name: "README.md", text: readmeText(readFileSync(path.join(root, "README.md"), "utf8")) },
    { name: "config/elbro.example.yaml", text: exampleText() },
    { name: "config/elbro.schema.json", text: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
  ];
}

function readmeText(readme: string): string {
  return Object.entries(README_PARTS).reduce((text, [name, write]) => {
    const marks = new RegExp(`(<!-- ${name} -->\\n).*(<!-- /${name} -->)`, "s");
    if (!marks.test(text)) throw new Error(`README.md has no <!-- ${name} --> marks`);
    return text.replace(marks, (_all, open: string, close: string) => `${open}\n${write()}\n\n${close}`);
  }, readme);
}
