/** English. */
export const texts = {
  settings: "Settings",
  settings_about:
    "From {file}. Secrets are not shown. Before each change the file is copied to the configuration backups.",
  settings_fixed: "elbro cannot write {file}, so these settings can only be changed there.",
  settings_no_file:
    "These settings do not come from a file that elbro can write, so they can only be changed where they are set.",
  settings_waiting: "Changed in the file, and used after a restart of elbro: {keys}",
  settings_changed: "The configuration was changed elsewhere in the meantime. Close this and repeat your change.",
  setting_none: "not set up",
  setting_default: "default",
  setting_secret: "set",
  setting_at_once: "A change takes effect at once.",
  setting_restart: "A change takes effect when elbro is restarted.",
  setting_mixed: "A change takes effect at once, except for this, which needs a restart of elbro: {keys}.",
  setting_outside: "Set by the environment or by another file, and changed there: {keys}",
  setting_saved: "{name}: saved in {file} and in use.",
  setting_saved_waits: "{name}: saved in {file}. Restart elbro to use it.",
  setting_reset: "Reset",
  setting_reset_sure:
    "Remove {name} from the configuration file? The defaults then apply. The file is backed up first.",
  notify_test: "Send a test",
  notify_sent: "The ntfy server has accepted the test. It should be on your phone now.",

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
  key_phone: "Scan this with a phone, or open the link on it: it is then logged in.",
  key_qr: "QR code of the link",
  key_address: "Address of this machine on the network",
  key_link: "Link",
  key_no_network:
    "No other device can reach this page at an address that elbro knows, so there is no link. Log in with the key.",
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
