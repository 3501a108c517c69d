/**
 * Mistakes in a configuration, described for its owner: place, expected value, found value. Never contains a secret.
 */
import type * as z from "zod/mini";
import { type Fact, type Message, message, textIn } from "../../core/language/text.ts";
import { itemOf, keysBelow, kindOf, schemaAt, shapeOf } from "../schema/schema-nodes.ts";
import { expectedOf, KINDS } from "../schema/values.ts";
import { type Tree, valueAt } from "../tree.ts";
import { type ConfigMistake, isSecretKey, pathText } from "./mistake.ts";
import { didYouMean, nearest } from "./suggest-key.ts";
import { hintFor } from "./value-hints.ts";

type Path = readonly PropertyKey[];
type Shape = NonNullable<ReturnType<typeof shapeOf>>;

const MAX_SHOWN_LENGTH = 60;
/** A longer name is not a misspelt key. It may be a secret in the wrong place. */
const MAX_KEY_LENGTH = 30;
const FILE_SUFFIX = /_file$/;
const MIN_SHARED = 3;
/** Maximum number of keys that are listed if none is similar. */
const MAX_LISTED = 10;

/** Other words for keys, to which no key is similar. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  deadline: "ready_by",
  until: "ready_by",
  finish: "ready_by",
  start: "from",
  begin: "from",
  power: "kw",
  duration: "hours",
  weekdays: "days",
  ip: "url",
  host: "url",
};

/** Returns all mistakes that one issue of the schema describes. */
export function describeIssue(
  issue: z.core.$ZodIssue,
  tree: Tree,
  schema: z.core.$ZodType,
  root = "the file",
): ConfigMistake[] {
  const found = valueAt(tree, issue.path);
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(key, issue.path, schema, root));
  if (issue.code === "invalid_union") {
    const branch = issue.errors.find((errors) => !errors.some(({ path }) => path.length === 0));
    if (!branch) return [{ path: pathText(issue.path), ...unionMessage(issue, found, schema) }];
    const below = branch.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }) as z.core.$ZodIssue);
    return below.flatMap((inner) => describeIssue(inner, tree, schema, root));
  }
  return [{ path: pathText(issue.path) || root, ...messageOf(issue, found, schema) }];
}

/** Returns the message for a value that fits none of several forms. */
function unionMessage(issue: z.core.$ZodIssueInvalidUnion, found: unknown, schema: z.core.$ZodType): Message {
  const issues = issue.errors.flat().map((inner) => ({ ...inner, path: issue.path }) as z.core.$ZodIssue);
  const isSection = issues.some((inner) => inner.code === "invalid_type" && inner.expected === "object");
  if (isSection) {
    const hint = hintFor({ found, expected: "mistake.kind_keys" });
    return message("mistake.value", { expected: message("mistake.kind_keys"), found: kindFound(found), hint });
  }
  // A number that is too large has the right form.
  const own = issues.find((inner) => inner.code === "too_big" || inner.code === "too_small");
  if (own) return messageOf(own, found, schema);
  const forms = new Map(issues.map(expectedOf).map((expected) => [textIn("en", expected), expected]));
  const expected = [...forms.values()].reduceRight((other, first) => message("mistake.either", { first, other }));
  return valueMessage(expected, shown(found, { ...issue, code: "custom" } as z.core.$ZodIssue), "");
}

function messageOf(issue: z.core.$ZodIssue, found: unknown, schema: z.core.$ZodType): Message {
  if (issue.code === "custom" && issue.params) return issue.params as Message;
  const hint = hintOf(issue, found, schema);
  const isPlain = typeof found === "number" || typeof found === "boolean";
  const unquoted = issue.code === "invalid_type" && issue.expected === "string" && isPlain;
  return valueMessage(expectedOf(issue), shown(found, issue), hint || (unquoted ? message("mistake.hint_quotes") : ""));
}

