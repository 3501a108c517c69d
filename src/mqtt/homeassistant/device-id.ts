/** Ids by which Home Assistant knows devices and entities. They are permanently: a changed id is a new entity. */

/** A base topic that can stand in an id as it is: without an underscore, so that the first one ends it. */
const PLAIN = /^[a-z0-9]+$/;

/**
 * The id of a device: unique for its base topic and slug, so that two daemons on one broker never share one. Letters,
 * digits, underscores and hyphens only, as Home Assistant demands. `id` is null for the daemon itself.
 */
export function deviceId(baseTopic: string, id: string | null): string {
  const base = PLAIN.test(baseTopic)
    ? baseTopic
    : `${baseTopic.toLowerCase().replace(/[^a-z0-9]+/g, "")}${hash(baseTopic)}`;
  return id === null ? base : `${base}_${id}`;
}

/** The unique id of an entity. Neither base nor key has a hyphen, so no two pairs give the same. */
export function uniqueIdOf(device: string, key: string): string {
  return `${device}-${key}`;
}

/** The entity id that is suggested. Where two are the same, Home Assistant numbers them. */
export function entityIdOf(platform: string, device: string, key: string): string {
  return `${platform}.${`${device}_${key}`.replace(/[^a-z0-9]+/g, "_")}`;
}

/** FNV-1a in 32 bits: enough to keep the few base topics of one broker apart. Shape: eight hexadecimal digits. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
