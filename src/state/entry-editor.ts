/** What the API needs to show and change plans and plugs of the configuration. */
import type { EntryList } from "../config/entry-list.ts";
import type { Config } from "../config/schema.ts";

/** An entry as it is saved. */
export interface SavedEntry {
  readonly id: string;
  /** The file it is in; null where another part of the configuration says it, as the environment. */
  readonly source: string | null;
  /** Why it cannot be changed here; null where it can. */
  readonly fixed: string | null;
  /** Its keys as they are written; what comes from a file of its own is left out. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly revision: string;
}

export type EditRefusal = {
  readonly kind: "refused";
  readonly code: "invalid_parameter" | "resource_not_found" | "conflict" | "precondition_failed";
  readonly reason: string;
  readonly mistakes?: readonly { readonly path: string; readonly text: string }[];
};

export type Edited =
  | {
      readonly kind: "saved";
      readonly id: string;
      /** The file it was written to. */
      readonly source: string;
      readonly revision: string;
      /** Why it is not in the owner's file; null where it is. */
      readonly note: string | null;
      /** Keys of the configuration that changed as well, and wait for a restart. */
      readonly later: readonly string[];
    }
  | EditRefusal;

/** What is asked for. `id` is null for an entry that is new. */
export interface EntryChange {
  readonly list: EntryList;
  readonly id: string | null;
  /** What it is to be; of no use where it is to go. */
  readonly entry: unknown;
  readonly isDelete: boolean;
  /** The revision that the caller knows; null where it does not mind. */
  readonly revision: string | null;
}

export interface EntryEditor {
  /** Whether the house is invented: then nothing can be saved. */
  readonly isInvented: boolean;
  /** An entry that is in use; null where it is not. */
  saved(list: EntryList, id: string): SavedEntry | null;
  /** The configuration as it would be with an entry, or what is wrong with the entry. */
  draft(list: EntryList, id: string | null, given: unknown): Config | EditRefusal;
  /** Makes, changes or deletes an entry, and uses it. One change is made after the other. */
  change(asked: EntryChange): Promise<Edited>;
}
