/** The sources that are broken, their functions by number, and their texts with a probe in each function. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { contains, type FoundFunction, functionsOf, type Mutation, mutationsOf } from "./mutations.ts";

export const ROOT = path.join(import.meta.dirname, "../..");
/** Modules, and the folders of the tests that run if the unit tests of a module detect nothing: there its users see it. */
const FLOW_TESTS: Readonly<Record<string, readonly string[]>> = {
  core: ["unit/plans", "flow/plans"],
  config: ["unit/state", "flow/api", "flow/cli"],
  service: ["contract", "flow/service"],
  storage: ["flow/storage", "flow/state"],
  http: ["flow/api"],
  state: ["flow/state"],
  plans: ["flow/plans"],
  mqtt: ["unit/core/prices", "flow/mqtt"],
  plugs: ["unit/integrations", "flow/plugs"],
  integrations: ["flow/integrations"],
  api: ["unit/http", "contract", "flow/api"],
  cli: ["flow/cli"],
  simulator: ["contract", "flow/service"],
  dashboard: ["browser"],
};
export const MODULES = Object.keys(FLOW_TESTS);
const HAS_FLOW = process.env.MUTANTS_FLOW !== "0";

/** Returns the folders of a module's tests, relative to `test`, its unit tests first. */
export function foldersOf(module: string): string[] {
  return [`unit/${module}`, ...(HAS_FLOW ? (FLOW_TESTS[module] ?? []) : [])];
}

/** Returns the module of a source. */
export function moduleOf(file: string): string {
  return file.split("/")[1] ?? "";
}

/** A mutation of a file, which is relative to the root. */
export interface Mutant extends Mutation {
  readonly file: string;
  /** Number of the innermost function around it. Undefined: it takes effect when the file is loaded. */
  readonly inside?: number;
}

interface Source {
  readonly file: string;
  readonly text: string;
  /** Number of its first function. */
  readonly first: number;
  readonly functions: readonly FoundFunction[];
}

let known: ReadonlyMap<string, Source> | undefined;

/** Returns the sources by file. */
export function sources(): ReadonlyMap<string, Source> {
  if (known) return known;
  const found = new Map<string, Source>();
  let first = 0;
  const patterns = MODULES.map((module) => `src/${module}/**/*.{ts,tsx}`);
  for (const file of globSync(patterns, { cwd: ROOT }).sort()) {
    // Neither types nor the development server are the program.
    if (/\.(d|config)\.ts$/.test(file)) continue;
    const text = readFileSync(path.join(ROOT, file), "utf8");
    const functions = functionsOf(file, text);
    found.set(file, { file, text, first, functions });
    first += functions.length;
  }
  known = found;
  return found;
}

export function textOf(file: string): string {
  const source = sources().get(file);
  if (!source) throw new Error(`${file} is not a source`);
  return source.text;
}

export function allMutants(): Mutant[] {
  return [...sources().values()].flatMap(({ file, text, first, functions }) =>
    mutationsOf(file, text).map((mutation) => {
      const index = functions.findLastIndex((each) => contains(each, mutation));
      return { file, ...mutation, ...(index >= 0 ? { inside: first + index } : {}) };
    }),
  );
}

/** Returns the numbers of the functions of a file. */
export function functionNumbers(file: string): number[] {
  const source = sources().get(file);
  return source ? source.functions.map((_, index) => source.first + index) : [];
}

/** Returns the text of a source in which each function notes its number when it is called. */
export function withProbes({ text, first, functions }: Source): string {
  const inserts = functions.flatMap(({ body }, index) => {
    const probe = `(globalThis.elbroReached ??= new Set()).add(${first + index})`;
    if (body.isBlock) return [{ at: body.start + 1, text: `;${probe};` }];
    return [
      { at: body.start, text: `(${probe}, ` },
      { at: body.end, text: ")" },
    ];
  });
  // From the end, so that the positions before stay right. At one position, the insert of the outer function is first.
  return inserts
    .map((insert, order) => ({ ...insert, order }))
    .sort((a, b) => b.at - a.at || b.order - a.order)
    .reduce((result, { at, text: added }) => result.slice(0, at) + added + result.slice(at), text);
}

/** Returns the line of a mutant, without indentation, and its change, as `equivalents.ts` has them. */
export function partsOf({ file, start, end, replacement }: Mutant): { line: string; change: string } {
  const text = textOf(file);
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const short = (part: string) => part.replace(/\s+/g, " ").trim().slice(0, 60) || "(nothing)";
  const change = `${short(text.slice(start, end))} → ${short(replacement)}`;
  return { line: text.slice(from, text.indexOf("\n", start)).trim(), change };
}

/** Returns a mutant as a line: place, change, line. */
export function describe(mutant: Mutant): string {
  const number = textOf(mutant.file).slice(0, mutant.start).split("\n").length;
  const { line, change } = partsOf(mutant);
  return `${mutant.file}:${number}  ${change}  in  ${line}`;
}
