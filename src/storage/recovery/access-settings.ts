/**
 * Settings that give access to this installation. They are named here, because a copy of the database from elsewhere
 * must not bring any: see import-copy.ts.
 */

export const SESSIONS_SETTING = "dashboard_sessions";
/** The keys at the time of the last copy. */
export const KEYS_SETTING = "keys.json";
/** Digest of the token of a calendar feed, by home. */
export const CALENDAR_SETTINGS = "calendar/";

/** Names of these settings, as patterns of SQL's `glob`. */
export const ACCESS_SETTINGS: readonly string[] = [SESSIONS_SETTING, KEYS_SETTING, `${CALENDAR_SETTINGS}*`];
