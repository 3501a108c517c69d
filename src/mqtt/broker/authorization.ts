/** What the embedded broker allows: who comes in, and what each may publish, subscribe to and leave behind. */
import type { Duplex } from "node:stream";
import type { AedesOptions, Client, PublishPacket } from "aedes";
import { addressGroup } from "../../service/serve/address-group.ts";
import { LoginThrottle } from "../../service/serve/login-throttle.ts";
import { MAX_CONNECT_BYTES, type NetworkConnection } from "./network-connection.ts";
import { type BrokerUser, type BrokerUsers, mayPublish } from "./users.ts";

export interface BrokerRules {
  readonly users: BrokerUsers;
  /** Lets any client of this machine in without a name. */
  readonly anonymous: boolean;
  readonly baseTopic: string;
  readonly discoveryPrefix: string;
  /** A message of a client was dropped; told once per connection and reason. */
  readonly onRefused: (user: string, topic: string, reason: string) => void;
  /** The wrong passwords of an address begin to cost a wait. */
  readonly onLockedOut?: (address: string) => void;
}

/** Clients that are logged in at the same time. */
const MAX_CLIENTS = 256;
/** Of one user, such as that of all plugs, and of one address, such as that of a bridge with many containers. */
const MAX_CLIENTS_OF_USER = 192;
const MAX_CLIENTS_OF_ADDRESS = 128;
/** Different topic filters of one client over the life of its connection. */
const MAX_SUBSCRIPTIONS = 500;
/** Silence after which a client is taken for dead. Clients that announce a longer one, or none, are held to it too. */
export const MAX_KEEPALIVE_SEC = 3_600;
/** What clients other than the daemon may leave in the broker as retained messages, which are kept in memory. */
const MAX_FOREIGN_RETAINED = 2_000;
const MAX_FOREIGN_RETAINED_BYTES = 4 * 1024 * 1024;
/** Of one user: the rest stays for the others. */
const PART_OF_USER = 0.75;

