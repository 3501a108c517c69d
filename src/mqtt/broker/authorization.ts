/** What the embedded broker allows: who comes in, and what each may publish, subscribe to and leave behind. */
import type { AedesOptions, Client, PublishPacket } from "aedes";
import { MAX_CONNECT_BYTES, type NetworkConnection } from "./network-connection.ts";
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
/** Silence after which a client is taken for dead. Clients that announce a longer one, or none, are held to it too. */
export const MAX_KEEPALIVE_SEC = 3_600;
/** What clients other than the daemon may leave in the broker as retained messages, which are kept in memory. */
const MAX_FOREIGN_RETAINED = 2_000;
const MAX_FOREIGN_RETAINED_BYTES = 4 * 1024 * 1024;

const CANNOT_SERVE = 3;
const WRONG_LOGIN = 4;
const WRONG_CLIENT_ID = 2;

/** Reasons in the log. Clients are told the code alone. */
const REASONS: Readonly<Record<number, string>> = {
  [CANNOT_SERVE]: "too many clients",
  [WRONG_LOGIN]: "wrong user name or password",
  [WRONG_CLIENT_ID]: "the client id is the daemon's own, or not possible",
};
/** MQTT 5 sends this text to the client, so it says nothing about the house. */
const NOT_AUTHORIZED = "not authorized";

const ANYBODY: BrokerUser = { name: "anonymous", password: "", commands: true };

type Handlers = Required<Pick<AedesOptions, "preConnect" | "authenticate" | "authorizePublish" | "authorizeSubscribe">>;

/** Finds the connection of a client; undefined for the daemon's own client. */
type ConnectionOf = (client: Client) => NetworkConnection | undefined;

/** The handlers of a broker. */
export function rulesOf(options: BrokerRules, connectionOf: ConnectionOf): Handlers {
  const rules = new Rules(options, connectionOf);
  return {
    preConnect: (_client, packet, done) => {
      packet.clean = true;
      // aedes tells clients of MQTT 5 its limit, and refuses the others.
      if (packet.protocolVersion !== 5)
        packet.keepalive = Math.min(packet.keepalive || MAX_KEEPALIVE_SEC, MAX_KEEPALIVE_SEC);
      done(null, true);
    },
    authenticate: (client, name, password, done) => {
      const refuse = (returnCode: number) => {
        connectionOf(client)?.refuse(REASONS[returnCode] ?? "", name ?? null);
        done(Object.assign(new Error("refused"), { returnCode }), false);
      };
      rules.login(client, name, password).then(
        (refusal) => (refusal === null ? done(null, true) : refuse(refusal)),
        () => refuse(CANNOT_SERVE),
      );
    },
    authorizePublish: (client, packet, done) => {
      const isTaken = rules.takes(client, packet);
      if (!isTaken && client?.version === 5) return done(new Error(NOT_AUTHORIZED));
      if (!isTaken) discard(packet);
      done(null);
    },
    authorizeSubscribe: (client, subscription, done) =>
      done(null, rules.mayListen(client, subscription.topic) ? subscription : null),
  };
}

/**
 * A message that may not be published is acknowledged and dropped (MQTT 3.1.1, 3.3.5: the other way is to hang up, and
 * a client that tries again after every hanging up would do so for ever). Clients of MQTT 5 are told.
 */
function discard(packet: PublishPacket): void {
  packet.topic = "$SYS/dropped";
  packet.payload = "";
  packet.retain = false;
}

/** Properties of MQTT 5 that belong to a message, not to its way to the broker (MQTT 5, 3.3.2.3). */
const FORWARDED = [
  "payloadFormatIndicator",
  "messageExpiryInterval",
  "contentType",
  "responseTopic",
  "correlationData",
  "userProperties",
] as const;

/**
 * Leaves out what aedes 2.0.0-beta.1 would forward and clients would break off at: the delay of a will, and properties
 * that came more than once.
 */
