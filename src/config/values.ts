/** Schemas of values that several sections of the configuration use. */
import * as z from "zod/mini";
import { isMqttText, isMqttTopic } from "../core/text/mqtt-text.ts";

/** Returns the schema of a text that matches `form`; `expected` is the message for any other. */
export function textLike(form: RegExp, expected: string) {
  return z.string().check(z.regex(form, expected));
}

export const slug = textLike(/^[a-z0-9][a-z0-9_-]*$/, "expected lower-case letters, digits, _ and -");
/** A text of several lines, such as a certificate. */
export const lines = z.string().check(z.minLength(1, "expected a text that is not empty"));
export const text = lines.check(
  passes((value) => !/\p{Cc}/u.test(value), "expected one line without control characters"),
);
/** A key that is sent in a header of HTTP. */
export const token = lines.check(
  z.check(({ value, issues }) => {
    const flaw = tokenFlaw(value);
    if (flaw !== null) issues.push({ code: "custom", continue: true, message: flaw, input: value });
  }),
);
/** A text that MQTT can transmit. */
export const mqttText = lines.check(passes(isMqttText, "expected a text without control characters"));
export const topic = lines.check(
  z.regex(/^[^+#/][^+#]*[^+#/]$|^[^+#/]$/, "expected a topic without wildcards and without a slash at its ends"),
  passes(isMqttTopic, "expected a topic of at most 1024 bytes and 100 levels, without control characters"),
);
export const port = z.int().check(z.minimum(0), z.maximum(65_535));
export const hashEncoding = z.enum(["hex", "base64"]);

/**
 * Returns a check that runs only on a value that passed all earlier checks of its schema. Zod itself continues after a
 * text of a wrong form, such as a text that is not a URL.
 */
export function passes<Value>(fits: (value: Value) => boolean, expected: string) {
  return z.refine<Value>(fits, { error: expected, when: ({ issues }) => issues.length === 0 });
}

const QUOTED = /^["'`‘’‚‛“”„‟«»].*["'`‘’‚‛“”„‟«»]$/s;

/** Returns what is wrong with a key, without a part of it; null if nothing is. */
function tokenFlaw(value: string): string | null {
  if (QUOTED.test(value))
    return "begins and ends with quotes, as in an environment file; remove them, because they are not part of the key";
  const found = [...value];
  const at = found.findIndex((character) => !/^[\x21-\x7e]$/.test(character));
  if (at < 0) return null;
  const what = /[\r\n]/.test(found[at] ?? "") ? "a line break" : nameOfCharacter(found[at] ?? "");
  return `expected a key without spaces and special characters; found ${what} at position ${at + 1}; copy the key again`;
}

function nameOfCharacter(character: string): string {
  if (/\s/.test(character)) return "a space";
  return /\p{Cc}/u.test(character) ? "a control character" : "a character that no key has, such as a curly quote,";
}

/** A mistake within a value, and its path. */
export interface Mistake {
  readonly path: (string | number)[];
  readonly text: string;
}

type Path = readonly PropertyKey[];

/**
 * Returns a check that may find any number of mistakes. It runs if all values have the right type, except those at the
 * paths for which `mayLack` returns true.
 */
export function mistakes<Value>(find: (value: Value) => readonly Mistake[], mayLack?: (path: Path) => boolean) {
  return z.check<Value>(
    ({ value, issues }) => {
      for (const { path, text } of find(value))
        issues.push({ code: "custom", continue: true, message: text, path, input: value });
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
      text: `is the same as that of [${first}]; each needs its own`,
    })),
  );
}
