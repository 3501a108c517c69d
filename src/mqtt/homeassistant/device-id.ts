/** Ids of devices and entities in Home Assistant. They must never change: a changed id is a new entity. */

/** A base topic that is used in an id unchanged. It has no underscore, so the first underscore ends it. */
const PLAIN = /^[a-z0-9]+$/;

/**
 * Returns the id of a device: unique for its base topic and slug, so that two daemons on one broker never share one.
 * Contains only letters, digits, underscores and hyphens, as Home Assistant requires. `id` is null for the daemon
 * itself.
 */
export function deviceId(baseTopic: string, id: string | null): string {
  const base = PLAIN.test(baseTopic)
    ? baseTopic
    : `${baseTopic.toLowerCase().replace(/[^a-z0-9]+/g, "")}${hash(baseTopic)}`;
  return id === null ? base : `${base}_${id}`;
}

/** Returns the unique id of an entity. A key has no hyphen, so different pairs give different ids. */
export function uniqueIdOf(device: string, key: string): string {
  return `${device}-${key}`;
}

/** Returns the suggested entity id. Home Assistant adds a number to duplicates. */
export function entityIdOf(platform: string, device: string, key: string): string {
  return `${platform}.${`${device}_${key}`.replace(/[^a-z0-9]+/g, "_")}`;
}

/** Returns the 32-bit FNV-1a hash as eight hexadecimal digits, enough to keep the base topics of one broker apart. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
