/** From the text of a file and the environment to a configuration, or to every mistake there is in them. */
import { parseDocument } from "yaml";
import type * as z from "zod/mini";
import { type Config, configSchema } from "./schema.ts";

/** A mistake in the configuration, in words for its owner. */
export interface ConfigMistake {
  /** Where: a path of keys, or the name of an environment variable. */
  readonly path: string;
  /** What was found and what is expected. */
  readonly text: string;
}

export type ConfigReading =
  | { readonly kind: "config"; readonly config: Config }
  | { readonly kind: "mistakes"; readonly mistakes: readonly ConfigMistake[] };

export interface ConfigSources {
  /** The text of the file; null where there is none. */
  readonly text: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads a file that a `…_file` key or a `…_FILE` variable names. Errors: throws. */
  readonly readFile: (path: string) => string;
}

type Tree = Record<string, unknown>;

/** Environment variables of the daemon that are no keys of the configuration. */
const OTHER_VARIABLES = new Set(["ELBRO_CONFIG", "ELBRO_CLOCK", "ELBRO_SPEED"]);
const PREFIX = "ELBRO_";

/** Reads the configuration; the environment is stronger than the file. */
export function readConfig(sources: ConfigSources): ConfigReading {
  const mistakes: ConfigMistake[] = [];
  const tree = parseFile(sources.text, mistakes);
  applyEnvironment(tree, sources, mistakes);
  resolveFiles(tree, "", sources, mistakes);
  if (mistakes.length > 0) return { kind: "mistakes", mistakes };
  const result = configSchema.safeParse(tree);
  if (result.success) return { kind: "config", config: result.data };
  return { kind: "mistakes", mistakes: result.error.issues.flatMap((issue) => describeIssue(issue, tree)) };
}

function parseFile(text: string | null, mistakes: ConfigMistake[]): Tree {
  if (text === null) return {};
  const document = parseDocument(text, { prettyErrors: true });
  for (const error of document.errors) {
    const [where] = error.linePos ?? [];
    mistakes.push({
      path: where ? `line ${where.line}, column ${where.col}` : "the file",
      text: error.message.split("\n")[0] ?? "is not YAML",
    });
  }
  if (mistakes.length > 0) return {};
  const value: unknown = document.toJS();
  if (value === null || value === undefined) return {};
  if (isTree(value)) return value;
  mistakes.push({ path: "the file", text: "expected keys and values, as in `consumer:` and below it `api_key: …`" });
  return {};
}

/** `ELBRO_API_PORT` is `api.port`; what looks like YAML (a number, a list) is read as YAML. */
function applyEnvironment(tree: Tree, sources: ConfigSources, mistakes: ConfigMistake[]): void {
  for (const [name, value] of Object.entries(sources.environment)) {
    if (!name.startsWith(PREFIX) || OTHER_VARIABLES.has(name) || value === undefined) continue;
    const path = pathOfVariable(name.slice(PREFIX.length).toLowerCase());
    if (!path) {
      mistakes.push({ path: name, text: "names no key of the configuration" });
      continue;
    }
    setAt(tree, path, isSecretOrText(path) ? value : parseDocument(value).toJS());
  }
}

/** Finds the keys a variable means: an underscore may part two keys or belong to one. */
function pathOfVariable(rest: string, node: z.core.$ZodType = configSchema): string[] | null {
  const shape = shapeOf(node);
  if (!shape) return null;
  for (const key of Object.keys(shape)) {
    if (rest === key || rest === `${key}_file`) return [rest];
    if (!rest.startsWith(`${key}_`)) continue;
    const below = pathOfVariable(rest.slice(key.length + 1), shape[key]);
    if (below) return [key, ...below];
  }
  return null;
}

/** The keys of an object schema, seen through defaults, optionals and the first of several forms. */
function shapeOf(node: z.core.$ZodType | undefined): Readonly<Record<string, z.core.$ZodType>> | null {
  const definition = node?._zod.def as {
    type?: string;
    innerType?: z.core.$ZodType;
    options?: z.core.$ZodType[];
    shape?: Record<string, z.core.$ZodType>;
  };
  if (definition?.type === "object") return definition.shape ?? null;
  if (definition?.type === "union") return shapeOf(definition.options?.[0]);
  return definition?.innerType ? shapeOf(definition.innerType) : null;
}

function isSecretOrText(path: readonly string[]): boolean {
  return /(key|secret|password|name|topic|prefix|file|dir|url|host|^ca|^cert)$/.test(path.at(-1) ?? "");
}

function setAt(tree: Tree, path: readonly string[], value: unknown): void {
  let node = tree;
  for (const key of path.slice(0, -1)) {
    const below = node[key];
    const next: Tree = isTree(below) ? below : {};
    node[key] = next;
    node = next;
  }
  node[path.at(-1) ?? ""] = value;
}

/** `api_key_file: /run/secrets/key` becomes `api_key` with the file's text, without the line end. */
function resolveFiles(tree: Tree, path: string, sources: ConfigSources, mistakes: ConfigMistake[]): void {
  for (const [key, value] of Object.entries(tree)) {
    const here = path ? `${path}.${key}` : key;
    if (isTree(value)) resolveFiles(value, here, sources, mistakes);
    else if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) if (isTree(item)) resolveFiles(item, `${here}[${i}]`, sources, mistakes);
    } else if (key.endsWith("_file") && typeof value === "string") {
      delete tree[key];
      try {
        tree[key.slice(0, -"_file".length)] = sources.readFile(value).trimEnd();
      } catch (error) {
        mistakes.push({
          path: here,
          text: `cannot read ${value}: ${error instanceof Error ? error.message : "unknown error"}`,
        });
      }
    }
  }
}

function describeIssue(issue: z.core.$ZodIssue, tree: Tree): ConfigMistake[] {
  const path = issue.path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: path ? `${path}.${key}` : key,
      text: "is not a key of the configuration",
    }));
  }
  if (issue.code === "invalid_union")
    return (
      issue.errors[0]?.flatMap((inner) => describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, tree)) ?? []
    );
  const found = issue.path.reduce<unknown>(
    (node, key) => (isTree(node) || Array.isArray(node) ? (node as Tree)[String(key)] : undefined),
    tree,
  );
  return [{ path: path || "the file", text: `${expectation(issue)}, found ${shown(found, issue.path.join("."))}` }];
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `expected ${issue.expected}`;
  if (issue.code === "invalid_value") return `expected one of ${issue.values.join(", ")}`;
  if (issue.code === "too_small") return `expected at least ${issue.minimum}`;
  if (issue.code === "too_big") return `expected at most ${issue.maximum}`;
  return issue.message;
}

function shown(value: unknown, path: string): string {
  if (value === undefined) return "nothing";
  if (/key$|secret|password/.test(path)) return "a value that is not shown";
  return JSON.stringify(value);
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
