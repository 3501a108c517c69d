/** The newest release of elbro, and whether it is newer than the running version. */

export interface ReleaseUpdate {
  /** Version such as `1.2.0`. */
  readonly version: string;
  /** Page of the release; null if the feed names none. */
  readonly url: string | null;
}

/** Returns the version in a tag such as `v1.2.0`; null for anything else, such as a trial version. */
export function releasedVersion(tag: string): string | null {
  return /^v?(\d{1,6}\.\d{1,6}\.\d{1,6})$/.exec(tag)?.[1] ?? null;
}

/** Returns whether a version is newer than another one. Both have three numbers. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((each) => each.split(".").map(Number));
  const differing = a?.findIndex((number, i) => number !== b?.[i]) ?? -1;
  return differing !== -1 && (a?.[differing] ?? 0) > (b?.[differing] ?? 0);
}
