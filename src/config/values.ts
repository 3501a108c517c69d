/** Values that several sections of the configuration are made of. */
import * as z from "zod/mini";

const SLUG = /^[a-z0-9][a-z0-9_-]*$/;
export const slug = z.string().check(z.regex(SLUG, "expected lower-case letters, digits, _ and -"));
export const text = z.string().check(z.minLength(1, "expected some text"));
export const topic = text.check(
  z.regex(/^[^+#/][^+#]*[^+#/]$|^[^+#/]$/, "expected a topic without wildcards and without a slash at its ends"),
);
export const port = z.int().check(z.minimum(0), z.maximum(65_535));
export const hashEncoding = z.enum(["hex", "base64"]);

/** Requires a different value of a key in every item of a list; items without the key are skipped. */
export function unique<Item>(key: keyof Item & string) {
  return z.check<Item[]>(({ value, issues }) => {
    const seen = new Map<unknown, number>();
    for (const [i, item] of value.entries()) {
      const name = typeof item[key] === "string" ? item[key].toLowerCase() : item[key];
      const first = seen.get(name);
      if (first === undefined) seen.set(name, i);
      else if (name !== undefined)
        issues.push({
          code: "custom",
          continue: true,
          message: `is the same as that of [${first}]; each needs its own`,
          path: [i, key],
          input: value,
        });
    }
  });
}
