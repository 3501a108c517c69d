/** Mistakes in a configuration, and how they are written as messages. */
import { type Message, message, placed } from "../../core/language/text.ts";

/** A mistake in the configuration: the message says what was expected and found. */
export interface ConfigMistake extends Message {
  /** Path of keys, position in the file, or name of an environment variable. */
  readonly path: string;
  /** Line of the file; absent if the mistake is elsewhere. */
  readonly line?: number;
}

/** Returns a mistake with its path and line. */
export function mistakeAt({ path: where, line, ...said }: ConfigMistake): Message {
  if (line !== undefined) return message("mistake.at_line", { where, said, line });
  return where === "" ? said : placed(where, said);
}

/** Returns mistakes with the rest of their paths after `own`; those of other paths as they are. */
export function below<Placed extends { readonly path: string }>(own: string, mistakes: readonly Placed[]): Placed[] {
  return mistakes.map((mistake) =>
    mistake.path.startsWith(own) ? { ...mistake, path: mistake.path.slice(own.length).replace(/^\./, "") } : mistake,
  );
}

/** Returns several messages as one. There is at least one. */
export function joined(all: readonly Message[]): Message {
  return all.reduceRight((other, first) => message("mistake.and", { first, other }));
}

const SECRET = /(^|_)(key|secret|password|token|topic_url|webhook_(url|headers|body))$/;

/** Returns whether the value of a key is a secret, judged by the key's name. */
export function isSecretKey(name: string): boolean {
  return SECRET.test(name);
}

/** Formats a path: `api.keys[0].name`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}
