/** The golden files: what a newcomer to elbro sees of it, as text that can be read and compared byte for byte. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const FOLDER = path.resolve(import.meta.dirname, "../../golden");
const LINE_LENGTH = 120;

/** Whether the files are to be written anew: `GOLDEN=update`. */
export const IS_UPDATE = process.env.GOLDEN === "update";

/** What a golden file holds; empty where it is not there yet. */
export function readGolden(name: string): string {
  try {
    return readFileSync(path.join(FOLDER, name), "utf8");
  } catch {
    return "";
  }
}

export function writeGolden(name: string, text: string): void {
  writeFileSync(path.join(FOLDER, name), text);
}

/** JSON with what fits on one line on one line. Members stay in their order. */
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
 * A text that is an object or a list of JSON, written as `JSON.stringify` does, as that value; every other as it is. So
 * two texts that differ in a byte differ here, and what is JSON can be read.
 */
export function readable(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && JSON.stringify(value) === text) return value;
  } catch {}
  return text;
}

/** Of an exposition of metrics: names, meanings, types, and the names of their labels; no values. */
export function metricsOutline(exposition: string): string {
  const lines = exposition.split("\n").flatMap((line) => {
    if (line === "" || line.startsWith("#")) return [line];
    const [, name = "", labels = ""] = /^([^{ ]+)(?:\{(.*)\})? /.exec(line) ?? [];
    return [`${name}{${[...labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => label).join(",")}}`];
  });
  return lines.filter((line, i) => line !== lines[i - 1]).join("\n");
}
