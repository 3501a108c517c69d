/** Names of API keys, which people read: letters and digits of any language, spaces inside. */
export const KEY_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} _.-]{0,38}[\p{L}\p{N}_.-])?$/u;

/** Returns whether two names are equal, ignoring case. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
