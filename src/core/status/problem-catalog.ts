/** Row of the problem catalogue: one per code, used by API, MQTT, documentation and dashboard. */
export interface ProblemRow {
  readonly meaning: string;
  /** Actions of the daemon while the problem lasts. */
  readonly automaticAction: string;
  /** Actions that the owner can take. */
  readonly remedy: string;
  /** One sentence for log, API and MQTT. A placeholder such as `{name}` is replaced by a value of `names`. */
  readonly advice: string;
}

/** Problems with the service or the connection to it. The code of one that affects a whole account is its state. */
export const serviceProblems = {
  invalid_token: {
    meaning: "The service rejects the API key as unknown.",
    automaticAction: "Retries after 2 minutes, then every 6 hours. Stored data stays available.",
    remedy: "Create a new key in the app, set it in the configuration, and reload it (SIGHUP) or restart elbro.",
    advice:
      "the service does not know this API key; create a new key in the app, set it in the configuration, and reload (SIGHUP) or restart elbro",
  },
  credential_expired: {
    meaning: "The API key has expired.",
    automaticAction: "Retries once a day. Stored data stays available.",
    remedy: "Create a new key in the app, set it in the configuration, and reload it (SIGHUP) or restart elbro.",
    advice:
      "this API key has expired; create a new key in the app, set it in the configuration, and reload (SIGHUP) or restart elbro",
  },
  plus_required: {
    meaning: "The Plus subscription of the key has ended.",
    automaticAction: "Retries every hour.",
    remedy: "Renew Plus in the app. The configuration does not change.",
    advice: "the subscription of this key has ended; renew Plus in the app; the configuration does not change",
  },
  forbidden: {
    meaning: "The service denies access to one address or one kind of data.",
    automaticAction: "Skips that data and retries: prices every hour, other data every day.",
    remedy: "Check in the app that the key may read this address.",
    advice: "the service denies access to this; check in the app that the key may read this address",
  },
  address_gone: {
    meaning: "The service reports that an address does not exist.",
    automaticAction: "Keeps its data and asks again after 2 hours; after three such answers within a day, once a day.",
    remedy: "Check in the app whether you moved; `elbro addresses` lists the addresses of the account.",
    advice:
      "the service does not know this address; elbro keeps its data and asks again after 2 hours, after three times once a day",
  },
  rate_limited: {
    meaning: "The service's request quota is used up, although elbro stays below it.",
    automaticAction: "Sends no requests until the time that the service gave.",
    remedy: "Find the other program that uses the same key, and give each program a key of its own.",
    advice:
      "the service's request quota is used up; either another program uses the same key, or the quota was lowered",
  },
  bad_request: {
    meaning: "The service rejected a request as invalid.",
    automaticAction: "Does not repeat that request.",
    remedy: "Report it with the request id.",
    advice: "the service rejected a request as invalid; please report this with the request id",
  },
  malformed: {
    meaning: "A response of the service does not match its documentation.",
    automaticAction: "Keeps the previous data and retries later.",
    remedy: "Usually resolves on its own. If it lasts a day, report it with the request id.",
    advice: "the service sent a response that does not match its documentation; the previous data is kept",
  },
  service_trouble: {
    meaning: "The service reports an error of its own.",
    automaticAction: "Retries with increasing delays.",
    remedy: "Wait.",
    advice: "the service reports errors of its own; elbro retries with increasing delays",
  },
  unreachable: {
    meaning: "The service cannot be reached.",
    automaticAction: "Retries within 5 minutes. Known prices are still published.",
    remedy: "Check the internet connection, DNS and proxy. `elbro check --online` shows where the connection fails.",
    advice: "the service cannot be reached; check the internet connection, DNS and proxy",
  },
} as const satisfies Readonly<Record<string, ProblemRow>>;

