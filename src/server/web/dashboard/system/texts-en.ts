/** English. */
export const texts = {
  keys: "Keys",
  keys_about: "Each device has its own key, so you can revoke one without affecting the others.",
  key_name: "Name of the device",
  key_name_wrong: "Use at most 40 letters, digits, _ . and -, and a name that is not in use.",
  key_control: "may also make changes",
  key_create: "Create a key",
  key_made: "The key of {name}, shown only this once:",
  key_copy: "Copy",
  key_copied: "Copied.",
  key_reads: "read only",
  key_controls: "read and change",
  key_third_party: "third-party API",
  key_used: "last used {day}",
  key_never_used: "never used",
  key_fixed: "in the configuration",
  key_end: "Revoke",
  key_end_sure: "Revoke the key {name}? Its device loses access.",
  key_end_yes: "Revoke it",
  cancel: "Cancel",

  log: "Log",
  log_level: "Show",
  log_info: "Everything",
  log_warn: "Warnings",
  log_none: "Nothing yet.",
  log_since: "In English, since the start, newest first.",

  backup: "Backup",
  backup_about:
    "It contains the prices and usage of your home, and the hashes of its keys. Keep it private. The configuration (elbro.yaml) is not included.",
  backup_download: "Download a backup",
  backup_busy: "Copying and checking the database …",
  restore: "Restore a backup",
  restore_sure:
    "Replace all stored data with {name}? This happens at the next start of elbro. The keys in the backup become valid again. The current data is kept in a separate file.",
  restore_yes: "Replace at the next start",
  restore_waits: "The backup is valid. Restart elbro to use it.",
  restore_undo: "Cancel the restore",
  restore_undone: "The restore is cancelled.",
};

/** Texts of a language: one that lacks a text does not compile. */
export type SystemTexts = Readonly<Record<keyof typeof texts, string>>;
