/** Bad configurations, each with everything that is said of it. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const FOLDER = path.join(import.meta.dirname, "../../fixtures/config");

/** The names of the corpus without their endings. */
export const corpusNames: readonly string[] = readdirSync(FOLDER).flatMap((name) =>
  name.endsWith(".yaml") ? [name.replace(/\.yaml$/, "")] : [],
);

/** Names of the messages that are there. */
export const corpusMessages: readonly string[] = readdirSync(FOLDER).flatMap((name) =>
  name.endsWith(".txt") ? [name.replace(/\.txt$/, "")] : [],
);

export function corpusText(name: string): string {
  return readFileSync(path.join(FOLDER, `${name}.yaml`), "utf8");
}

/** What is said of it. */
export function corpusMistakes(name: string): string {
  return readFileSync(path.join(FOLDER, `${name}.txt`), "utf8");
}
