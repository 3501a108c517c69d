/** Names in the data directory that both the configuration and the storage use. */

/** What was saved on the page. */
export const OVERLAY_FILE = "page.yaml";
/** Folder of its previous states. */
export const OVERLAY_STATES = "configuration-backups";