function valueMessage(expected: Message, found: Fact, hint: Fact): Message {
  const isMissing = typeof found === "object" && found.key === "mistake.value_nothing" && hint === "";
  return isMissing ? message("mistake.missing", { expected }) : message("mistake.value", { expected, found, hint });
}

/** Returns a proposal for a value that may be shown; otherwise an empty text. */
function hintOf(issue: z.core.$ZodIssue, found: unknown, schema: z.core.$ZodType): Message | string {
  if (issue.path.some((part) => isSecretKey(String(part)))) return "";
  const item = itemOf(schemaAt(issue.path, schema));
  return hintFor({
    found,
    name: String(issue.path.at(-1) ?? ""),
    expected: expectedOf(issue).key,
    words: issue.code === "invalid_value" ? issue.values.map(String) : [],
    isPlainList: issue.code === "invalid_type" && issue.expected === "array" && item !== undefined && !shapeOf(item),
  });
}

/** Returns a value, or only its type if it may contain a secret: under a secret key, or if it is not a plain value. */
function shown(value: unknown, issue: z.core.$ZodIssue): Fact {
  if (value === undefined || value === null) return message("mistake.value_nothing");
  if (value === "") return message("mistake.value_empty");
  if (Array.isArray(value) && value.length === 0) return message("mistake.value_empty_list");
  const misplaced = issue.code === "invalid_type" && ["object", "array"].includes(issue.expected);
  if (typeof value === "object" || misplaced) return kindFound(value);
  if (issue.path.some((part) => isSecretKey(String(part))))
    return message(typeof value === "number" ? "mistake.value_hidden_number" : "mistake.value_hidden");
  const text = JSON.stringify(value).replace(/\/\/[^@/]*@/, "//…@");
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

function kindFound(value: unknown): Message {
  if (value === undefined || value === null) return message("mistake.value_nothing");
  return message(KINDS[Array.isArray(value) ? "array" : typeof value] ?? "mistake.kind_other");
}

function unknownKey(key: string, path: Path, schema: z.core.$ZodType, root: string): ConfigMistake {
  if (key.length > MAX_KEY_LENGTH)
    return { path: pathText(path) || root, ...message("mistake.long_name", { length: key.length }) };
  const here = pathText([...path, key]);
  const shape = shapeOf(schemaAt(path, schema)) ?? {};
  const stem = key.replace(FILE_SUFFIX, "");
  if (stem !== key && Object.hasOwn(shape, stem)) return { path: here, ...message("mistake.file_key", { stem }) };
  const other = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
  const sibling = other !== undefined && Object.hasOwn(shape, other) ? other : siblingLike(key, path, shape);
  const meant = sibling ?? keyElsewhere(key, schema);
  return { path: here, ...message("mistake.key", { hint: meant === null ? keysHere(shape) : didYouMean(meant) }) };
}

function siblingLike(key: string, path: Path, shape: Shape): string | null {
  const names = Object.entries(shape).flatMap(([name, node]) =>
    kindOf(node) === "text" ? [name, `${name}_file`] : [name],
  );
  const alike = path.length === 0 ? undefined : names.find((name) => shareWord(name, key));
  return nearest(key, names) ?? alike ?? null;
}

/** Returns whether one name is the start or the end of the other: `key` and `api_key`, `user` and `username`. */
function shareWord(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= MIN_SHARED && (long.startsWith(short) || long.endsWith(short));
}

/** Returns the possible keys as text; empty if there are more than MAX_LISTED. */
function keysHere(shape: Shape): Message | string {
  const names = Object.keys(shape);
  return names.length === 0 || names.length > MAX_LISTED
    ? ""
    : message("mistake.hint_keys", { names: names.join(", ") });
}

function keyElsewhere(key: string, schema: z.core.$ZodType): string | null {
  const found = keysBelow(schema).find(({ path }) => path.at(-1) === key.replace(FILE_SUFFIX, ""));
  return found ? found.path.join(".") : null;
}
