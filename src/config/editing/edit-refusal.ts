/** Results and refusals of a change of the configuration. */

import { type Message, message, type Text } from "../../core/language/text.ts";
import type { EntryList } from "../entry-list.ts";
import { type ConfigMistake, joined, mistakeAt } from "../reading/mistake.ts";

/** Who asks for a change of the configuration. */
export interface Caller {
  /** The revision that the caller has read; null to skip the check. */
  readonly revision: string | null;
  /** Name of its key, or of the visitor of the page; null without one. */
  readonly name: string | null;
  /** Whether the caller may change connections. */
  readonly isAdmin: boolean;
}

export type EditRefusal = {
  readonly kind: "refused";
  /** `forbidden`: the caller lacks the scope admin. */
  readonly code: "invalid_parameter" | "resource_not_found" | "conflict" | "precondition_failed" | "forbidden";
  /** A text is a message of the operating system. */
  readonly reason: Text;
  readonly mistakes?: readonly ConfigMistake[];
};

export type Edited =
  | {
      readonly kind: "saved";
      readonly id: string;
      /** The file it was written to, page.yaml. */
      readonly source: string;
      readonly revision: string;
      /** Further keys of the configuration that changed and need a restart. */
      readonly later: readonly string[];
      /** Secrets that the change took away, because they belong to another server. */
      readonly lost: readonly ConfigMistake[];
      /** Id of the state before the change, which the history restores. */
      readonly undo: string;
    }
  | EditRefusal;

/** Reason why nothing can be saved in the demo. */
export const INVENTED = message("refused.edit_invented");

export function refusal(code: EditRefusal["code"], reason: EditRefusal["reason"]): EditRefusal {
  return { kind: "refused", code, reason };
}

export const ENTRY_NAMES = { plans: message("refused.entry_plan"), plugs: message("refused.entry_plug") } as const;

/** Returns the refusal of a change of an entry that does not exist. */
export function unknownEntry(list: EntryList, id: string): EditRefusal {
  return refusal("resource_not_found", message("refused.edit_unknown", { entry: ENTRY_NAMES[list], id }));
}

/** Returns a mistake for each key that is not one of those that can be set. */
export function foreignIn(keys: object, known: readonly string[]): ConfigMistake[] {
  const foreign = Object.keys(keys).filter((key) => !known.includes(key));
  const expected = known.join(", ");
  return foreign.map((path) => ({ path, ...message("mistake.no_setting_key", { expected }) }));
}

/** Returns the refusal for mistakes, of which there is at least one. */
export function mistaken(code: EditRefusal["code"], mistakes: readonly ConfigMistake[]): EditRefusal {
  return { ...refusal(code, mistakesMessage(mistakes)), mistakes };
}

/** Returns the mistakes as one message, without lines. */
export function mistakesMessage(mistakes: readonly ConfigMistake[]): Message {
  return joined(mistakes.map(({ line: _, ...mistake }) => mistakeAt(mistake)));
}

/** Returns the code of an error of the file system. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
