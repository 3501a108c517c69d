/** Values that several sections of the configuration are made of. */
import * as z from "zod/mini";

/** A text of a form; `expected` says which. */
export function textLike(form: RegExp, expected: string) {
  return z.string().check(z.regex(form, expected));
}

export const slug = textLike(/^[a-z0-9][a-z0-9_-]*$/, "expected lower-case letters, digits, _ and -");
export const text = z.string().check(z.minLength(1, "expected some text"));
export const topic = text.check(
  z.regex(/^[^+#/][^+#]*[^+#/]$|^[^+#/]$/, "expected a topic without wildcards and without a slash at its ends"),
);
export const port = z.int().check(z.minimum(0), z.maximum(65_535));
export const hashEncoding = z.enum(["hex", "base64"]);

/** What is wrong within a value, and where. */
export interface Mistake {
  readonly path: (string | number)[];
  readonly text: string;
}

/** A check that may find any number of mistakes. */
export function mistakes<Value>(find: (value: Value) => readonly Mistake[]) {
  return z.check<Value>(({ value, issues }) => {
    for (const { path, text } of find(value))
      issues.push({ code: "custom", continue: true, message: text, path, input: value });
  });
}

/** The names that stand in a list before: their index, and the index of the first of them. What has no name is skipped. */
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
