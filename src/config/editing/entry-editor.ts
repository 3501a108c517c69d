/** Interface by which the API shows and changes the configured plans and plugs. */

import type { Text } from "../../core/language/text.ts";
import type { EntryList } from "../entry-list.ts";
import type { ConfigMistake } from "../mistake.ts";
import type { Config } from "../schema.ts";
import type { Caller } from "./caller.ts";

/** A saved entry. */
export interface SavedEntry {
  readonly id: string;
  /** File of the entry; null if it comes from elsewhere, for instance from the environment. */
  readonly source: string | null;
  /** Why it cannot be changed here; null if it can. */
  readonly fixed: string | null;
  /** Keys of the entry as written, except secrets and keys whose values are in separate files. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Secrets of the entry that are set. They are never shown. */
  readonly secrets: readonly string[];
  readonly revision: string;
  /** Whether page.yaml replaces an entry of the owner's file, which `reset` restores. */
  readonly overrides: boolean;
}

export type EditRefusal = {
  readonly kind: "refused";
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
      /** Id of the state before the change, which the history restores. */
      readonly undo: string;
    }
  | EditRefusal;

/** A requested change. `id` is null for a new entry. */
export interface EntryChange {
  readonly list: EntryList;
  readonly id: string | null;
  /** The new entry; ignored for a deletion. */
  readonly entry: unknown;
  readonly isDelete: boolean;
  readonly caller: Caller;
}

export interface EntryEditor {
  /** Whether the homes are those of the demo, so that nothing can be saved. */
  readonly isInvented: boolean;
  /** Returns an entry that is in use; null if it is not. */
  saved(list: EntryList, id: string): SavedEntry | null;
  /** Returns the configuration with an entry, or the mistakes of the entry. */
  draft(list: EntryList, id: string | null, given: unknown): Config | EditRefusal;
  /** Creates, changes or deletes an entry, and applies it. Changes are applied one at a time. */
  change(asked: EntryChange): Promise<Edited>;
  /** Removes what page.yaml says of an entry, so that it is again as in the owner's file. */
  reset(list: EntryList, id: string, caller: Caller): Promise<Edited>;
}
