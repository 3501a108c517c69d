/** Limits of the retained messages of all clients except the daemon, which the broker keeps in memory. */

/** A Zigbee network of 400 devices has about 8,000, with discovery of Home Assistant. */
const MAX_MESSAGES = 20_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Share of these limits that one user may fill. */
const PART_OF_USER = 0.75;

type Left = { readonly user: string; readonly bytes: number };

export class ClientRetained {
  /** User and size of the message of each topic. Bounded by MAX_MESSAGES. */
  readonly #byTopic = new Map<string, Left>();
  /** Sums of each user. Bounded by the users that have left a message. */
  readonly #ofUser = new Map<string, { readonly count: number; readonly bytes: number }>();
  #bytes = 0;

  /** Takes a message, or the end of one if `bytes` is 0. Returns why it is refused; null if it is taken. */
  take(user: string, topic: string, bytes: number): string | null {
    const before = this.#byTopic.get(topic);
    if (bytes === 0) {
      if (before) this.#remove(topic, before);
      return null;
    }
    const own = this.#ofUser.get(user) ?? { count: 0, bytes: 0 };
    const isOwn = before?.user === user;
    const count = this.#byTopic.size + (before ? 0 : 1);
    const allBytes = this.#bytes - (before?.bytes ?? 0) + bytes;
    if (count > MAX_MESSAGES || allBytes > MAX_BYTES)
      return "the broker has reached its limit of retained messages from clients";
    const ownCount = own.count + (isOwn ? 0 : 1);
    const ownBytes = own.bytes - (isOwn ? before.bytes : 0) + bytes;
    if (ownCount > MAX_MESSAGES * PART_OF_USER || ownBytes > MAX_BYTES * PART_OF_USER)
      return "this user has reached the limit of retained messages";
    if (before) this.#remove(topic, before);
    this.#byTopic.set(topic, { user, bytes });
    this.#add(user, 1, bytes);
    return null;
  }

  #remove(topic: string, { user, bytes }: Left): void {
    this.#byTopic.delete(topic);
    this.#add(user, -1, -bytes);
  }

  #add(user: string, count: number, bytes: number): void {
    const before = this.#ofUser.get(user) ?? { count: 0, bytes: 0 };
    const after = { count: before.count + count, bytes: before.bytes + bytes };
    if (after.count === 0) this.#ofUser.delete(user);
    else this.#ofUser.set(user, after);
    this.#bytes += bytes;
  }
}
