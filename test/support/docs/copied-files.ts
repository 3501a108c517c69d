import { readdirSync, readFileSync } from "node:fs";
import { parse, parseAllDocuments, type ScalarTag } from "yaml";

const CONFIG = new URL("../../../config/", import.meta.url);

/** Returns the text of a file that users copy, by its path below `config/`. */
export function copiedText(path: string): string {
  return readFileSync(new URL(path, CONFIG), "utf8");
}

/** Returns a file that users copy, parsed as YAML. */
export function copiedYaml(path: string): unknown {
  return parse(copiedText(path));
}

/** Returns the files of a folder below `config/`, without subfolders, as sorted paths below `config/`. */
export function copiedFiles(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, CONFIG), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${folder}/${name}`)
    .sort();
}

/** Reference to a blueprint input (`!input`). */
export class Input {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const inputTag: ScalarTag = { tag: "!input", resolve: (name) => new Input(name) };

/** Parses a blueprint as Home Assistant does. Throws if it is not valid YAML. */
export function readBlueprint(path: string): Readonly<Record<string, unknown>> {
  const [document] = parseAllDocuments(copiedText(path), { customTags: [inputTag] });
  if (!document || !("toJS" in document) || document.errors.length > 0) throw new Error(`${path} is no YAML`);
  return document.toJS() as Record<string, unknown>;
}
