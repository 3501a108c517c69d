/** Row of the problem catalogue: one per code, for the documentation. `advice` in `src/i18n` has what owners see. */
export interface ProblemRow {
  readonly meaning: string;
  /** Actions of the daemon while the problem lasts. */
  readonly automaticAction: string;
  /** Actions that the owner can take. */
  readonly remedy: string;
}

/** Problems with the service or the connection to it. The code of one that affects a whole account is its state. */
export const serviceProblems = {
  invalid_token: {
    meaning: "The service rejects the API key as unknown.",
    automaticAction: "Retries after 2 minutes, then every 6 hours. Stored data stays available.",
    remedy: "Create a new key in the app, set it in the configuration, and reload it (SIGHUP) or restart elbro.",
  },
  credential_expired: {
    meaning: "The API key has expired.",
    automaticAction: "Retries once a day. Stored data stays available.",
    remedy: "Create a new key in the app, set it in the configuration, and reload it (SIGHUP) or restart elbro.",
  },
  plus_required: {
    meaning: "The Plus subscription of the key has ended.",
    automaticAction: "Retries every hour.",
    remedy: "Renew Plus in the app. The configuration does not change.",
  },
  forbidden: {
    meaning: "The service denies access to one address or one kind of data.",
    automaticAction: "Skips that data and retries: prices every hour, other data every day.",
    remedy: "Check in the app that the key may read this address.",
  },
  address_gone: {
    meaning: "The service reports that an address does not exist.",
    automaticAction: "Keeps its data and asks again after 2 hours; after three such answers within a day, once a day.",
    remedy: "Check in the app whether you moved; `elbro addresses` lists the addresses of the account.",
  },
  rate_limited: {
    meaning: "The service's request quota is used up, although elbro stays below it.",
    automaticAction: "Sends no requests until the time that the service gave.",
    remedy: "Find the other program that uses the same key, and give each program a key of its own.",
  },
  bad_request: {
    meaning: "The service rejected a request as invalid.",
    automaticAction: "Does not repeat that request.",
    remedy: "Report it with the request id.",
  },
  malformed: {
    meaning: "A response of the service does not match its documentation.",
    automaticAction: "Keeps the previous data and retries later.",
    remedy: "Usually resolves on its own. If it lasts a day, report it with the request id.",
  },
  service_trouble: {
    meaning: "The service reports an error of its own.",
    automaticAction: "Retries with increasing delays.",
    remedy: "Wait.",
  },
  unreachable: {
    meaning: "The service cannot be reached.",
    automaticAction: "Retries within 5 minutes. Known prices are still published.",
    remedy: "Check the internet connection, DNS and proxy. `elbro check --online` shows where the connection fails.",
  },
} as const satisfies Readonly<Record<string, ProblemRow>>;

