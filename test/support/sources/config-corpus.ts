/** Invalid configurations, each with its expected messages. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const FOLDER = path.join(import.meta.dirname, "../../fixtures/config");

/** Names of the configuration files without extension. */
export const corpusNames: readonly string[] = readdirSync(FOLDER).flatMap((name) =>
  name.endsWith(".yaml") ? [name.replace(/\.yaml$/, "")] : [],
);

/** Names of the files with expected messages, without extension. */
export const corpusMessages: readonly string[] = readdirSync(FOLDER).flatMap((name) =>
  name.endsWith(".txt") ? [name.replace(/\.txt$/, "")] : [],
);

export function corpusText(name: string): string {
  return readFileSync(path.join(FOLDER, `${name}.yaml`), "utf8");
}

/** Returns the expected messages of a configuration. */
export function corpusMistakes(name: string): string {
  return readFileSync(path.join(FOLDER, `${name}.txt`), "utf8");
}
