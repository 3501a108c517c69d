/** English. */
export const texts = {
  keys: "Keys",
  keys_about: "Each device gets a key of its own, so that one can be ended without the others.",
  key_name: "Name of the device",
  key_name_wrong: "At most 40 letters, digits, _ . and -, and not a name that there is.",
  key_control: "may change something, too",
  key_create: "Make a key",
  key_made: "The key of {name}. It is shown this once:",
  key_copy: "Copy",
  key_copied: "Copied.",
  key_reads: "reads",
  key_controls: "reads and changes",
  key_third_party: "third-party API",
  key_used: "last used {day}",
  key_never_used: "never used",
  key_fixed: "in the configuration",
  key_end: "End",
  key_end_sure: "End the key {name}? Its device gets nothing any more.",
  key_end_yes: "End it",
  cancel: "Cancel",

  log: "Log",
  log_level: "Show",
  log_info: "Everything",
  log_warn: "Warnings",
  log_none: "Nothing yet.",
  log_since: "English, since the start, the newest first.",

  backup: "Backup",
  backup_about:
    "The prices and the use of your home, and the digests of its keys. Keep it where nobody else reads it. The configuration (elbro.yaml) is not in it.",
  backup_download: "Download a backup",
  backup_busy: "Copies and checks the database …",
  restore: "Restore a backup",
  restore_sure:
    "Replace everything that is stored by {name}? It happens at the next start of elbro. The keys of that time are valid again, and what is there now is kept in a file of its own.",
  restore_yes: "Replace at the next start",
  restore_waits: "The backup is whole. It takes effect at the next start: restart elbro.",
  restore_undo: "Do not replace",
  restore_undone: "Nothing will be replaced.",
};

/** Type of the texts of a language. A language with a missing text does not compile. */
export type SystemTexts = Readonly<Record<keyof typeof texts, string>>;
