/** Access rules of the embedded broker: who may log in, publish, subscribe and leave retained messages. */
import type { Duplex } from "node:stream";
import type { AedesOptions, Client, PublishPacket } from "aedes";
import { addressGroup } from "../../http/address-group.ts";
import { LoginThrottle } from "../../http/login-throttle.ts";
import { MAX_CONNECT_BYTES, type NetworkConnection } from "./network-connection.ts";
import { type BrokerUser, type BrokerUsers, mayPublish } from "./users.ts";

export interface BrokerRules {
  readonly users: BrokerUsers;
  /** Accepts any client of this machine without a login. */
  readonly anonymous: boolean;
  readonly baseTopic: string;
  readonly discoveryPrefix: string;
  /** Called when a message of a client is dropped, once per connection and reason. */
  readonly onRefused: (user: string, topic: string, reason: string) => void;
  /** Called when further logins from an address have to wait because of wrong passwords. */
  readonly onLockedOut?: (address: string) => void;
}

/** Maximum number of authenticated clients. */
const MAX_CLIENTS = 256;
/** Maximum number of clients per user and per address. All plugs may share a user, many containers an address. */
const MAX_CLIENTS_OF_USER = 192;
const MAX_CLIENTS_OF_ADDRESS = 128;
/** Maximum number of different topic filters of a client per connection. */
const MAX_SUBSCRIPTIONS = 500;
/** Longest keep-alive in seconds. It also applies to clients that announce a longer one, or none. */
export const MAX_KEEPALIVE_SEC = 3_600;
/** Limits of the retained messages of all clients except the daemon. They are kept in memory. */
const MAX_FOREIGN_RETAINED = 2_000;
const MAX_FOREIGN_RETAINED_BYTES = 4 * 1024 * 1024;
/** Share of these limits that one user may fill. */
const PART_OF_USER = 0.75;

/** Reasons for refused logins, for the log. Clients receive the return code only. */
const REFUSALS = {
  isFull: { returnCode: 3, reason: "too many clients" },
  isFullForUser: { returnCode: 3, reason: `more than ${MAX_CLIENTS_OF_USER} clients of this user` },
  isFullForAddress: { returnCode: 3, reason: `more than ${MAX_CLIENTS_OF_ADDRESS} clients of this address` },
  isLockedOut: { returnCode: 3, reason: "too many wrong passwords; try again later" },
  isLost: { returnCode: 3, reason: "the connection closed before the login finished" },
  isWrongLogin: { returnCode: 4, reason: "wrong user name or password" },
  isWrongId: { returnCode: 2, reason: "the client id belongs to the daemon or is not valid" },
  isTakenId: { returnCode: 2, reason: "another user has this client id" },
} as const;
type Refusal = (typeof REFUSALS)[keyof typeof REFUSALS];
/** Sent to clients of MQTT 5, so it reveals nothing about the installation. */
const NOT_AUTHORIZED = "not authorized";

const ANYBODY: BrokerUser = { name: "anonymous", password: "", commands: true };

type Handlers = Required<Pick<AedesOptions, "preConnect" | "authenticate" | "authorizePublish" | "authorizeSubscribe">>;

/** Returns the connection of a client; undefined for the daemon's own client. */
type ConnectionOf = (client: Client) => NetworkConnection | undefined;

