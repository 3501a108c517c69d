/**
 * The service's zone as a time zone database knows it, read when the program is built: a program that runs with the same
 * database need not load it, which costs 6 MB and 8 ms. The sources know nothing; the build puts the table in place of
 * this file (`.rolldown.config.ts`).
 */
export interface KnownTransitions {
  /** Version of the database, as in `process.versions.tz`. */
  readonly tz: string;
  /** By year, in the form that a `TransitionMemory` keeps. */
  readonly years: Readonly<Record<number, string>>;
}

export const KNOWN_TRANSITIONS: KnownTransitions = { tz: "none", years: {} };
