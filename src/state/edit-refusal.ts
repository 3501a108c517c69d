/** Refusals of a change of the configuration. */
import type { ConfigMistake } from "../config/config-error.ts";
import type { EditRefusal } from "./entry-editor.ts";

/** Reason why nothing can be saved in the demo. */
export const INVENTED = "this is a demo, which has no configuration to save changes in";

export function refusal(code: EditRefusal["code"], reason: string): EditRefusal {
  return { kind: "refused", code, reason };
}

export function mistakesText(mistakes: readonly ConfigMistake[]): string {
  return mistakes.map(({ path, text }) => [path, text].filter(Boolean).join(": ")).join("; ");
}

/** Returns the code of an error of the file system. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
