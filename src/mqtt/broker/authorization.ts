/** Access rules of the embedded broker: who may log in, publish, subscribe and leave retained messages. */
import type { Duplex } from "node:stream";
import type { AedesOptions, AedesPublishPacket, Client, PublishPacket } from "aedes";
import { addressGroup } from "../../http/guards/address-group.ts";
import { LoginThrottle } from "../../http/guards/login-throttle.ts";
import { forwardNonEmpty } from "./broker-memory.ts";
import { ClientRetained } from "./client-retained.ts";
import { MAX_CONNECT_BYTES, type NetworkConnection } from "./network-connection.ts";
import { type BrokerUser, type BrokerUsers, mayPublish } from "./users.ts";

export interface BrokerRules {
  readonly users: BrokerUsers;
  /** Accepts any client of this machine without a login. */
  readonly anonymous: boolean;
  readonly baseTopic: string;
  readonly discoveryPrefix: string;
  /** Called when a message or subscription of a client is refused, once per connection and reason. */
  readonly onRefused: (user: string, topic: string, reason: string) => void;
  /** Called when further logins from an address have to wait because of wrong passwords. */
  readonly onLockedOut?: (address: string) => void;
}

/** Maximum number of authenticated clients. */
const MAX_CLIENTS = 256;
/** Maximum number of clients per user and per address. All plugs may share a user, many containers an address. */
const MAX_CLIENTS_OF_USER = 192;
const MAX_CLIENTS_OF_ADDRESS = 128;
/** Maximum number of different topic filters of a client per connection. Home Assistant has one for almost each entity. */
const MAX_SUBSCRIPTIONS = 10_000;
/** Longest keep-alive in seconds. It also applies to clients that announce a longer one, or none. */
export const MAX_KEEPALIVE_SEC = 3_600;
/** Names with a wrong password from one address, after which new names have to wait. */
const FREE_NAMES = 20;
/** Longest wait of a user who was right from this address before: a device with the right password gets in soon. */
const MAX_PROVEN_WAIT_MS = 2_000;

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
export const NOT_AUTHORIZED = "not authorized";

const ANYBODY: BrokerUser = { name: "anonymous", password: "", commands: true };

type Handlers = Required<
  Pick<AedesOptions, "preConnect" | "authenticate" | "authorizePublish" | "authorizeSubscribe" | "authorizeForward">
>;

/** Returns the connection of a client; undefined for the daemon's own client. */
type ConnectionOf = (client: Client) => NetworkConnection | undefined;

/** Returns the handlers of aedes. */
export function rulesOf(options: BrokerRules, connectionOf: ConnectionOf): Handlers {
  return new Rules(options, connectionOf);
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
  const names = FORWARDED.filter((name) => properties[name] !== undefined && !Array.isArray(properties[name]));
  packet.properties = Object.fromEntries(names.map((name) => [name, properties[name]]));
}

/**
 * Returns whether every object has a property of this name.
 * aedes 2.0.0-beta.1 keeps clients and subscriptions in plain objects (GHSA-52qw-whmv-87c5, fixed in 1.1.3). A client
 * with the id `constructor` would end the process.
 */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/** Fixed header, message id and lengths of topic and properties. */
const MAX_HEADER_BYTES = 16;

/** Returns an upper bound of the size of a message: properties in JSON are longer than in MQTT. */
function sizeOf({ topic, payload, properties }: AedesPublishPacket): number {
  const ofProperties = properties === undefined ? 0 : Buffer.byteLength(JSON.stringify(properties));
  return MAX_HEADER_BYTES + Buffer.byteLength(topic) + Buffer.byteLength(payload) + ofProperties;
}

class Rules implements Handlers {
  readonly #options: BrokerRules;
  readonly #connectionOf: ConnectionOf;
  readonly #users = new WeakMap<Client, BrokerUser>();
  readonly #filters = new WeakMap<Client, Set<string>>();
  readonly #reported = new WeakMap<Client, Set<string>>();
  /** Wrong passwords by address and name. */
  readonly #lockOut = new LoginThrottle();
  /** Names with wrong passwords, by address. */
  readonly #guessedNames = new LoginThrottle(FREE_NAMES);
  /** Authenticated clients by client id. Bounded by MAX_CLIENTS. */
  readonly #present = new Map<string, { readonly user: string; readonly address: string; readonly stream: Duplex }>();
  /** Client ids of the daemon itself. Another client with one of them would disconnect it. */
  readonly #ownIds = new Set<string>();
  readonly #retained = new ClientRetained();
  /** Maximum Packet Size of clients of MQTT 5, which aedes 2.0.0-beta.1 ignores. */
  readonly #maxPacketBytes = new WeakMap<Client, number>();

  constructor(options: BrokerRules, connectionOf: ConnectionOf) {
    this.#options = options;
    this.#connectionOf = connectionOf;
  }

