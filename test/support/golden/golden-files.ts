/** Reads and writes the golden files: the program's output for a new user as readable text, compared byte for byte. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expectLines } from "./differing-lines.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../golden");
const LINE_LENGTH = 120;

/** True if the golden files are to be rewritten: `GOLDEN=update`. */
export const IS_UPDATE = process.env.GOLDEN === "update";

/** Returns the content of a golden file; an empty string if the file cannot be read. */
export function readGolden(name: string): string {
  try {
    return readFileSync(path.join(FOLDER, name), "utf8");
  } catch {
    return "";
  }
}

/** Throws an error with the differing lines if a golden file is not `text`. `test` is the file of the test. */
export function expectGolden(name: string, text: string, test: string): void {
  const command = `GOLDEN=update npm test -- ${test}`;
  expectLines(`test/golden/${name}`, readGolden(name), text, command);
}

export function writeGolden(name: string, text: string): void {
  writeFileSync(path.join(FOLDER, name), text);
}

/** Formats JSON; a value that fits in 120 characters stays on one line. The order of members is kept. */
export function goldenJson(value: unknown): string {
  return `${written(value, "")}\n`;
}

function written(value: unknown, indent: string): string {
  const short = JSON.stringify(value);
  if (typeof value !== "object" || value === null || indent.length + short.length <= LINE_LENGTH) return short;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => written(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${written(each, inner)}`);
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

/**
 * Returns the parsed value if the text is a JSON object or list exactly as `JSON.stringify` writes it, otherwise the
 * text. Two texts that differ in one byte therefore differ here, and JSON stays readable.
 */
export function readable(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && JSON.stringify(value) === text) return value;
  } catch {}
  return text;
}

/** Returns the names, help texts, types and label names of a metrics exposition, without values. */
export function metricsOutline(exposition: string): string {
  const lines = exposition.split("\n").flatMap((line) => {
    if (line === "" || line.startsWith("#")) return [line];
    const [, name = "", labels = ""] = /^([^{ ]+)(?:\{(.*)\})? /.exec(line) ?? [];
    return [`${name}{${[...labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => label).join(",")}}`];
  });
  return lines.filter((line, i) => line !== lines[i - 1]).join("\n");
}
