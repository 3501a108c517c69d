/** The lists of the configuration whose entries can be edited over HTTP. */
export const entryLists = ["plans", "plugs"] as const;
export type EntryList = (typeof entryLists)[number];

/** The file in the data directory for entries that the owner's file cannot take. */
export const PAGE_FILE = "page.yaml";
