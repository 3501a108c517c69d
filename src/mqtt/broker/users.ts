/** Users of the embedded broker: who they are, and what they may publish. */
import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

export interface BrokerUser {
  readonly name: string;
  /** As it is, or as `hashPassword` made it. */
  readonly password: string;
  /** Whether this user may command the house. */
  readonly commands: boolean;
}

/** 16 MB and about 50 ms a login on a small machine. Source: the parameters of Node's own default. */
const COST = { N: 2 ** 14, r: 8, p: 1 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const derive = promisify<string | Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);
const HASHED = /^\$scrypt\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;
/**
 * Logins that wait for a hash to be computed. They are computed one by one, since each needs 16 MB, and the one that
 * came last first: guesses that pile up do not keep out somebody who comes once.
 */
const MAX_WAITING = 16;

/** A password as it may stand in the configuration without being readable there. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return `$scrypt$${salt.toString("base64")}$${(await derive(password, salt, HASH_BYTES, COST)).toString("base64")}`;
}

interface Login {
  readonly check: () => Promise<boolean>;
  readonly resolve: (fits: boolean) => void;
  readonly reject: (error: unknown) => void;
}

export class BrokerUsers {
  readonly #users: readonly BrokerUser[];
  /** Passwords that fitted a hash, as digests: a client that comes back does not cost 50 ms again. One per user. */
  readonly #proven = new Map<string, Buffer>();
  /** Shape: who waits longest first. Bounded by MAX_WAITING. */
  readonly #waiting: Login[] = [];
  #isComputing = false;

  constructor(users: readonly BrokerUser[]) {
    this.#users = users;
  }

  /** Whether there is a user of this name. */
  has(name: string | undefined): boolean {
    return this.#users.some((one) => one.name === name);
  }

  /** The user of this name and password; null if there is none. Takes as long for an unknown name as for a known one. */
  async find(name: string | undefined, password: Buffer | undefined): Promise<BrokerUser | null> {
    if (name === undefined || password === undefined) return null;
    const given = digest(password);
    const user = this.#users.find((one) => one.name === name) ?? this.#users[0];
    if (!user) return null;
    const fits = await this.#fits(user, password, given);
    return fits && user.name === name ? user : null;
  }

  async #fits(user: BrokerUser, password: Buffer, given: Buffer): Promise<boolean> {
    const hashed = HASHED.exec(user.password);
    if (!hashed) return timingSafeEqual(given, digest(user.password));
    const proven = this.#proven.get(user.name);
    if (proven && timingSafeEqual(given, proven)) return true;
    const fits = await this.#inTurn(() => fitsHash(password, hashed[1] ?? "", hashed[2] ?? ""));
    if (fits) this.#proven.set(user.name, given);
    return fits;
  }

  #inTurn(check: () => Promise<boolean>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ check, resolve, reject });
      if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()?.resolve(false);
      if (!this.#isComputing) void this.#compute();
    });
  }

  async #compute(): Promise<void> {
    this.#isComputing = true;
    for (let login = this.#waiting.pop(); login; login = this.#waiting.pop()) {
      await login.check().then(login.resolve, login.reject);
    }
    this.#isComputing = false;
  }
}

/** Where a topic stands to a house: who may publish to it differs. */
export interface Ground {
  readonly baseTopic: string;
  readonly discoveryPrefix: string;
}

/**
 * Whether a user may publish to a topic. The house's own topics and the discovery documents are read only; commands
 * are for those who may; Home Assistant's birth and whatever else runs over this broker is free.
 */
export function mayPublish({ commands }: { readonly commands: boolean }, topic: string, ground: Ground): boolean {
  const { baseTopic, discoveryPrefix } = ground;
  if (topic.startsWith("$")) return false;
  if (topic === `${discoveryPrefix}/status`) return true;
  if (isPlugsAnswer(topic, baseTopic)) return true;
  if (topic === baseTopic || topic.startsWith(`${baseTopic}/`)) {
    return commands && (topic.endsWith("/set") || topic.startsWith(`${baseTopic}/command/`));
  }
  return topic !== discoveryPrefix && !topic.startsWith(`${discoveryPrefix}/`);
}

/** A plug of Shelly's answers the daemon below the topic that the daemon called itself by. */
function isPlugsAnswer(topic: string, baseTopic: string): boolean {
  return topic.startsWith(`${baseTopic}/plug/`) && topic.endsWith("/rpc");
}

async function fitsHash(password: Buffer, salt: string, hash: string): Promise<boolean> {
  const expected = Buffer.from(hash, "base64");
  if (expected.length !== HASH_BYTES) return false;
  return timingSafeEqual(await derive(password, Buffer.from(salt, "base64"), HASH_BYTES, COST), expected);
}

function digest(password: Buffer | string): Buffer {
  return createHash("sha256").update(password).digest();
}
