/** Lists of the configuration whose entries can be edited over HTTP. */
export const entryLists = ["plans", "plugs"] as const;
export type EntryList = (typeof entryLists)[number];

/** File in the data directory for entries that cannot be written to the owner's file. */
export const PAGE_FILE = "page.yaml";
