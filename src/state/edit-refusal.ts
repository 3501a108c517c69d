/** Refusals of a change of the configuration. */
import type { ConfigMistake } from "../config/config-error.ts";
import { FILE_SUFFIX } from "../config/keys.ts";
import type { EditRefusal } from "./entry-editor.ts";

/** Reason why nothing can be saved in the demo. */
export const INVENTED = "this is a demo, which has no configuration to save changes in";

export function refusal(code: EditRefusal["code"], reason: string): EditRefusal {
  return { kind: "refused", code, reason };
}

/**
 * Returns the refusal of a change that names a file; null if it names none. Otherwise a key of the API could read any
 * file that elbro can read.
 */
export function fileRefusal(given: unknown): EditRefusal | null {
  const text = "names of files can only be set in the configuration file itself or in the environment";
  const mistakes = fileKeysIn(given).map((path) => ({ path, text }));
  return mistakes.length === 0 ? null : { ...refusal("invalid_parameter", mistakesText(mistakes)), mistakes };
}

/** Returns the paths of all `…_file` keys, at any depth. */
function fileKeysIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [
    ...(key.endsWith(FILE_SUFFIX) ? [key] : []),
    ...fileKeysIn(below).map((path) => `${key}.${path}`),
  ]);
}

export function mistakesText(mistakes: readonly ConfigMistake[]): string {
  return mistakes.map(({ path, text }) => [path, text].filter(Boolean).join(": ")).join("; ");
}

/** Returns the code of an error of the file system. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
