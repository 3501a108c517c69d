/** English. */
export const texts = {
  settings: "Settings",
  settings_about:
    "From {file}. Secrets are not shown. Before each change the file is copied to the configuration backups.",
  settings_fixed: "elbro cannot write {file}, so these settings can only be changed there.",
  settings_no_file:
    "These settings do not come from a file that elbro can write, so they can only be changed where they are set.",
  settings_waiting: "Changed in the file; these take effect after a restart of elbro: {keys}",
  settings_changed: "The configuration was changed elsewhere in the meantime. Close this and repeat your change.",
  setting_none: "not set up",
  setting_default: "default",
  setting_secret: "set",
  setting_at_once: "A change takes effect at once.",
  setting_restart: "A change takes effect when elbro is restarted.",
  setting_mixed: "A change takes effect at once. These keys need a restart of elbro: {keys}.",
  setting_outside: "Set by the environment or another file; change them there: {keys}",
  setting_saved: "{name}: saved in {file} and in use.",
  setting_saved_waits: "{name}: saved in {file}. Restart elbro to use it.",
  setting_reset: "Reset",
  setting_reset_sure:
    "Remove {name} from the configuration file? The defaults then apply. The file is backed up first.",
  notify_test: "Send a test",
  notify_sent: "The ntfy server has accepted the test. It should be on your phone now.",

  keys: "Keys",
  keys_about: "Each device has its own key, so you can revoke one without affecting the others.",
  key_name: "Name of the device",
  key_name_wrong: "Use at most 40 letters, digits, spaces, _ . and -, and a name that is not in use.",
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
  key_phone: "Scan this with a phone, or open the link on it. The phone is then logged in.",
  key_qr: "QR code of the link",
  key_address: "Address of this machine on the network",
  key_link: "Link",
  key_no_network:
    "elbro does not know an address at which other devices reach this page, so there is no link. Log in with the key.",
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

/** Type of the texts of a language. A language with a missing text does not compile. */
export type SystemTexts = Readonly<Record<keyof typeof texts, string>>;
