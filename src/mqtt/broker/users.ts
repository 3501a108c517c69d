/** Users of the embedded broker and their permission to publish. */
import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

export interface BrokerUser {
  readonly name: string;
  /** Plain text, or a hash made by `hashPassword`. */
  readonly password: string;
  /** Whether this user may send commands to the daemon. */
  readonly commands: boolean;
}

/** Parameters of scrypt, the defaults of Node: 16 MB and about 50 ms for each login on a small machine. */
const COST = { N: 2 ** 14, r: 8, p: 1 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const derive = promisify<string | Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);
/** Salt and hash of no password, computed for names without a hash. */
const DECOY = [SALT_BYTES, HASH_BYTES].map((bytes) => randomBytes(bytes).toString("base64"));
const HASHED = /^\$scrypt\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;
/**
 * Maximum number of logins that wait for their hash. Hashes are computed one at a time, since each needs 16 MB.
 * The newest login is computed first, so that many guesses do not keep out a single login.
 */
const MAX_WAITING = 16;

/** Returns a hash of a password for the configuration. */
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
  /** SHA-256 digests of passwords that matched a hash, by user. A reconnect does not cost 50 ms again. */
  readonly #proven = new Map<string, Buffer>();
  /** Oldest first. Bounded by MAX_WAITING. */
  readonly #waiting: Login[] = [];
  #isComputing = false;

  constructor(users: readonly BrokerUser[]) {
    this.#users = users;
  }

  /** Returns whether a user has this name. */
  has(name: string | undefined): boolean {
    return this.#users.some((one) => one.name === name);
  }

  /**
   * Returns the user with this name and password; null if not found.
   * If any user has a hash, every wrong login computes one, so that the time does not reveal which names exist.
   */
  async find(name: string | undefined, password: Buffer | undefined): Promise<BrokerUser | null> {
    if (name === undefined || password === undefined) return null;
    const given = digest(password);
    const user = this.#users.find((one) => one.name === name) ?? null;
    return (await this.#fits(user, password, given)) ? user : null;
  }

  async #fits(user: BrokerUser | null, password: Buffer, given: Buffer): Promise<boolean> {
    const hashed = HASHED.exec(user?.password ?? "")?.slice(1);
    const known = hashed ? this.#proven.get(user?.name ?? "") : digest(user?.password ?? "");
    if (known && timingSafeEqual(given, known) && user) return true;
    if (!this.#users.some((one) => HASHED.test(one.password))) return false;
    const [salt = "", hash = ""] = hashed ?? DECOY;
    const fits = await this.#inTurn(() => fitsHash(password, salt, hash));
    if (fits && user) this.#proven.set(user.name, given);
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

/** Topic prefixes that decide who may publish. */
export interface Ground {
  readonly baseTopic: string;
  readonly discoveryPrefix: string;
}

/**
 * Returns whether a user may publish to a topic.
 * The daemon's own topics and the discovery documents are read-only. Command topics require `commands`.
 * Home Assistant's birth topic and all unrelated topics are open to every user.
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

/**
 * Returns whether a topic is an RPC response of a Shelly plug, which it sends to the daemon's `src` topic and `/rpc`.
 */
function isPlugsAnswer(topic: string, baseTopic: string): boolean {
  return topic.startsWith(`${baseTopic}/plug/`) && topic.endsWith("/rpc");
}

async function fitsHash(password: Buffer, salt: string, hash: string): Promise<boolean> {
  const expected = Buffer.from(hash, "base64");
  const found = await derive(password, Buffer.from(salt, "base64"), HASH_BYTES, COST);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function digest(password: Buffer | string): Buffer {
  return createHash("sha256").update(password).digest();
}
