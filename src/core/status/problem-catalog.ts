/** The problem catalogue: one row per code, used by API, MQTT, documentation and dashboard. */
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
    meaning: "The service does not know the API key.",
    automaticAction: "Asks again after two minutes, then every six hours. What is kept goes on being shown.",
    remedy: "Create or replace the key in the app and put it into the configuration.",
    advice:
      "the service does not know this API key; create or replace the key in the app and put it into the configuration",
  },
  credential_expired: {
    meaning: "The API key has expired.",
    automaticAction: "Asks once a day.",
    remedy: "Create a new key in the app and put it into the configuration.",
    advice: "this API key has expired; create a new key in the app and put it into the configuration",
  },
  plus_required: {
    meaning: "The subscription that the key belongs to has ended.",
    automaticAction: "Asks once an hour.",
    remedy: "Renew Plus in the app. Nothing has to be changed here.",
    advice: "the subscription of this key has ended; renew Plus in the app, nothing needs to be changed here",
  },
  forbidden: {
    meaning: "The service denies access to one address or one kind of data.",
    automaticAction: "Leaves that out and asks again: for prices every hour, for anything else every day.",
    remedy: "Check in the app that the key may read this address.",
    advice: "the service denies access to this; check in the app that the key may read this address",
  },
  address_gone: {
    meaning: "The service said three times in a day that it does not know an address.",
    automaticAction: "Asks nothing more for it and keeps its data.",
    remedy: "Look in the app whether you moved; `elbro addresses` lists what there is.",
    advice: "the service no longer knows this address; its data is kept and nothing more is asked for it",
  },
  rate_limited: {
    meaning: "The service's quota is used up, although elbro keeps within it.",
    automaticAction: "Is silent until the time that the service named.",
    remedy: "Find the other program that uses the same key, and give each its own.",
    advice: "the service's quota is used up; other programs use the same key, or the quota was lowered",
  },
  bad_request: {
    meaning: "The service refused a request as wrong.",
    automaticAction: "Does not repeat that request.",
    remedy: "Report it with the request id.",
    advice: "the service refused a request as wrong; please report this with the request id",
  },
  malformed: {
    meaning: "An answer does not fit what the service promises.",
    automaticAction: "Keeps the data from before and asks again later.",
    remedy: "Mostly passes by itself; if it lasts a day, report it with the request id.",
    advice: "the service answered in a form that does not fit its contract; the previous data is kept",
  },
  service_trouble: {
    meaning: "The service has trouble of its own.",
    automaticAction: "Asks again more and more slowly.",
    remedy: "Wait.",
    advice: "the service has trouble; it is asked again more and more slowly",
  },
  unreachable: {
    meaning: "The service cannot be reached.",
    automaticAction: "Asks again, within five minutes at most. Prices that are known are published as always.",
    remedy: "Check the internet connection, name resolution and a proxy. `elbro check --online` says how far it gets.",
    advice: "the service cannot be reached; check the internet connection, name resolution and proxy",
  },
} as const satisfies Readonly<Record<string, ProblemRow>>;