/** Returns the handlers of aedes. */
export function rulesOf(options: BrokerRules, connectionOf: ConnectionOf): Handlers {
  const rules = new Rules(options, connectionOf);
  return {
    preConnect: (_client, packet, done) => {
      packet.clean = true;
      // aedes sends its limit to clients of MQTT 5, and refuses other clients above it.
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
 * Drops a message that may not be published; the broker still acknowledges it.
 * MQTT 3.1.1, 3.3.5 allows this or a disconnect. A client that retries would be disconnected without end.
 * Clients of MQTT 5 receive an error instead.
 */
function discard(packet: PublishPacket): void {
  packet.topic = "$SYS/dropped";
  packet.payload = "";
  packet.retain = false;
}

/** MQTT 5 properties of a message, not of its transfer to the broker (MQTT 5, 3.3.2.3). */
const FORWARDED = [
  "payloadFormatIndicator",
  "messageExpiryInterval",
  "contentType",
  "responseTopic",
  "correlationData",
  "userProperties",
] as const;

/**
 * Removes properties that aedes 2.0.0-beta.1 would forward and that make clients disconnect: the delay of a will, and
 * repeated properties.
 */
function cleanProperties(packet: PublishPacket): void {
  const { properties } = packet;
  if (!properties) return;
  const kept = FORWARDED.filter((name) => properties[name] !== undefined && !Array.isArray(properties[name]));
  packet.properties = Object.fromEntries(kept.map((name) => [name, properties[name]]));
}

/**
 * Returns whether every object has a property of this name.
 * aedes 2.0.0-beta.1 keeps clients and subscriptions in plain objects (GHSA-52qw-whmv-87c5, fixed in 1.1.3). A client
 * with the id `constructor` would end the process.
 */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

class Rules {
  readonly #options: BrokerRules;
  readonly #connectionOf: ConnectionOf;
  readonly #users = new WeakMap<Client, BrokerUser>();
  readonly #filters = new WeakMap<Client, Set<string>>();
  readonly #reported = new WeakMap<Client, Set<string>>();
  readonly #lockOut = new LoginThrottle();
  /** Authenticated clients by client id. Bounded by MAX_CLIENTS. */
  readonly #present = new Map<string, { readonly user: string; readonly address: string; readonly stream: Duplex }>();
  /** Client ids of the daemon itself. Another client with one of them would disconnect it. */
  readonly #ownIds = new Set<string>();
  /** User and size of retained messages of other clients, by topic. Bounded by MAX_FOREIGN_RETAINED. */
  readonly #foreign = new Map<string, { readonly user: string; readonly bytes: number }>();

  constructor(options: BrokerRules, connectionOf: ConnectionOf) {
    this.#options = options;
    this.#connectionOf = connectionOf;
  }

  /** Returns why a login is refused; null if it is accepted. */
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
    // A whole home may share one address. A device with an old password locks out only its own user.
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

  /**
   * Returns why a user with the right password is refused; null if accepted.
   * A client that reconnects replaces its earlier connection.
   */
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
    const reported = this.#reported.get(client) ?? new Set();
    this.#reported.set(client, reported);
    if (!reported.has(reason)) this.#options.onRefused(user?.name ?? "", packet.topic, reason);
    reported.add(reason);
    return false;
  }

  #whyDropped(user: BrokerUser | undefined, packet: PublishPacket): string | null {
    if (user === undefined) return "it arrived before the login finished";
    if (isInherited(packet.topic)) return "the broker does not accept this topic name";
    if (!mayPublish(user, packet.topic, this.#options))
      return "only the daemon and users with commands: true may publish there";
    return packet.retain ? this.#whyNotRetained(user.name, packet) : null;
  }

  mayListen(client: Client, filter: string): boolean {
    if (!this.#connectionOf(client)) return true;
    // aedes reads further packets between a CONNECT and its answer.
    const user = this.#users.get(client);
    if (!user || isInherited(filter)) return false;
    // `$SYS` reveals clients and their subscriptions, so it is limited to users with `commands`.
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
    // Includes the properties. For a will, only the length of its CONNECT is bounded.
    const left = { user, bytes: length ?? MAX_CONNECT_BYTES };
    const others = [...this.#foreign].flatMap(([other, one]) => (other === topic ? [] : [one]));
    const isFull = (all: readonly { readonly bytes: number }[], part: number) =>
      all.length >= MAX_FOREIGN_RETAINED * part ||
      all.reduce((sum, { bytes }) => sum + bytes, left.bytes) > MAX_FOREIGN_RETAINED_BYTES * part;
    if (isFull(others, 1)) return "the broker has reached its limit of retained messages from clients";
    const own = others.filter((one) => one.user === user);
    if (isFull(own, PART_OF_USER)) return "this user has reached the limit of retained messages";
    this.#foreign.set(topic, left);
    return null;
  }
}
