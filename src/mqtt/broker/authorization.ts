/** What the embedded broker allows: who comes in, and what each may publish, subscribe to and leave behind. */
import type { AedesOptions, Client, PublishPacket } from "aedes";
import { PacketLimits } from "./packet-limits.ts";
import { type BrokerUser, type BrokerUsers, mayPublish } from "./users.ts";

export interface BrokerRules {
  readonly users: BrokerUsers;
  /** Lets any client of this machine in without a name. */
  readonly anonymous: boolean;
  readonly baseTopic: string;
  readonly discoveryPrefix: string;
  /** A client published to a topic it may not; told once per connection. */
  readonly onRefused: (user: string, topic: string) => void;
}

/** Clients that are logged in at the same time. */
const MAX_CLIENTS = 256;
/** Different topic filters of one client over the life of its connection. */
const MAX_SUBSCRIPTIONS = 500;
/**
 * Silence after which a client is taken for dead. Clients that announce a longer one, or none, are held to it too;
 * 3.1.1 has no words to refuse them with.
 */
const MAX_KEEPALIVE_SEC = 3_600;
/** What clients other than the daemon may leave in the broker as retained messages, which are kept in memory. */
const MAX_FOREIGN_RETAINED = 2_000;
const MAX_FOREIGN_RETAINED_BYTES = 4 * 1024 * 1024;

const CANNOT_SERVE = 3;
const WRONG_LOGIN = 4;
const WRONG_CLIENT_ID = 2;

const ANYBODY: BrokerUser = { name: "anonymous", password: "", commands: true };

type Handlers = Required<Pick<AedesOptions, "preConnect" | "authenticate" | "authorizePublish" | "authorizeSubscribe">>;

/** The handlers of a broker. The daemon's own client is the one that does not come through a gate. */
export function rulesOf(options: BrokerRules): Handlers {
  const rules = new RuledHouse(options);
  return {
    preConnect: (_client, packet, done) => {
      // Nothing is kept for a client that is away: it would grow in memory until it comes back, if ever.
      packet.clean = true;
      const wished = packet.keepalive ?? 0;
      packet.keepalive = wished === 0 ? MAX_KEEPALIVE_SEC : Math.min(wished, MAX_KEEPALIVE_SEC);
      done(null, true);
    },
    authenticate: (client, name, password, done) => {
      rules.login(client, name, password).then(
        (refusal) => {
          if (refusal === null) done(null, true);
          else done(Object.assign(new Error("refused"), { returnCode: refusal }), false);
        },
        () => done(Object.assign(new Error("refused"), { returnCode: CANNOT_SERVE }), false),
      );
    },
    authorizePublish: (client, packet, done) => {
      if (!rules.takes(client, packet)) discard(packet);
      done(null);
    },
    authorizeSubscribe: (client, subscription, done) =>
      done(null, rules.mayListen(client, subscription.topic) ? subscription : null),
  };
}

/**
 * A message that may not be published is acknowledged and dropped (MQTT 3.1.1, 3.3.5: the other way is to hang up, and
 * a client that tries again after every hanging up would do so for ever).
 */
function discard(packet: PublishPacket): void {
  packet.topic = "$SYS/dropped";
  packet.payload = "";
  packet.retain = false;
}

class RuledHouse {
  readonly #options: BrokerRules;
  readonly #users = new WeakMap<Client, BrokerUser>();
  readonly #filters = new WeakMap<Client, Set<string>>();
  readonly #told = new WeakSet<Client>();
  /** Client ids of the daemon itself; another client with one of them would push it out. */
  readonly #ownIds = new Set<string>();
  /** Lengths of what others left, by topic. Bounded by MAX_FOREIGN_RETAINED. */
  readonly #foreign = new Map<string, number>();
  #foreignBytes = 0;
  #clients = 0;

  constructor(options: BrokerRules) {
    this.#options = options;
  }

  /** The return code of a refused login; null for an accepted one. */
  async login(
    client: Client,
    name: string | undefined,
    password: Readonly<Buffer> | undefined,
  ): Promise<number | null> {
    const gate = client.conn;
    if (!(gate instanceof PacketLimits)) {
      this.#ownIds.add(client.id);
      return null;
    }
    const user = await this.#userOf(gate, name, password);
    if (!user) return WRONG_LOGIN;
    if (this.#ownIds.has(client.id)) return WRONG_CLIENT_ID;
    if (this.#clients >= MAX_CLIENTS) return CANNOT_SERVE;
    if (gate.destroyed) return CANNOT_SERVE;
    this.#clients++;
    gate.once("close", () => this.#clients--);
    this.#users.set(client, user);
    gate.admit();
    return null;
  }

  async #userOf(gate: PacketLimits, name: string | undefined, password: Readonly<Buffer> | undefined) {
    const { users, anonymous } = this.#options;
    if (anonymous && gate.isLocal && name === undefined) return ANYBODY;
    return users.find(name, password);
  }

  takes(client: Client | null, packet: PublishPacket): boolean {
    if (client === null || !(client.conn instanceof PacketLimits)) return true;
    const user = this.#users.get(client);
    const allowed = user !== undefined && mayPublish(user, packet.topic, this.#options);
    const taken = allowed && (!packet.retain || this.#retains(packet));
    if (!taken && !this.#told.has(client)) {
      this.#told.add(client);
      this.#options.onRefused(user?.name ?? "", packet.topic);
    }
    return taken;
  }

  mayListen(client: Client, filter: string): boolean {
    const filters = this.#filters.get(client) ?? new Set();
    this.#filters.set(client, filters);
    if (filters.size >= MAX_SUBSCRIPTIONS && !filters.has(filter)) return false;
    filters.add(filter);
    return true;
  }

  #retains({ topic, payload }: PublishPacket): boolean {
    const before = this.#foreign.get(topic) ?? 0;
    const bytes = payload.length;
    const total = this.#foreignBytes - before + bytes;
    if (bytes === 0) this.#foreign.delete(topic);
    else if (total > MAX_FOREIGN_RETAINED_BYTES) return false;
    else if (!this.#foreign.has(topic) && this.#foreign.size >= MAX_FOREIGN_RETAINED) return false;
    else this.#foreign.set(topic, bytes);
    this.#foreignBytes = total;
    return true;
  }
}
