/** Users of the embedded broker and their permission to publish. */
import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { deviceId } from "../homeassistant/device-id.ts";

export interface BrokerUser {
  readonly name: string;
  /** Plain text, or a hash made by `hashPassword`. */
  readonly password: string;
  /** Whether this user may send commands to the daemon. */
  readonly commands: boolean;
}

/**
 * Parameters of scrypt for new hashes: 16 MB, and about 250 ms on a small machine.
 * Source: OWASP Password Storage Cheat Sheet, scrypt: "N=2^14 (16 MiB), r=8 (1024 bytes), p=5".
 */
const COST = { N: 2 ** 14, r: 8, p: 5 };
/** Parameters of hashes that name none. */
const FIRST_COST = { ...COST, p: 1 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const derive = promisify<string | Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);
const PARAMETERS = `ln=14,r=${COST.r},p=${COST.p}`;
const HASHED = /^\$scrypt\$(?:(ln=14,r=8,p=5)\$)?([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;
/** Maximum number of hashes that are computed at a time, since each needs 16 MB. */
const MAX_COMPUTING = 2;
/** Maximum number of logins that wait. The newest is next, so that many guesses do not keep out a single login. */
const MAX_WAITING = 16;

/** Returns a hash of a password for the configuration. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return `$scrypt$${PARAMETERS}$${salt.toString("base64")}$${(await derive(password, salt, HASH_BYTES, COST)).toString("base64")}`;
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
  #computing = 0;
  /** Hash that is computed for names without one. It is as expensive as that of a user. */
  readonly #decoy: Hash | undefined;

  constructor(users: readonly BrokerUser[]) {
    this.#users = users;
    const [hash] = users.flatMap(({ password }) => hashIn(password) ?? []);
    this.#decoy = hash && { ...hash, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
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
    const sent = digest(password);
    const user = this.#users.find((one) => one.name === name) ?? null;
    return (await this.#fits(user, password, sent)) ? user : null;
  }

  async #fits(user: BrokerUser | null, password: Buffer, given: Buffer): Promise<boolean> {
    const hashed = hashIn(user?.password ?? "");
    const known = hashed ? this.#proven.get(user?.name ?? "") : digest(user?.password ?? "");
    if (known && timingSafeEqual(given, known) && user) return true;
    const compared = hashed ?? this.#decoy;
    if (!compared) return false;
    const fits = await this.#inTurn(() => fitsHash(password, compared));
    if (fits && user) this.#proven.set(user.name, given);
    return fits;
  }

  #inTurn(check: () => Promise<boolean>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ check, resolve, reject });
      if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()?.resolve(false);
      if (this.#computing < MAX_COMPUTING) void this.#compute();
    });
  }

  async #compute(): Promise<void> {
    this.#computing++;
    for (let login = this.#waiting.pop(); login; login = this.#waiting.pop()) {
      await login.check().then(login.resolve, login.reject);
    }
    this.#computing--;
  }
}

/** Topic prefixes that decide who may publish. */
export type Ground = { readonly baseTopic: string; readonly discoveryPrefix: string };

/**
 * Returns whether a user may publish to a topic.
 * The daemon's own topics and discovery documents are read-only. Command topics require `commands`. So does the removal
 * of a discovery document, which is how Home Assistant deletes a device. All other topics are open to every user.
 */
export function mayPublish(
  { commands }: { readonly commands: boolean },
  { topic, payload }: { readonly topic: string; readonly payload: string | Buffer },
  ground: Ground,
): boolean {
  const { baseTopic } = ground;
  if (topic.startsWith("$")) return false;
  // A Shelly plug sends its RPC responses to the daemon's `src` topic and `/rpc`.
  if (topic.startsWith(`${baseTopic}/plug/`) && topic.endsWith("/rpc")) return true;
  if (topic === baseTopic || topic.startsWith(`${baseTopic}/`)) {
    return commands && (topic.endsWith("/set") || topic.startsWith(`${baseTopic}/command/`));
  }
  return !isOwnDocument(topic, ground) || (commands && payload.length === 0);
}

/** Returns whether a topic is that of one of the daemon's own discovery documents. */
function isOwnDocument(topic: string, { baseTopic, discoveryPrefix }: Ground): boolean {
  const documents = `${discoveryPrefix}/device/`;
  if (!topic.startsWith(documents)) return false;
  const id = topic.slice(documents.length);
  const own = deviceId(baseTopic, null);
  return id.startsWith(`${own}/`) || id.startsWith(`${own}_`);
}

type Hash = { readonly salt: Buffer; readonly hash: Buffer; readonly cost: typeof COST };

/** Returns the hash in the password of a user; null if it is a plain text. */
function hashIn(password: string): Hash | null {
  const [whole, parameters, salt = "", hash = ""] = HASHED.exec(password) ?? [];
  if (whole === undefined) return null;
  const cost = parameters === undefined ? FIRST_COST : COST;
  return { salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64"), cost };
}

async function fitsHash(password: Buffer, { salt, hash, cost }: Hash): Promise<boolean> {
  const found = await derive(password, salt, HASH_BYTES, cost);
  return found.length === hash.length && timingSafeEqual(found, hash);
}

function digest(password: Buffer | string): Buffer {
  return createHash("sha256").update(password).digest();
}
