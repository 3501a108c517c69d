/** Schemas of values that several sections of the configuration use. */
import * as z from "zod/mini";
import { type Message, message, type TextKey } from "../../core/language/text.ts";
import { isMqttText, isMqttTopic } from "../../core/text/mqtt-text.ts";

/** Key of what a value should be. Zod carries it as the message of a check. */
export type Expected = Extract<TextKey, `mistake.expected_${string}`>;

/** Returns the schema of a text that matches `form`. */
export function textLike(form: RegExp, expected: Expected) {
  return z.string().check(z.regex(form, expected));
}

/** Returns the schema of a URL with a protocol that matches. */
export function urlWith(protocol: RegExp, error: Expected) {
  return z.url({ protocol, error });
}

export const slug = textLike(/^[a-z0-9][a-z0-9_-]*$/, "mistake.expected_slug");
/** One slug, or several with commas. */
export const slugs = textLike(/^[a-z0-9][a-z0-9_-]*(, ?[a-z0-9][a-z0-9_-]*)*$/, "mistake.expected_slug");
/** A text of several lines, such as a certificate. */
export const lines = z.string().check(z.minLength(1, "mistake.expected_filled" satisfies Expected));
export const oneLine = lines.check(passes((value) => !/\p{Cc}/u.test(value), "mistake.expected_line"));
/** A key that is sent in a header of HTTP. */
export const token = lines.check(
  z.check(({ value, issues }) => {
    const flaw = tokenFlaw(value);
    if (flaw !== null) issues.push({ code: "custom", continue: true, message: flaw.key, params: flaw, input: value });
  }),
);
/** A text that MQTT can transmit. */
export const mqttText = lines.check(passes(isMqttText, "mistake.expected_printable"));
export const topic = lines.check(
  z.regex(/^[^+#/][^+#]*[^+#/]$|^[^+#/]$/, "mistake.expected_topic" satisfies Expected),
  passes(isMqttTopic, "mistake.expected_short_topic"),
);
export const port = z.int().check(z.minimum(0), z.maximum(65_535));
export const hashEncoding = z.enum(["hex", "base64"]);

/**
 * Returns a check that runs only on a value that passed all earlier checks of its schema. Zod itself continues after a
 * text of a wrong form, such as a text that is not a URL.
 */
export function passes<Value>(fits: (value: Value) => boolean, said: Expected | Message) {
  const params = typeof said === "string" ? expecting(said) : said;
  return z.refine<Value>(fits, { error: params.key, params, when: ({ issues }) => issues.length === 0 });
}

/** Returns the message for a value that is not as expected and not shown. */
export function expecting(key: Expected): Message {
  return message("mistake.expected", { expected: { key, facts: {} } });
}

/** Returns the message for a value that is missing. */
export function missing(expected: Exclude<Expected, "mistake.expected_with">): Message {
  return message("mistake.missing", { expected: { key: expected, facts: {} } });
}

/** Returns the message for a value that is missing and belongs with another key. */
export function missingWith(other: string): Message {
  return message("mistake.missing", { expected: message("mistake.expected_with", { other }) });
}

const QUOTED = /^["'`‘’‚‛“”„‟«»].*["'`‘’‚‛“”„‟«»]$/s;

/** Returns what is wrong with a key, without a part of it; null if nothing is. */
function tokenFlaw(value: string): Message | null {
  if (QUOTED.test(value)) return message("mistake.quotes");
  const found = [...value];
  const at = found.findIndex((character) => !/^[\x21-\x7e]$/.test(character));
  if (at < 0) return null;
  return message("mistake.token", { what: nameOfCharacter(found[at] ?? ""), at: at + 1 });
}

function nameOfCharacter(character: string): Message {
  if (/[\r\n]/.test(character)) return message("mistake.value_line_break");
  if (/\s/.test(character)) return message("mistake.value_space");
  return message(/\p{Cc}/u.test(character) ? "mistake.value_control" : "mistake.value_odd");
}

/** A mistake within a value, and its path. */
export interface ValueMistake extends Message {
  readonly path: (string | number)[];
}

/**
 * Returns a check that may find any number of mistakes. It runs if all values have the right type, except those at the
 * paths for which `mayLack` returns true.
 */
export function mistakes<Value>(
  find: (value: Value) => readonly ValueMistake[],
  mayLack?: (path: readonly PropertyKey[]) => boolean,
) {
  return z.check<Value>(
    ({ value, issues }) => {
      for (const { path, key, facts } of find(value))
        issues.push({ code: "custom", continue: true, message: key, params: { key, facts }, path, input: value });
    },
    mayLack
      ? { when: ({ issues }) => issues.every((issue) => issue.continue === true || mayLack(issue.path ?? [])) }
      : {},
  );
}

/** Returns the repeated names of a list, with their index and that of the first occurrence. Skips undefined names. */
export function repeated<Name>(names: readonly Name[]): { name: Name; index: number; first: number }[] {
  return names
    .map((name, index) => ({ name, index, first: names.indexOf(name) }))
    .filter(({ name, index, first }) => name !== undefined && first < index);
}

/** Requires a different value of a key in every item of a list; items without the key are skipped. */
export function unique<Item>(key: keyof Item & string) {
  const nameOf = (item: Item) => (typeof item[key] === "string" ? item[key].toLowerCase() : item[key]);
  return mistakes<Item[]>((items) =>
    repeated(items.map(nameOf)).map(({ index, first }) => ({
      path: [index, key],
      ...message("mistake.same", { first }),
    })),
  );
}

/** How keys of texts begin. Other messages are Zod's own, whose words depend on what else the process has loaded. */
const OWN_TEXT = "mistake.";
/** Keys of kinds of values, by their names in Zod and in JavaScript. */
export const KINDS: Readonly<Record<string, Extract<TextKey, `mistake.kind_${string}`>>> = {
  string: "mistake.kind_text",
  number: "mistake.kind_number",
  int: "mistake.kind_whole",
  boolean: "mistake.kind_boolean",
  object: "mistake.kind_keys",
  array: "mistake.kind_list",
};

/** Returns what a value should be. The message of a check with a text of its own is the key of the text. */
export function expectedOf(issue: z.core.$ZodIssue): Message {
  const limits = {
    ...("minimum" in issue && { least: Number(issue.minimum) }),
    ...("maximum" in issue && { most: Number(issue.maximum) }),
  };
  if (issue.message.startsWith(OWN_TEXT)) return { key: issue.message as Expected, facts: limits };
  switch (issue.code) {
    case "invalid_type":
      return message(KINDS[issue.expected] ?? "mistake.expected_other");
    case "invalid_value":
      return message("mistake.expected_one_of", { values: issue.values.join(", ") });
    case "too_small":
      return { key: "mistake.expected_least", facts: limits };
    case "too_big":
      return { key: "mistake.expected_most", facts: limits };
    default:
      return message("mistake.expected_other");
  }
}