function cleanProperties(packet: PublishPacket): void {
  const { properties } = packet;
  if (!properties) return;
  const kept = FORWARDED.filter((name) => properties[name] !== undefined && !Array.isArray(properties[name]));
  packet.properties = Object.fromEntries(kept.map((name) => [name, properties[name]]));
}

/**
 * Whether every object has a property of this name. aedes 2.0.0-beta.1 keeps clients and subscriptions in plain objects
 * (GHSA-52qw-whmv-87c5, fixed in 1.1.3): a client of the id `constructor` would end the process.
 */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

class Rules {
  readonly #options: BrokerRules;
  readonly #connectionOf: ConnectionOf;
  readonly #users = new WeakMap<Client, BrokerUser>();
  readonly #filters = new WeakMap<Client, Set<string>>();
  readonly #told = new WeakSet<Client>();
  /** Client ids of the daemon itself; another client with one of them would push it out. */
  readonly #ownIds = new Set<string>();
  /** Lengths of what others left, by topic. Bounded by MAX_FOREIGN_RETAINED. */
  readonly #foreign = new Map<string, number>();
  #foreignBytes = 0;
  #clients = 0;

  constructor(options: BrokerRules, connectionOf: ConnectionOf) {
    this.#options = options;
    this.#connectionOf = connectionOf;
  }

  /** The return code of a refused login; null for an accepted one. */
  async login(
    client: Client,
    name: string | undefined,
    password: Readonly<Buffer> | undefined,
  ): Promise<number | null> {
    const connection = this.#connectionOf(client);
    if (!connection) {
      this.#ownIds.add(client.id);
      return null;
    }
    const user = await this.#userOf(connection, name, password);
    if (!user) return WRONG_LOGIN;
    if (this.#ownIds.has(client.id) || isInherited(client.id)) return WRONG_CLIENT_ID;
    if (this.#clients >= MAX_CLIENTS) return CANNOT_SERVE;
    if (connection.stream.destroyed) return CANNOT_SERVE;
    this.#clients++;
    connection.stream.once("close", () => this.#clients--);
    this.#users.set(client, user);
    connection.admit();
    return null;
  }

  async #userOf({ isLocal }: NetworkConnection, name: string | undefined, password: Readonly<Buffer> | undefined) {
    const { users, anonymous } = this.#options;
    if (anonymous && isLocal && name === undefined) return ANYBODY;
    return users.find(name, password);
  }

  takes(client: Client | null, packet: PublishPacket): boolean {
    if (client === null || !this.#connectionOf(client)) return true;
    const user = this.#users.get(client);
    cleanProperties(packet);
    const allowed = user !== undefined && !isInherited(packet.topic) && mayPublish(user, packet.topic, this.#options);
    const taken = allowed && (!packet.retain || this.#retains(packet));
    if (!taken && !this.#told.has(client)) {
      this.#told.add(client);
      this.#options.onRefused(user?.name ?? "", packet.topic);
    }
    return taken;
  }

  mayListen(client: Client, filter: string): boolean {
    if (!this.#connectionOf(client)) return true;
    // aedes reads on for a moment between a CONNECT and its answer.
    if (!this.#users.has(client) || isInherited(filter)) return false;
    const filters = this.#filters.get(client) ?? new Set();
    this.#filters.set(client, filters);
    if (filters.size >= MAX_SUBSCRIPTIONS && !filters.has(filter)) return false;
    filters.add(filter);
    return true;
  }

  #retains({ topic, payload, length }: PublishPacket): boolean {
    const before = this.#foreign.get(topic) ?? 0;
    // With its properties; of a will only the length of its CONNECT is bounded.
    const bytes = payload.length === 0 ? 0 : (length ?? MAX_CONNECT_BYTES);
    const total = this.#foreignBytes - before + bytes;
    if (bytes === 0) this.#foreign.delete(topic);
    else if (total > MAX_FOREIGN_RETAINED_BYTES) return false;
    else if (!this.#foreign.has(topic) && this.#foreign.size >= MAX_FOREIGN_RETAINED) return false;
    else this.#foreign.set(topic, bytes);
    this.#foreignBytes = total;
    return true;
  }
}
