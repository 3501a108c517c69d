/** Values that several sections of the configuration are made of. */
import * as z from "zod/mini";

const SLUG = /^[a-z0-9][a-z0-9_-]*$/;
export const slug = z.string().check(z.regex(SLUG, "expected lower-case letters, digits, _ and -"));
export const text = z.string().check(z.minLength(1, "expected some text"));
export const topic = text.check(
  z.regex(/^[^+#/][^+#]*[^+#/]$|^[^+#/]$/, "expected a topic without wildcards and without a slash at its ends"),
);