const otherProblems = {
  parts_dropped: {
    meaning: "Parts of a response of the service do not match its documentation, or contradict each other.",
    automaticAction: "Leaves out those parts, uses the rest, and asks again at the regular times.",
    remedy: "Usually resolves on its own. If it lasts a day, report it with the request id.",
  },
  clock_wrong: {
    meaning: "The clock of this machine cannot be correct.",
    automaticAction: "Does not switch by price. No price signal is ON; only what has `when_lost: on` is.",
    remedy: "Let the machine set its clock (NTP). A Raspberry Pi has no battery clock and needs the network for it.",
  },
  memory_too_small: {
    meaning:
      "The memory limit of Node is lower than this number of homes needs. Node ends elbro when the limit is reached.",
    automaticAction: "Keeps running until the limit is reached.",
    remedy: "Set the environment variable `NODE_OPTIONS` to the flags that the problem shows, and restart.",
  },
  disk_full: {
    meaning: "The disk of the data directory is full.",
    automaticAction:
      "Sends no requests to the service, because each request must be recorded first. Stored data is still shown and used for switching; new data stays in memory. Retries after seconds, then less often, at least every 5 minutes.",
    remedy: "Free space on the disk. elbro then continues by itself.",
  },
  database_not_writable: {
    meaning: "The database cannot be written: the disk fails or is mounted read-only.",
    automaticAction: "The same as for a full disk.",
    remedy:
      "Give the user that runs elbro write access to the data directory, and check the disk or memory card. elbro then continues by itself.",
  },
  data_dir_gone: {
    meaning: "The data directory is missing, or is not the one that was there at the start.",
    automaticAction:
      "Continues with the data in memory. New data is lost at the next restart. The problem ends when the directory is back.",
    remedy: "Reconnect the disk or restore the folder, or restart elbro to use what is there now.",
  },
  database_damaged: {
    meaning: "The nightly check found damage in the database.",
    automaticAction: "Keeps running, and keeps the last good copy.",
    remedy: "Restart elbro: it sets the damaged file aside and uses the copy. Then check the disk or memory card.",
  },
  database_restored: {
    meaning: "The database was damaged at the start and was replaced by the last good copy.",
    automaticAction: "Requests the missing data again. The problem ends with the next intact copy.",
    remedy: "Check the disk or memory card.",
  },
  values_damaged: {
    meaning: "Some stored values are damaged: the disk or memory card changed them.",
    automaticAction:
      "Ignores them and requests them again; plans and settings among them are reset. The problem ends with the next nightly copy.",
    remedy: "Check the disk or memory card. `elbro check` verifies everything that is stored.",
  },
  broker_unreachable: {
    meaning:
      "The MQTT broker has been unreachable, has rejected the login, or has ended every connection within a minute, for 10 minutes; or it has ended six connections within an hour.",
    automaticAction:
      "Retries at least every minute, and then publishes the current state of everything. The problem ends after a minute of a steady connection, or when fewer than six connections have ended within the last hour.",
    remedy:
      "Check that the broker runs, and `mqtt.url`, `mqtt.username` and `mqtt.password`. `elbro check --online` shows where the connection fails.",
  },
  topics_refused: {
    meaning:
      "The MQTT broker refuses a topic of elbro, or ends the connection because of it: the user has too few rights, or a limit of the broker is too low.",
    automaticAction:
      "Leaves it out and publishes everything else. Tries it again after a minute, then less often, at least every 6 hours, and after a restart.",
    remedy:
      "Give elbro's user the rights in [MQTT](mqtt.md#rights), or raise the limit that `detail` names. elbro then continues by itself.",
  },
  plug_silent: {
    meaning: "A plug does not answer, or does not follow commands.",
    automaticAction:
      "Retries every 15 minutes, or when the plug comes back online. An ON ends by the plug's own timer, if it has one.",
    remedy: "Check that the plug has power and reaches the broker, and that `topic` and `family` are correct.",
  },
  plug_refuses: {
    meaning:
      "A plug answers, but does not let elbro in, reports an error, or a state that is neither ON nor OFF; or Zigbee2MQTT or Home Assistant no longer has it, or refuses an action.",
    automaticAction: "Retries.",
    remedy:
      "Do what `detail` says: set `password` or `username`, the other `url`, the new `certificate` or the new `topic`.",
  },
  plug_without_timer: {
    meaning: "A plug cannot return to its resting state by itself if elbro or the broker fails.",
    automaticAction: "Switches it while elbro runs, and into its resting state when elbro ends or starts.",
    remedy:
      "Use a plug whose firmware has such a timer (docs/plugs.md), or set one in the device. elbro tests it again after a restart.",
  },
  unknown_home: {
    meaning: "A plan or a plug refers to an unknown home.",
    automaticAction: "Ignores it; its signal is not ON.",
    remedy: "Set `home` to one of the ids that `elbro addresses` lists.",
  },
  keys_unreadable: {
    meaning: "The key file of `elbro keys` cannot be read.",
    automaticAction: "Keeps using the keys that it read before.",
    remedy: "Fix or delete the file, and create its keys again.",
  },
  configuration_refused: {
    meaning: "The configuration was reloaded (SIGHUP) and has mistakes.",
    automaticAction: "Keeps using the previous configuration.",
    remedy: "Correct every mistake that the problem lists, then reload. `elbro check` lists them too.",
  },
  page_file_refused: {
    meaning: "A part of `page.yaml` has a mistake, or is about a plan or plug that does not exist any more.",
    automaticAction: "Leaves that part out and uses all others.",
    remedy: "Save the entry again on the page, reset it to the file, or restore an earlier state from the history.",
  },
  account_refused: {
    meaning: "A file of `accounts_dir` has mistakes.",
    automaticAction: "Keeps all other accounts, and the previous version of this one. A new account is left out.",
    remedy: "Correct the listed lines; elbro reads the file again when it changes. `elbro check` lists them too.",
  },
  quota_too_small: {
    meaning: "The service's quota is lower than these addresses or places may need on a day with retries.",
    automaticAction: "Requests confirmed prices of today and tomorrow first; history and usage get the rest.",
    remedy:
      "Ask the provider for a higher quota, or list fewer addresses in `homes`, or fewer places in `third_party.places`.",
  },
  waiting_for_quota: {
    meaning: "Requests that are due wait more than 10 minutes, so that the service's quota is not exceeded.",
    automaticAction: "Sends them at the time that the problem shows. Stored data is used meanwhile.",
    remedy: "Give each program that uses the service a key of its own, or ask the provider for a higher quota.",
  },
  no_addresses: {
    meaning: "The service lists no address for the account.",
    automaticAction: "Asks for the list once a day. Places of the third-party interface are not affected.",
    remedy: "Add an address in the app of the service, or set the key of another account. Then restart elbro.",
  },
  copy_failed: {
    meaning: "The nightly copy of the database failed.",
    automaticAction: "Keeps the previous copy and retries within an hour.",
    remedy: "Free space on the disk, and give the user that runs elbro write access to the data directory.",
  },
  home_assistant_unreachable: {
    meaning: "Home Assistant has been unreachable for 10 minutes, or does not store statistics.",
    automaticAction: "Retries within 10 minutes. Nothing is lost: missing statistics are imported later.",
    remedy: "Check that Home Assistant runs, and `home_assistant.url`. MQTT is not affected.",
  },
  home_assistant_refused: {
    meaning: "Home Assistant rejects the token, or the statistics that elbro imports.",
    automaticAction: "Retries: after 6 hours if the token was rejected, otherwise within 10 minutes.",
    remedy:
      "Create a long-lived access token as an administrator (your profile, Security), put it into `home_assistant.token` and restart elbro. Home Assistant must be 2025.11 or newer, with its recorder.",
  },
  archive_unreachable: {
    meaning: "The archive in PostgreSQL has been unreachable, or has rejected writes, for 10 minutes.",
    automaticAction: "Retries within 5 minutes. Nothing is lost: changes stay marked in elbro's own database.",
    remedy:
      "Check that PostgreSQL runs and accepts elbro's login: `elbro check --online`, `archive.url`, `archive.password`.",
  },
  notifications_failed: {
    meaning:
      "The ntfy server or the webhook rejects notifications, or cannot be reached and the next attempt is more than 10 minutes after the first.",
    automaticAction:
      "Retries within 30 minutes, or after 6 hours if the server rejected one. Notifications that are out of date by then are not sent.",
    remedy:
      "Check `notify.topic_url` and its token, or `notify.webhook_url`. `elbro notify` sends a test and shows the answer of the server.",
  },
  statistic_ids_collide: {
    meaning: "Two homes have the same statistic ids in Home Assistant, because those ids cannot contain `-`.",
    automaticAction: "Imports only the statistics of the first home.",
    remedy: "Give one of them another id (`homes[].id`).",
  },
} as const satisfies Readonly<Record<string, ProblemRow>>;

/** All problems, the most important first: lists of current problems have the same order. */
export const problemCatalog = { ...serviceProblems, ...otherProblems };

export type ServiceProblemCode = keyof typeof serviceProblems;
export type ProblemCode = keyof typeof problemCatalog;
