/**
 * Mistakes in a configuration, described for its owner: place, expected value, found value. Never contains a secret.
 */
import type * as z from "zod/mini";
import { itemOf, keys, kindOf, shapeOf } from "./keys.ts";
import { configSchema } from "./schema.ts";
import { nearest } from "./suggest-key.ts";
import { isTree, type Tree } from "./tree.ts";
import { hintFor } from "./value-hints.ts";

/** A mistake in the configuration. */
export interface ConfigMistake {
  /** Path of keys, position in the file, or name of an environment variable. */
  readonly path: string;
  /** Expected and found value. */
  readonly text: string;
  /** Line of the file; absent if the mistake is elsewhere. */
  readonly line?: number;
}

type Path = readonly PropertyKey[];
type Shape = NonNullable<ReturnType<typeof shapeOf>>;

const UNTOLD = "Invalid input";
const SECRET = /(^|_)(key|secret|password|token|topic_url)$/;
const MAX_SHOWN_LENGTH = 60;
/** A longer name is not a misspelt key. It may be a secret in the wrong place. */
const MAX_KEY_LENGTH = 30;
const FILE_SUFFIX = /_file$/;
const MIN_SHARED = 3;
/** Maximum number of keys that are listed if none is similar. */
const MAX_LISTED = 10;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "keys and values",
  array: "a list",
};

/** Other words for keys, to which no key is similar. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ deadline: "ready_by", until: "ready_by", finish: "ready_by", start: "from", begin: "from" },
  ...{ power: "kw", duration: "hours", weekdays: "days", ip: "url", host: "url" },
};

/** Returns whether the value of a key is a secret, judged by the key's name. */
export function isSecretKey(name: string): boolean {
  return SECRET.test(name);
}

/** Formats a path: `api.keys[0].name`. */
export function pathText(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}

/** Returns all mistakes that one issue of the schema describes. */
export function describeIssue(
  issue: z.core.$ZodIssue,
  tree: Tree,
  schema: z.core.$ZodType = configSchema,
): ConfigMistake[] {
  const found = valueAt(tree, issue.path);
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(key, issue.path, schema));
  if (issue.code === "invalid_union") {
    const branch = issue.errors.find((errors) => !errors.some(({ path }) => path.length === 0));
    if (!branch) return [{ path: pathText(issue.path), text: unionText(issue, found, schema) }];
    const below = branch.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }) as z.core.$ZodIssue);
    return below.flatMap((inner) => describeIssue(inner, tree, schema));
  }
  return [{ path: pathText(issue.path) || "the file", text: textOf(issue, found, schema) }];
}

/** Returns the text for a value that fits none of several forms. */
function unionText(issue: z.core.$ZodIssueInvalidUnion, found: unknown, schema: z.core.$ZodType): string {
  const issues = issue.errors.flat().map((inner) => ({ ...inner, path: issue.path }) as z.core.$ZodIssue);
  const isSection = issues.some((inner) => inner.code === "invalid_type" && inner.expected === "object");
  if (isSection) {
    const expectation = "expected keys and values";
    return `${expectation}, found ${kindFound(found)}${hintFor({ found, expectation })}`;
  }
  // A number that is too large has the right form.
  const own = issues.find((inner) => inner.code === "too_big" || inner.code === "too_small");
  if (own) return textOf(own, found, schema);
  const [first, ...others] = [...new Set(issues.map(expectation))];
  const either = [first, ...others.map((other) => other.replace(/^expected /, ""))].join(" or ");
  return `${either}, found ${shown(found, { ...issue, code: "custom" } as z.core.$ZodIssue)}`;
}

function textOf(issue: z.core.$ZodIssue, found: unknown, schema: z.core.$ZodType): string {
  if (issue.code === "custom")
    return `${issue.message}${/^expected hours/.test(issue.message) ? hintOf(issue, found, schema) : ""}`;
  const text = `${expectation(issue)}, found ${shown(found, issue)}`;
  const hint = hintOf(issue, found, schema);
  if (hint !== "") return `${text}${hint}`;
  const isPlain = typeof found === "number" || typeof found === "boolean";
  const unquoted = issue.code === "invalid_type" && issue.expected === "string" && isPlain;
  return unquoted ? `${text}; put it in quotes` : text;
}