/** Why a login is refused, for the log. Clients are told the code alone. */
const REFUSALS = {
  isFull: { returnCode: 3, reason: "too many clients" },
  isFullForUser: { returnCode: 3, reason: `more than ${MAX_CLIENTS_OF_USER} clients of this user` },
  isFullForAddress: { returnCode: 3, reason: `more than ${MAX_CLIENTS_OF_ADDRESS} clients of this address` },
  isLockedOut: { returnCode: 3, reason: "too many wrong passwords; each costs a wait" },
  isLost: { returnCode: 3, reason: "the connection ended before the login did" },
  isWrongLogin: { returnCode: 4, reason: "wrong user name or password" },
  isWrongId: { returnCode: 2, reason: "the client id is the daemon's own, or not possible" },
  isTakenId: { returnCode: 2, reason: "another user has this client id" },
} as const;
type Refusal = (typeof REFUSALS)[keyof typeof REFUSALS];
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
      const refuse = ({ returnCode, reason }: Refusal) => {
        connectionOf(client)?.refuse(reason, name ?? null);
        done(Object.assign(new Error("refused"), { returnCode }), false);
      };
      rules.login(client, name, password).then(
        (refusal) => (refusal === null ? done(null, true) : refuse(refusal)),
        () => refuse(REFUSALS.isLost),
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
  readonly #told = new WeakMap<Client, Set<string>>();
  readonly #lockOut = new LoginThrottle();
  /** Who is logged in, by client id. Bounded by MAX_CLIENTS. */
  readonly #present = new Map<string, { readonly user: string; readonly address: string; readonly stream: Duplex }>();
  /** Client ids of the daemon itself; another client with one of them would push it out. */
  readonly #ownIds = new Set<string>();
  /** What others left, by topic, and the length of it. Bounded by MAX_FOREIGN_RETAINED. */
  readonly #foreign = new Map<string, { readonly user: string; readonly bytes: number }>();

  constructor(options: BrokerRules, connectionOf: ConnectionOf) {
    this.#options = options;
    this.#connectionOf = connectionOf;
  }

  /** Why a login is refused; null for an accepted one. */
  async login(
    client: Client,
    name: string | undefined,
    password: Readonly<Buffer> | undefined,
  ): Promise<Refusal | null> {
    const connection = this.#connectionOf(client);
    if (!connection) {
      this.#ownIds.add(client.id);
      return null;
    }
    const address = addressGroup(connection.address);
    // Behind one address there may be a whole house: a device with an old password keeps out its own user at most.
    const guesser = this.#options.users.has(name) ? `${address} ${name}` : address;
    const isProven = this.#lockOut.isProven(address, name ?? ANYBODY.name);
    if (!isProven && this.#lockOut.waitMs(guesser, performance.now()) > 0) return REFUSALS.isLockedOut;
    const user = await this.#userOf(connection, name, password);
    if (!user) {
      if (this.#lockOut.wrong(guesser, performance.now())) this.#options.onLockedOut?.(address);
      return REFUSALS.isWrongLogin;
    }
    this.#lockOut.prove(address, user.name);
    const refusal = this.#refusalOf(client.id, user.name, address);
    if (refusal) return refusal;
    const { stream } = connection;
    if (stream.destroyed) return REFUSALS.isLost;
    const { id } = client;
    this.#present.set(id, { user: user.name, address, stream });
    stream.once("close", () => {
      if (this.#present.get(id)?.stream === stream) this.#present.delete(id);
    });
    this.#users.set(client, user);
    connection.admit();
    return null;
  }

  /** Why a user with the right password does not come in all the same. A client that comes back takes its own place. */
  #refusalOf(id: string, user: string, address: string): Refusal | null {
    if (this.#ownIds.has(id) || isInherited(id)) return REFUSALS.isWrongId;
    const before = this.#present.get(id);
    if (before) return before.user === user ? null : REFUSALS.isTakenId;
    const present = [...this.#present.values()];
    if (present.length >= MAX_CLIENTS) return REFUSALS.isFull;
    if (present.filter((one) => one.user === user).length >= MAX_CLIENTS_OF_USER) return REFUSALS.isFullForUser;
    const ofAddress = present.filter((one) => one.address === address).length;
    return ofAddress >= MAX_CLIENTS_OF_ADDRESS ? REFUSALS.isFullForAddress : null;
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
    const reason = this.#whyDropped(user, packet);
    if (reason === null) return true;
    const told = this.#told.get(client) ?? new Set();
    this.#told.set(client, told);
    if (!told.has(reason)) this.#options.onRefused(user?.name ?? "", packet.topic, reason);
    told.add(reason);
    return false;
  }

  #whyDropped(user: BrokerUser | undefined, packet: PublishPacket): string | null {
    if (user === undefined) return "it came before the login was over";
    if (isInherited(packet.topic)) return "the broker takes no topic of this name";
    if (!mayPublish(user, packet.topic, this.#options))
      return "only the daemon and users with commands: true may publish there";
    return packet.retain ? this.#whyNotRetained(user.name, packet) : null;
  }

  mayListen(client: Client, filter: string): boolean {
    if (!this.#connectionOf(client)) return true;
    // aedes reads on for a moment between a CONNECT and its answer.
    const user = this.#users.get(client);
    if (!user || isInherited(filter)) return false;
    // Who is logged in and what each listens to is for those who may command the house.
    if (!user.commands && filter.startsWith("$SYS")) return false;
    const filters = this.#filters.get(client) ?? new Set();
    this.#filters.set(client, filters);
    if (filters.size >= MAX_SUBSCRIPTIONS && !filters.has(filter)) return false;
    filters.add(filter);
    return true;
  }

  #whyNotRetained(user: string, { topic, payload, length }: PublishPacket): string | null {
    if (payload.length === 0) {
      this.#foreign.delete(topic);
      return null;
    }
    // With its properties; of a will only the length of its CONNECT is bounded.
    const left = { user, bytes: length ?? MAX_CONNECT_BYTES };
    const others = [...this.#foreign].flatMap(([other, one]) => (other === topic ? [] : [one]));
    const isFull = (all: readonly { readonly bytes: number }[], part: number) =>
      all.length >= MAX_FOREIGN_RETAINED * part ||
      all.reduce((sum, { bytes }) => sum + bytes, left.bytes) > MAX_FOREIGN_RETAINED_BYTES * part;
    if (isFull(others, 1)) return "the broker keeps no more retained messages of others";
    const own = others.filter((one) => one.user === user);
    if (isFull(own, PART_OF_USER)) return "the broker keeps no more retained messages of this user";
    this.#foreign.set(topic, left);
    return null;
  }
}
