/** Files that are generated from the code, completely or between marks. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { addressesOf } from "../../../release/addresses.ts";
import { configJsonSchema } from "../../../src/config/schema/json-schema.ts";
import { languages } from "../../../src/i18n/languages.ts";
import { resultDocs } from "../../readers/results.ts";
import { addressDocs, blueprintDocs, blueprintFiles } from "./address-docs.ts";
import { errorDocs, eventDocs, localDocs, metricDocs } from "./api-docs.ts";
import { appSchemaText } from "./app-schema.ts";
import { appTranslationText } from "./app-translations.ts";
import { commandDocs } from "./command-docs.ts";
import { configDocs } from "./config-docs.ts";
import { exampleText } from "./config-example.ts";
import { entityDocs } from "./entity-docs.ts";
import { type GeneratedFile, languageLists } from "./language-files.ts";
import { operationDocs } from "./operation-docs.ts";
import { planStateDocs, plugFamilyDocs, plugReasonDocs } from "./plan-docs.ts";
import { healthDocs, problemDocs } from "./problem-docs.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** Pages with generated parts: the text between `<!-- name -->` and `<!-- /name -->` in each. */
export const generatedParts: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  "docs/configuration.md": { options: configDocs },
  "docs/home-assistant.md": { blueprints: () => blueprintDocs(ROOT) },
  "docs/home-assistant-entities.md": { entities: entityDocs },
  "docs/http-api.md": { events: eventDocs },
  "docs/http-reference.md": { operations: operationDocs, errors: errorDocs, local: localDocs },
  "docs/install.md": { addresses: () => addressDocs("en") },
  "docs/kom-i-gang.md": { adresser: () => addressDocs("da") },
  "docs/monitoring.md": { health: healthDocs, figures: metricDocs },
  "docs/operations.md": { commands: commandDocs, problems: problemDocs },
  "docs/plans.md": { "plan-states": planStateDocs },
  "docs/other-programs.md": { results: resultDocs },
  "docs/plugs.md": { "plug-families": plugFamilyDocs, "plug-reasons": plugReasonDocs },
};

const APP = "config/home-assistant/elbro/config.yaml";

/** Returns every generated file with its expected text. Throws if a mark is missing. */
export function generatedFiles(root: string): GeneratedFile[] {
  const pages = Object.keys(generatedParts).map((name) => ({
    name,
    text: withParts(name, readFileSync(path.join(root, name), "utf8")),
  }));
  return [
    ...pages,
    { name: APP, text: withAppSchema(readFileSync(path.join(root, APP), "utf8")) },
    ...languageLists(root),
    ...languages.map((language) => ({
      name: `config/home-assistant/elbro/translations/${language}.yaml`,
      text: appTranslationText(language),
    })),
    ...blueprintFiles(root),
    { name: "src/core/status/version.ts", text: withHomepage(root) },
    { name: "config/elbro.example.yaml", text: exampleText() },
    { name: "config/elbro.schema.json", text: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
  ];
}

/** Returns the file with the facts of the release, with the address that Home Assistant shows for support. */
function withHomepage(root: string): string {
  const homepage = addressesOf()?.homepage;
  return readFileSync(path.join(root, "src/core/status/version.ts"), "utf8").replace(
    /^(export const HOMEPAGE: string \| undefined = ).*;$/m,
    (_all, start: string) => `${start}${homepage === undefined ? "undefined" : JSON.stringify(homepage)};`,
  );
}

/** Returns the app's config.yaml with the generated schema. */
function withAppSchema(text: string): string {
  const marks = /(# <schema>\n).*(# <\/schema>)/s;
  if (!marks.test(text)) throw new Error(`${APP} has no # <schema> marks`);
  return text.replace(marks, (_all, open: string, close: string) => `${open}${appSchemaText()}${close}`);
}

/** Returns the page with its generated parts. */
function withParts(name: string, page: string): string {
  return Object.entries(generatedParts[name] ?? {}).reduce((text, [part, write]) => {
    const marks = new RegExp(`(<!-- ${part} -->\\n).*(<!-- /${part} -->)`, "s");
    if (!marks.test(text)) throw new Error(`${name} has no <!-- ${part} --> marks`);
    return text.replace(marks, (_all, open: string, close: string) => `${open}\n${write()}\n\n${close}`);
  }, page);
}