  readonly preConnect: Handlers["preConnect"] = (client, packet, done) => {
    // Without a client id, aedes refuses a session that shall last (MQTT 3.1.1, 3.1.3.1).
    if (packet.clientId !== "" || packet.protocolVersion === 5) packet.clean = true;
    const maxBytes = packet.properties?.maximumPacketSize;
    if (maxBytes !== undefined) this.#maxPacketBytes.set(client, maxBytes);
    // aedes sends its limit to clients of MQTT 5, and refuses other clients above it.
    if (packet.protocolVersion !== 5)
      packet.keepalive = Math.min(packet.keepalive || MAX_KEEPALIVE_SEC, MAX_KEEPALIVE_SEC);
    done(null, true);
  };

  readonly authenticate: Handlers["authenticate"] = (client, name, password, done) => {
    const refuse = ({ returnCode, reason }: Refusal) => {
      this.#connectionOf(client)?.refuse(reason, name ?? null);
      done(Object.assign(new Error("refused"), { returnCode }), false);
    };
    this.#login(client, name, password).then(
      (refusal) => (refusal === null ? done(null, true) : refuse(refusal)),
      () => refuse(REFUSALS.isLost),
    );
  };

  readonly authorizePublish: Handlers["authorizePublish"] = (client, packet, done) => {
    if (client === null || !this.#connectionOf(client)) return done(null);
    cleanProperties(packet);
    const reason = this.#whyDropped(this.#users.get(client), packet);
    if (reason === null) return done(null);
    this.#report(client, packet.topic, reason);
    if (client.version === 5) return done(new Error(NOT_AUTHORIZED));
    discard(packet);
    done(null);
  };

  /** Leaves out a message that is larger than its client accepts (MQTT 5, 3.1.2.11.4). */
  readonly authorizeForward: Handlers["authorizeForward"] = (client, packet) => {
    const maxBytes = this.#maxPacketBytes.get(client);
    if (maxBytes === undefined || sizeOf(packet) <= maxBytes) return forwardNonEmpty(client, packet);
    this.#report(client, packet.topic, `the client accepts packets of at most ${maxBytes} bytes`);
    return null;
  };

  readonly authorizeSubscribe: Handlers["authorizeSubscribe"] = (client, subscription, done) => {
    const reason = this.#connectionOf(client) ? this.#whyNotListened(client, subscription.topic) : null;
    if (reason !== null) this.#report(client, subscription.topic, reason);
    done(null, reason === null ? subscription : null);
  };

  /** Returns why a login is refused; null if it is accepted. */
  async #login(
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
    const now = performance.now();
    // A whole home may share one address. A device with an old password locks out only its own user.
    const guesser = `${address} ${name ?? ""}`;
    if (this.#waitMs(address, name ?? ANYBODY.name, guesser, now) > 0) return REFUSALS.isLockedOut;
    const user = await this.#userOf(connection, name, password);
    if (!user) {
      this.#onWrong(address, guesser, now);
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
    connection.admit(user.name);
    return null;
  }

  /** Unknown names wait exactly as known ones do, so that a wait does not reveal which names exist. */
  #waitMs(address: string, name: string, guesser: string, now: number): number {
    if (this.#lockOut.isProven(address, name)) return this.#lockOut.waitMs(guesser, now, MAX_PROVEN_WAIT_MS);
    return Math.max(this.#lockOut.waitMs(guesser, now), this.#guessedNames.waitMs(address, now));
  }

  #onWrong(address: string, guesser: string, now: number): void {
    const isFirst = !this.#lockOut.knows(guesser);
    const isLocked = this.#lockOut.wrong(guesser, now);
    const areLocked = isFirst && this.#guessedNames.wrong(address, now);
    if (isLocked || areLocked) this.#options.onLockedOut?.(address);
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

  /** Reports a refused message or subscription, once per connection and reason. */
  #report(client: Client, topic: string, reason: string): void {
    const reported = this.#reported.get(client) ?? new Set();
    this.#reported.set(client, reported);
    if (!reported.has(reason)) this.#options.onRefused(this.#users.get(client)?.name ?? "", topic, reason);
    reported.add(reason);
  }

  #whyDropped(user: BrokerUser | undefined, packet: PublishPacket): string | null {
    if (user === undefined) return "it arrived before the login finished";
    if (isInherited(packet.topic)) return "the broker does not accept this topic name";
    if (!mayPublish(user, packet, this.#options))
      return "only the daemon and users with commands: true may publish there";
    if (!packet.retain) return null;
    // The length includes the properties. For a will, only the length of its CONNECT is bounded.
    const bytes = packet.payload.length === 0 ? 0 : (packet.length ?? MAX_CONNECT_BYTES);
    return this.#retained.take(user.name, packet.topic, bytes);
  }

  #whyNotListened(client: Client, filter: string): string | null {
    // aedes reads further packets between a CONNECT and its answer.
    const user = this.#users.get(client);
    if (!user) return "it arrived before the login finished";
    if (isInherited(filter)) return "the broker does not accept this topic name";
    // `$SYS` reveals clients and their subscriptions, so it is limited to users with `commands`.
    if (!user.commands && filter.startsWith("$SYS")) return "only users with commands: true may subscribe to $SYS";
    const filters = this.#filters.get(client) ?? new Set();
    this.#filters.set(client, filters);
    if (filters.size >= MAX_SUBSCRIPTIONS && !filters.has(filter))
      return `more than ${MAX_SUBSCRIPTIONS} subscriptions`;
    filters.add(filter);
    return null;
  }
}
