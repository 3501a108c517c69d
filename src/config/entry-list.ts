/** The lists of the configuration whose entries can be edited over HTTP. */
export const entryLists = ["plans", "plugs"] as const;
export type EntryList = (typeof entryLists)[number];
