import { readdirSync, readFileSync } from "node:fs";
import { parse, parseAllDocuments, type ScalarTag } from "yaml";

const CONFIG = new URL("../../../config/", import.meta.url);

/** The text of a file that a user copies, by its path below `config/`. */
export function copiedText(path: string): string {
  return readFileSync(new URL(path, CONFIG), "utf8");
}

/** A file that a user copies, read as YAML. */
export function copiedYaml(path: string): unknown {
  return parse(copiedText(path));
}

/** The files of a folder below `config/`, without its folders. Shape: sorted paths below `config/`. */
export function copiedFiles(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, CONFIG), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${folder}/${name}`)
    .sort();
}

/** The name of an input of a blueprint, where it is used. */
export class Input {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const inputTag: ScalarTag = { tag: "!input", resolve: (name) => new Input(name) };

/** A blueprint, read as Home Assistant reads it. Errors: throws where it is no YAML. */
export function readBlueprint(path: string): Readonly<Record<string, unknown>> {
  const [document] = parseAllDocuments(copiedText(path), { customTags: [inputTag] });
  if (!document || !("toJS" in document) || document.errors.length > 0) throw new Error(`${path} is no YAML`);
  return document.toJS() as Record<string, unknown>;
}