const otherProblems = {
  memory_too_small: {
    meaning: "Node may use less memory than this many homes need; it would end elbro when it is full.",
    automaticAction: "Goes on as long as the memory lasts.",
    remedy: "Set the environment variable `NODE_OPTIONS` to the flags that the problem names, and restart.",
    advice: 'set NODE_OPTIONS="{flags}" in the environment of elbro and restart it',
  },
  quota_too_small: {
    meaning: "The service's quota is smaller than what a bad day of these addresses or places may need.",
    automaticAction: "Confirmed prices of today and tomorrow come first; history and use take what is left.",
    remedy: "Ask the provider for a higher quota, or leave addresses out with `homes`, or places of `third_party`.",
    advice:
      "the quota is small, so usage and history come late; ask for a higher one, or leave addresses or places out",
  },
  clock_wrong: {
    meaning: "The clock of this machine cannot be right.",
    automaticAction: "Switches nothing; no signal is ON.",
    remedy: "Let the machine set its clock (NTP). A Raspberry Pi has none of its own and needs the network for it.",
    advice:
      "the clock of this machine is wrong, so no signal is ON; set it, and let a time service (NTP) keep it right",
  },
  plug_silent: {
    meaning: "A plug does not answer, or does not do what it is told.",
    automaticAction: "Tries again when it shows itself. What is ON ends by the plug's own timer where it has one.",
    remedy: "Look whether the plug has power and reaches the broker, and whether topic and family are right.",
    advice: "the plug {name} does not answer; check that it has power and network, and its topic in the configuration",
  },
  plug_without_timer: {
    meaning: "A plug cannot return to its resting state by itself when elbro or the broker dies.",
    automaticAction: "Switches it while it runs, and into its resting state when it ends or starts.",
    remedy:
      "Use a plug whose firmware has such a timer (docs/plugs.md), or set one in the device. A restart tests it again.",
    advice: "the plug {name} cannot end an {state} by itself if elbro dies; use a plug with a timer, see docs/plugs.md",
  },
  unknown_home: {
    meaning: "A plan or a plug names a home that there is not.",
    automaticAction: "Leaves it out; its signal is not ON.",
    remedy: "Set `home` to one of the ids of `elbro addresses`.",
    advice: "set home of {owner} to one of {homes}; until then it is off",
  },
  keys_unreadable: {
    meaning: "The file with the keys of `elbro keys` cannot be read.",
    automaticAction: "Goes on with the keys that were known.",
    remedy: "Mend or delete the file and create its keys anew.",
    advice: "Mend or delete {file} and create its keys anew; those that were known go on until a restart.",
  },
  configuration_refused: {
    meaning: "The configuration was read again (SIGHUP) and has mistakes.",
    automaticAction: "Goes on with the one before.",
    remedy: "Mend every mistake that is named and have it read again; `elbro check` tells them too.",
    advice: "the configuration cannot be used, so what runs stays as it is; mend it and have it read again",
  },
  account_refused: {
    meaning: "A file of `accounts_dir` has mistakes.",
    automaticAction: "Goes on with all other accounts, and with this one as it was before; a new one is left out.",
    remedy: "Correct the lines that are named; the file is read again when it changes. `elbro check` names them too.",
    advice:
      "the account file {file} cannot be used; correct the lines that are named, it is read again when it changes",
  },
  database_damaged: {
    meaning: "The nightly check found the database damaged.",
    automaticAction: "Goes on, and keeps the last good copy.",
    remedy:
      "Restart: the damaged file is set aside and the copy takes its place. Then look at the disk or memory card.",
    advice:
      "the database is damaged; restart elbro: it sets the file aside and goes on with the last good copy; then look at the disk or memory card",
  },
  database_restored: {
    meaning: "The database was damaged at the start and was replaced by its last good copy.",
    automaticAction: "Asks the service again for what is missing. Ends with the next copy that is found whole.",
    remedy: "Look at the disk or memory card.",
    advice:
      "the database was damaged and was replaced; what is missing is asked from the service again; look at the disk or memory card",
  },
  values_damaged: {
    meaning: "Some stored values are not what was written: the disk or memory card changed them.",
    automaticAction:
      "Leaves them out and asks the service for them again; plans and settings begin anew. Ends with the next nightly copy.",
    remedy: "Look at the disk or memory card. `elbro check` reads everything that is stored.",
    advice:
      "stored values were damaged and are left out; what the service has is asked again; look at the disk or memory card",
  },
  disk_full: {
    meaning: "The disk of the data directory is full.",
    automaticAction:
      "Asks the service nothing, since no request goes out that is not written down first. What is kept is shown and switched; what is new waits in memory. Tries again after seconds, then less and less often, at least every five minutes.",
    remedy: "Make room on the disk. elbro goes on by itself.",
    advice:
      "make room on the disk of the data directory; elbro asks the service nothing until then, and goes on by itself",
  },
  database_not_writable: {
    meaning: "The database cannot be written: the disk fails, or is mounted read-only.",
    automaticAction: "The same as with a full disk.",
    remedy:
      "Let the user that runs elbro write to the data directory, and look at the disk or memory card. elbro goes on by itself.",
    advice:
      "let this user write to the data directory, and look at the disk or memory card; elbro asks the service nothing until then, and goes on by itself",
  },
  data_dir_gone: {
    meaning: "The data directory is gone, or is another one than at the start.",
    automaticAction:
      "Goes on with what it has in memory. What comes meanwhile is lost with the next restart. Ends when the directory is back as it was.",
    remedy: "Put the disk or the folder back, or restart elbro to begin with what is there now.",
    advice: "the data directory is gone; put its disk or folder back, or restart elbro to go on with what is there",
  },
  broker_unreachable: {
    meaning: "The MQTT broker has been away, or has refused the login, for ten minutes.",
    automaticAction: "Tries again, within a minute at most, and then publishes everything as it is by then.",
    remedy:
      "Check that the broker runs, and `mqtt.url`, `mqtt.username` and `mqtt.password`. `elbro check --online` says how far it gets.",
    advice: "the MQTT broker cannot be reached or refuses the login; check that it runs, and mqtt in the configuration",
  },
  copy_failed: {
    meaning: "The nightly copy of the database could not be made.",
    automaticAction: "Keeps the copy before and tries again within the hour.",
    remedy: "Make room on the disk, and let the user that runs elbro write to the data directory.",
    advice: "the database could not be copied; make room on the disk and let this user write to the data directory",
  },
  home_assistant_unreachable: {
    meaning: "Home Assistant has not been reached for a quarter of an hour, or does not store statistics.",
    automaticAction: "Tries again, within ten minutes at most. Nothing is lost: what is missing is imported then.",
    remedy: "Check that Home Assistant runs, and `home_assistant.url`. MQTT does not depend on it.",
    advice: "Home Assistant cannot be reached for its statistics; check that it runs, and home_assistant.url",
  },
  home_assistant_refused: {
    meaning: "Home Assistant refuses the token, or statistics that elbro imports.",
    automaticAction: "Tries again: a refused token after six hours, everything else within ten minutes.",
    remedy:
      "Create a long-lived access token as an administrator (your profile, Security), put it into `home_assistant.token` and restart elbro. Home Assistant must be 2025.11 or newer, with its recorder.",
    advice:
      "Home Assistant refuses the import of statistics; set home_assistant.token to a long-lived access token of an administrator; Home Assistant must be 2025.11 or newer, with its recorder",
  },
  archive_unreachable: {
    meaning: "The archive in PostgreSQL has not been reached, or has taken nothing, for ten minutes.",
    automaticAction:
      "Tries again, within five minutes at most. Nothing is lost: what changes meanwhile stays marked in elbro's own database.",
    remedy: "Check that PostgreSQL runs and lets elbro in: `elbro check --online`, `archive.url`, `archive.password`.",
    advice: "the archive cannot be written; check that PostgreSQL runs, and archive.url and its password",
  },
  notifications_failed: {
    meaning: "The ntfy server refuses notifications, or has not been reached for an hour.",
    automaticAction:
      "Tries again, within half an hour at most; what was refused after six hours. What is over by then is not sent.",
    remedy: "Check `notify.topic_url` and its token. `elbro notify` sends a test and says what the server answers.",
    advice: "notifications cannot be sent; check notify.topic_url, its token and the server; elbro notify sends a test",
  },
  statistic_ids_collide: {
    meaning: "Two homes would have the same statistics in Home Assistant, whose ids hold no `-`.",
    automaticAction: "Imports the statistics of the first of them.",
    remedy: "Give one of them another id (`homes[].id`).",
    advice: "the statistics of {home} are not imported: its id is that of {other} in Home Assistant; change homes[].id",
  },
} as const satisfies Readonly<Record<string, ProblemRow>>;

export const problemCatalog = { ...serviceProblems, ...otherProblems };

export type ServiceProblemCode = keyof typeof serviceProblems;
export type ProblemCode = keyof typeof problemCatalog;