const otherProblems = {
  parts_dropped: {
    meaning: "Parts of a response of the service do not match its documentation, or contradict each other.",
    automaticAction: "Leaves out those parts, uses the rest, and asks again at the regular times.",
    remedy: "Usually resolves on its own. If it lasts a day, report it with the request id.",
    advice: "parts of a response of the service do not match its documentation and are left out; the rest is used",
  },
  clock_wrong: {
    meaning: "The clock of this machine cannot be correct.",
    automaticAction: "Does not switch by price. No price signal is ON; only what has `when_lost: on` is.",
    remedy: "Let the machine set its clock (NTP). A Raspberry Pi has no battery clock and needs the network for it.",
    advice:
      "the clock of this machine is wrong, so elbro does not switch by price; set it, and let NTP keep it correct",
  },
  memory_too_small: {
    meaning:
      "The memory limit of Node is lower than this number of homes needs. Node ends elbro when the limit is reached.",
    automaticAction: "Keeps running until the limit is reached.",
    remedy: "Set the environment variable `NODE_OPTIONS` to the flags that the problem shows, and restart.",
    advice: 'set NODE_OPTIONS="{flags}" in the environment of elbro and restart it',
  },
  disk_full: {
    meaning: "The disk of the data directory is full.",
    automaticAction:
      "Sends no requests to the service, because each request must be recorded first. Stored data is still shown and used for switching; new data stays in memory. Retries after seconds, then less often, at least every 5 minutes.",
    remedy: "Free space on the disk. elbro then continues by itself.",
    advice:
      "the disk of the data directory is full, so elbro sends no requests to the service; free space, and elbro continues by itself",
  },
  database_not_writable: {
    meaning: "The database cannot be written: the disk fails or is mounted read-only.",
    automaticAction: "The same as for a full disk.",
    remedy:
      "Give the user that runs elbro write access to the data directory, and check the disk or memory card. elbro then continues by itself.",
    advice:
      "the database cannot be written, so elbro sends no requests to the service; give its user write access to the data directory, and check the disk or memory card; elbro then continues by itself",
  },
  data_dir_gone: {
    meaning: "The data directory is missing, or is not the one that was there at the start.",
    automaticAction:
      "Continues with the data in memory. New data is lost at the next restart. The problem ends when the directory is back.",
    remedy: "Reconnect the disk or restore the folder, or restart elbro to use what is there now.",
    advice:
      "the data directory is missing; reconnect its disk or restore the folder, or restart elbro to use what is there now",
  },
  database_damaged: {
    meaning: "The nightly check found damage in the database.",
    automaticAction: "Keeps running, and keeps the last good copy.",
    remedy: "Restart elbro: it sets the damaged file aside and uses the copy. Then check the disk or memory card.",
    advice:
      "the database is damaged; restart elbro to replace it by the last good copy, then check the disk or memory card",
  },
  database_restored: {
    meaning: "The database was damaged at the start and was replaced by the last good copy.",
    automaticAction: "Requests the missing data again. The problem ends with the next intact copy.",
    remedy: "Check the disk or memory card.",
    advice:
      "the database was damaged and has been replaced; elbro requests the missing data again; check the disk or memory card",
  },
  values_damaged: {
    meaning: "Some stored values are damaged: the disk or memory card changed them.",
    automaticAction:
      "Ignores them and requests them again; plans and settings among them are reset. The problem ends with the next nightly copy.",
    remedy: "Check the disk or memory card. `elbro check` verifies everything that is stored.",
    advice:
      "some stored values are damaged and ignored; elbro requests them again if the service has them; check the disk or memory card",
  },
  broker_unreachable: {
    meaning:
      "The MQTT broker has been unreachable, has rejected the login, or has ended every connection within a minute, for 10 minutes; or it has ended six connections within an hour.",
    automaticAction:
      "Retries at least every minute, and then publishes the current state of everything. The problem ends after a minute of a steady connection, or when fewer than six connections have ended within the last hour.",
    remedy:
      "Check that the broker runs, and `mqtt.url`, `mqtt.username` and `mqtt.password`. `elbro check --online` shows where the connection fails.",
    advice:
      "the MQTT broker cannot be reached or rejects the login; check that it runs, and the mqtt section of the configuration",
  },
  topics_refused: {
    meaning:
      "The MQTT broker refuses a topic of elbro, or ends the connection because of it: the user has too few rights, or a limit of the broker is too low.",
    automaticAction:
      "Leaves it out and publishes everything else. Tries it again after a minute, then less often, at least every 6 hours, and after a restart.",
    remedy:
      "Give elbro's user the rights in [MQTT](mqtt.md#rights), or raise the limit that `detail` names. elbro then continues by itself.",
    advice:
      "the MQTT broker refuses {topic}; give elbro's user the rights that docs/mqtt.md lists, or raise the broker's limit",
  },
  plug_silent: {
    meaning: "A plug does not answer, or does not follow commands.",
    automaticAction:
      "Retries every 15 minutes, or when the plug comes back online. An ON ends by the plug's own timer, if it has one.",
    remedy: "Check that the plug has power and reaches the broker, and that `topic` and `family` are correct.",
    advice: "the plug {name} does not answer; check that it has power and network, and its topic in the configuration",
  },
  plug_refuses: {
    meaning: "A plug with `url` answers, but does not let elbro in.",
    automaticAction: "Retries every minute.",
    remedy: "Do what `detail` says: set `password` or `username`, the other `url`, or the new `certificate`.",
    advice: "the plug {name} does not let elbro in; see the reason",
  },
  plug_without_timer: {
    meaning: "A plug cannot return to its resting state by itself if elbro or the broker fails.",
    automaticAction: "Switches it while elbro runs, and into its resting state when elbro ends or starts.",
    remedy:
      "Use a plug whose firmware has such a timer (docs/plugs.md), or set one in the device. elbro tests it again after a restart.",
    advice:
      "the plug {name} cannot end an {state} by itself if elbro fails; use a plug with a timer, see docs/plugs.md",
  },
  unknown_home: {
    meaning: "A plan or a plug refers to an unknown home.",
    automaticAction: "Ignores it; its signal is not ON.",
    remedy: "Set `home` to one of the ids that `elbro addresses` lists.",
    advice: "set home of {owner} to one of {homes}; its signal is OFF until then",
  },
  keys_unreadable: {
    meaning: "The key file of `elbro keys` cannot be read.",
    automaticAction: "Keeps using the keys that it read before.",
    remedy: "Fix or delete the file, and create its keys again.",
    advice: "fix or delete {file} and create its keys again; the keys read before stay valid until a restart",
  },
  configuration_refused: {
    meaning: "The configuration was reloaded (SIGHUP) and has mistakes.",
    automaticAction: "Keeps using the previous configuration.",
    remedy: "Correct every mistake that the problem lists, then reload. `elbro check` lists them too.",
    advice: "the new configuration has mistakes, so elbro keeps using the previous one; correct them and reload it",
  },
  account_refused: {
    meaning: "A file of `accounts_dir` has mistakes.",
    automaticAction: "Keeps all other accounts, and the previous version of this one. A new account is left out.",
    remedy: "Correct the listed lines; elbro reads the file again when it changes. `elbro check` lists them too.",
    advice:
      "the account file {file} has mistakes; correct the listed lines; elbro reads the file again when it changes",
  },
  quota_too_small: {
    meaning: "The service's quota is lower than these addresses or places may need on a day with retries.",
    automaticAction: "Requests confirmed prices of today and tomorrow first; history and usage get the rest.",
    remedy:
      "Ask the provider for a higher quota, or list fewer addresses in `homes`, or fewer places in `third_party.places`.",
    advice:
      "the quota is low, so usage and history arrive late; ask the provider for a higher quota, or configure fewer addresses or places",
  },
  waiting_for_quota: {
    meaning: "Requests that are due wait more than 10 minutes, so that the service's quota is not exceeded.",
    automaticAction: "Sends them at the time that the problem shows. Stored data is used meanwhile.",
    remedy: "Give each program that uses the service a key of its own, or ask the provider for a higher quota.",
    advice:
      "requests wait for the service's quota; give each program its own key, or ask the provider for a higher quota",
  },
  no_addresses: {
    meaning: "The service lists no address for the account.",
    automaticAction: "Asks for the list once a day. Places of the third-party interface are not affected.",
    remedy: "Add an address in the app of the service, or set the key of another account. Then restart elbro.",
    advice: "the service lists no address for this key; add one in the app, or set the key of another account",
  },
  copy_failed: {
    meaning: "The nightly copy of the database failed.",
    automaticAction: "Keeps the previous copy and retries within an hour.",
    remedy: "Free space on the disk, and give the user that runs elbro write access to the data directory.",
    advice:
      "the database could not be copied; free space on the disk and give this user write access to the data directory",
  },
  home_assistant_unreachable: {
    meaning: "Home Assistant has been unreachable for 10 minutes, or does not store statistics.",
    automaticAction: "Retries within 10 minutes. Nothing is lost: missing statistics are imported later.",
    remedy: "Check that Home Assistant runs, and `home_assistant.url`. MQTT is not affected.",
    advice: "elbro cannot reach Home Assistant to import statistics; check that it runs, and home_assistant.url",
  },
  home_assistant_refused: {
    meaning: "Home Assistant rejects the token, or the statistics that elbro imports.",
    automaticAction: "Retries: after 6 hours if the token was rejected, otherwise within 10 minutes.",
    remedy:
      "Create a long-lived access token as an administrator (your profile, Security), put it into `home_assistant.token` and restart elbro. Home Assistant must be 2025.11 or newer, with its recorder.",
    advice:
      "Home Assistant rejects the import of statistics; set home_assistant.token to a long-lived access token of an administrator; Home Assistant must be 2025.11 or newer, with its recorder",
  },
  archive_unreachable: {
    meaning: "The archive in PostgreSQL has been unreachable, or has rejected writes, for 10 minutes.",
    automaticAction: "Retries within 5 minutes. Nothing is lost: changes stay marked in elbro's own database.",
    remedy:
      "Check that PostgreSQL runs and accepts elbro's login: `elbro check --online`, `archive.url`, `archive.password`.",
    advice: "the archive cannot be written; check that PostgreSQL runs, and archive.url and archive.password",
  },
  notifications_failed: {
    meaning:
      "The ntfy server rejects notifications, or cannot be reached and the next attempt is more than 10 minutes after the first.",
    automaticAction:
      "Retries within 30 minutes, or after 6 hours if the server rejected one. Notifications that are out of date by then are not sent.",
    remedy: "Check `notify.topic_url` and its token. `elbro notify` sends a test and shows the answer of the server.",
    advice: "notifications cannot be sent; check notify.topic_url, its token and the server; elbro notify sends a test",
  },
  statistic_ids_collide: {
    meaning: "Two homes have the same statistic ids in Home Assistant, because those ids cannot contain `-`.",
    automaticAction: "Imports only the statistics of the first home.",
    remedy: "Give one of them another id (`homes[].id`).",
    advice: "the statistics of {home} are not imported: {other} has the same id in Home Assistant; change homes[].id",
  },
} as const satisfies Readonly<Record<string, ProblemRow>>;

/** All problems, the most important first: lists of current problems have the same order. */
export const problemCatalog = { ...serviceProblems, ...otherProblems };

export type ServiceProblemCode = keyof typeof serviceProblems;
export type ProblemCode = keyof typeof problemCatalog;
