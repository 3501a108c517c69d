/** Lists of the configuration whose entries can be edited over HTTP. */
import { slugOf } from "../core/text/slug.ts";

export const entryLists = ["plans", "plugs"] as const;
export type EntryList = (typeof entryLists)[number];

/** Returns the id of a plan or plug: the configured one, or one made from its name. */
export function entryId({ id, name }: { readonly id?: string | undefined; readonly name: string }): string {
  return id ?? slugOf(name);
}
