/** The sources that are broken, their functions by number, and their texts with a probe in each function. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { contains, type FoundFunction, functionsOf, type Mutation, mutationsOf } from "./mutations.ts";

export const ROOT = path.resolve(process.env.MUTANTS_ROOT ?? path.join(import.meta.dirname, "../.."));
export const MODULES = [
  ...["core", "config", "service", "storage", "http", "state", "plans", "mqtt", "plugs", "integrations", "api", "cli"],
  ...["simulator", "dashboard"],
];

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
  const patterns = MODULES.map((module) => `src/${module}/**/*.ts`);
  for (const file of globSync(patterns, { cwd: ROOT }).sort()) {
    if (file.endsWith(".d.ts")) continue;
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
