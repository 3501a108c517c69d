/**
 * Every code a problem may have, in words: one row per code. The README's table is made from it; the program itself
 * does not load it, since each problem brings its own advice.
 */
export interface ProblemWords {
  readonly meaning: string;
  /** What the daemon does meanwhile. */
  readonly meanwhile: string;
  /** What its owner can do. */
  readonly mend: string;
}

export const problemWords = {
  invalid_token: {
    meaning: "The service does not know the API key.",
    meanwhile: "Asks again after two minutes, then every six hours. What is kept goes on being shown.",
    mend: "Create or replace the key in the app and put it into the configuration.",
  },
  credential_expired: {
    meaning: "The API key has expired.",
    meanwhile: "Asks once a day.",
    mend: "Create a new key in the app and put it into the configuration.",
  },
  plus_required: {
    meaning: "The subscription that the key belongs to has ended.",
    meanwhile: "Asks once a day.",
    mend: "Renew Plus in the app. Nothing has to be changed here.",
  },
  forbidden: {
    meaning: "The service denies access to one address or one kind of data.",
    meanwhile: "Leaves that out and looks again every day.",
    mend: "Check in the app that the key may read this address.",
  },
  address_gone: {
    meaning: "The service said three times in a day that it does not know an address.",
    meanwhile: "Asks nothing more for it and keeps its data.",
    mend: "Look in the app whether you moved; `elbro addresses` lists what there is.",
  },
  rate_limited: {
    meaning: "The service's quota is used up, although elbro keeps within it.",
    meanwhile: "Is silent until the time that the service named.",
    mend: "Find the other program that uses the same key, and give each its own.",
  },
  bad_request: {
    meaning: "The service refused a request as wrong.",
    meanwhile: "Does not repeat that request.",
    mend: "Report it with the request id.",
  },
  malformed: {
    meaning: "An answer does not fit what the service promises.",
    meanwhile: "Keeps the data from before and asks again later.",
    mend: "Mostly passes by itself; if it lasts a day, report it with the request id.",
  },
  service_trouble: {
    meaning: "The service has trouble of its own.",
    meanwhile: "Asks again more and more slowly.",
    mend: "Wait.",
  },
  unreachable: {
    meaning: "The service cannot be reached.",
    meanwhile: "Asks again, within five minutes at most. Prices that are known are published as always.",
    mend: "Check the internet connection, name resolution and a proxy. `elbro check --online` says how far it gets.",
  },
  clock_wrong: {
    meaning: "The clock of this machine cannot be right.",
    meanwhile: "Switches nothing; no signal is ON.",
    mend: "Let the machine set its clock (NTP). A Raspberry Pi has none of its own and needs the network for it.",
  },
  plug_silent: {
    meaning: "A plug does not answer, or does not do what it is told.",
    meanwhile: "Tries again when it shows itself. What is ON ends by the plug's own timer where it has one.",
    mend: "Look whether the plug has power and reaches the broker, and whether topic and family are right.",
  },
  unknown_home: {
    meaning: "A plan or a plug names a home that there is not.",
    meanwhile: "Leaves it out; its signal is not ON.",
    mend: "Set `home` to one of the ids of `elbro addresses`.",
  },
  keys_unreadable: {
    meaning: "The file with the keys of `elbro keys` cannot be read.",
    meanwhile: "Goes on with the keys that were known.",
    mend: "Mend or delete the file and create its keys anew.",
  },
  configuration_refused: {
    meaning: "The configuration was read again (SIGHUP) and has mistakes.",
    meanwhile: "Goes on with the one before.",
    mend: "Mend every mistake that is named and have it read again; `elbro check` tells them too.",
  },
  database_damaged: {
    meaning: "The nightly check found the database damaged.",
    meanwhile: "Goes on, and keeps the last good copy.",
    mend: "Restart: the damaged file is set aside and the copy takes its place. Then look at the disk or memory card.",
  },
  database_restored: {
    meaning: "The database was damaged at the start and was replaced by its last good copy.",
    meanwhile: "Asks the service again for what is missing. Ends with the next copy that is found whole.",
    mend: "Look at the disk or memory card.",
  },
  disk_full: {
    meaning: "The disk of the data directory is full.",
    meanwhile:
      "Asks the service nothing, since no request goes out that is not written down first. What is kept is shown and switched; what is new waits in memory. Tries again after seconds, then less and less often, at least every five minutes.",
    mend: "Make room on the disk. elbro goes on by itself.",
  },
  database_not_writable: {
    meaning: "The database cannot be written: the disk fails, or is mounted read-only.",
    meanwhile: "The same as with a full disk.",
    mend: "Let the user that runs elbro write to the data directory, and look at the disk or memory card. elbro goes on by itself.",
  },
  copy_failed: {
    meaning: "The nightly copy of the database could not be made.",
    meanwhile: "Keeps the copy before and tries again the next night.",
    mend: "Make room on the disk, and let the user that runs elbro write to the data directory.",
  },
} as const satisfies Readonly<Record<string, ProblemWords>>;

export type ProblemCode = keyof typeof problemWords;