/** Returns a proposal for a value that may be shown; otherwise an empty text. */
function hintOf(issue: z.core.$ZodIssue, found: unknown, schema: z.core.$ZodType): string {
  if (issue.path.some((part) => isSecretKey(String(part)))) return "";
  const item = itemOf(schemaAt(issue.path, schema));
  return hintFor({
    found,
    name: String(issue.path.at(-1) ?? ""),
    expectation: expectation(issue),
    words: issue.code === "invalid_value" ? issue.values.map(String) : [],
    isPlainList: issue.code === "invalid_type" && issue.expected === "array" && item !== undefined && !shapeOf(item),
  });
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.message !== UNTOLD) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `expected ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected one of ${issue.values.join(", ")}`;
    case "too_small":
      return `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    default:
      return "expected another value";
  }
}

/** Returns a value, or only its type if it may contain a secret: under a secret key, or if it is not a plain value. */
function shown(value: unknown, issue: z.core.$ZodIssue): string {
  if (value === undefined || value === null) return "nothing";
  if (value === "") return "an empty text";
  if (Array.isArray(value) && value.length === 0) return "an empty list";
  const misplaced = issue.code === "invalid_type" && ["object", "array"].includes(issue.expected);
  if (typeof value === "object" || misplaced) return kindFound(value);
  if (issue.path.some((part) => isSecretKey(String(part))))
    return `${typeof value === "number" ? "a number" : "a value"} that is not shown`;
  const text = JSON.stringify(value).replace(/\/\/[^@/]*@/, "//…@");
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

function kindFound(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  return TYPE_NAMES[Array.isArray(value) ? "array" : typeof value] ?? "something else";
}

function unknownKey(key: string, path: Path, schema: z.core.$ZodType): ConfigMistake {
  if (key.length > MAX_KEY_LENGTH)
    return {
      path: pathText(path) || "the file",
      text: `a name of ${key.length} characters is not a key of the configuration`,
    };
  const here = pathText([...path, key]);
  const shape = shapeAt(path, schema) ?? {};
  const stem = key.replace(FILE_SUFFIX, "");
  if (stem !== key && Object.hasOwn(shape, stem))
    return { path: here, text: `is not a key of the configuration: only texts can come from a file; set ${stem}` };
  const other = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
  const sibling = other !== undefined && Object.hasOwn(shape, other) ? pathText([...path, other]) : null;
  const meant = sibling ?? siblingLike(key, path, shape) ?? keyElsewhere(key);
  return {
    path: here,
    text: `is not a key of the configuration${meant === null ? keysHere(shape) : `; did you mean ${meant}?`}`,
  };
}

function siblingLike(key: string, path: Path, shape: Shape): string | null {
  const names = Object.entries(shape).flatMap(([name, node]) =>
    kindOf(node) === "text" ? [name, `${name}_file`] : [name],
  );
  const alike = path.length === 0 ? undefined : names.find((name) => shareWord(name, key));
  const meant = nearest(key, names) ?? alike ?? null;
  return meant === null ? null : pathText([...path, meant]);
}

/** Returns whether one name is the start or the end of the other: `key` and `api_key`, `user` and `username`. */
function shareWord(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= MIN_SHARED && (long.startsWith(short) || long.endsWith(short));
}

/** Returns the possible keys as text; empty if there are more than MAX_LISTED. */
function keysHere(shape: Shape): string {
  const names = Object.keys(shape);
  return names.length === 0 || names.length > MAX_LISTED ? "" : `; expected one of ${names.join(", ")}`;
}

function keyElsewhere(key: string): string | null {
  const found = keys.find(({ path }) => path.at(-1) === key.replace(FILE_SUFFIX, ""));
  return found ? found.path.join(".") : null;
}

function shapeAt(path: Path, schema: z.core.$ZodType): ReturnType<typeof shapeOf> {
  return shapeOf(schemaAt(path, schema));
}

function schemaAt(path: Path, schema: z.core.$ZodType): z.core.$ZodType | undefined {
  let node: z.core.$ZodType | undefined = schema;
  for (const part of path) node = typeof part === "number" ? itemOf(node) : shapeOf(node)?.[String(part)];
  return node;
}

/** Returns the value at a path; undefined if the path does not exist. */
export function valueAt(tree: Tree, path: Path): unknown {
  return path.reduce<unknown>(
    (node, key) => (isTree(node) || Array.isArray(node) ? (node as Tree)[String(key)] : undefined),
    tree,
  );
}
