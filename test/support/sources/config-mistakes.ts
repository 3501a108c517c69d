/** Mistakes of a configuration, with their English texts. */
import type { ConfigMistake } from "../../../src/config/reading/mistake.ts";
import { textIn } from "../../../src/core/language/text.ts";

type Reading = { readonly kind: string; readonly mistakes?: readonly ConfigMistake[] };

/** Returns the mistakes; empty for a valid configuration. */
export function mistakesIn({ mistakes = [] }: Reading): { path: string; text: string; line?: number }[] {
  return mistakes.map(({ path, line, ...said }) => ({
    path,
    text: textIn("en", said),
    ...(line === undefined ? {} : { line }),
  }));
}

/** Returns the mistakes as `path: text`. */
export function mistakeLines(reading: Reading): string[] {
  return mistakesIn(reading).map(({ path, text }) => `${path}: ${text}`);
}
