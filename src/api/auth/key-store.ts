/** Keys of the LAN API, from the configuration and from the key file, and the quota that they have used. */
import type { CommandHint } from "../../config/command-hint.ts";
import type { Config } from "../../config/schema/schema.ts";
import { message } from "../../core/language/text.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import type { Problems } from "../../core/status/problem.ts";
import { isSameName } from "../../core/text/key-name.ts";
import { type EpochMs, SECOND_MS } from "../../core/time/interval.ts";
import type { QuotaLimits } from "../../http/quota-windows.ts";
import { thirdPartyToken } from "../../service/third-party-token.ts";
import { type KeptKey, KeyFile } from "../../storage/api-key-file.ts";
import { type ApiKey, ApiKeys, keyDigest } from "./api-keys.ts";
import { KeyRateLimit } from "./key-rate-limit.ts";
import { isLoopbackHost } from "./require-key.ts";

/** Minimum time between two checks of the key file, which are made at requests. */
const CHECK_EVERY_MS = 0.4 * SECOND_MS;
/** Length in characters below which a key is probably a word. */
const SHORT_KEY = 16;
const PROBLEM_SUBJECT = "keys";

type ApiConfig = Config["api"];

export interface KeyStoreOptions {
  readonly config: Pick<Config, "api" | "data_dir">;
  readonly clock: Clock;
  readonly problems: Problems;
  /** Whether Home Assistant forwards requests of its users. Then no key is needed. */
  readonly ingress?: boolean;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
  readonly commandHint: CommandHint;
}

export interface KeyStore {
  readonly keys: ApiKeys;
  readonly configure: (api: ApiConfig) => void;
  /** Returns the day of a key's last use since the start; null without one. */
  readonly lastUse: (name: string) => EpochMs | null;
}

/** Opens the store of all keys. It also finds keys that are added while the daemon runs. */
export function openKeyStore({
  config,
  clock,
  problems,
  log,
  commandHint,
  ingress = false,
}: KeyStoreOptions): KeyStore {
  const { api, data_dir } = config;
  let limits = defaultLimits(api);
  const ring = new KeyRing(configuredKeys(api), new KeyFile(data_dir), { clock, problems, log });
  const quota = new KeyRateLimit();
  if (ring.keys().length === 0 && !ingress)
    log.warn({}, `the API has no key, so it rejects all requests; create one: ${commandHint("keys create NAME")}`);
  const pairs = (api.third_party_keys ?? []).map(({ name, api_secret: key }) => ({ name, key }));
  for (const { name, key } of isLoopbackHost(api.host) ? [] : [...api.keys, ...pairs])
    if (key.length < SHORT_KEY)
      log.warn(
        { name },
        `an API key is short enough to be guessed; create a long one: ${commandHint("keys create NAME")}`,
      );
  return {
    keys: new ApiKeys(
      () => ring.keys(),
      () => limits,
      quota,
      (address) => log.warn({ address }, "repeated wrong API keys; requests from these addresses are delayed"),
    ),
    configure(next) {
      limits = defaultLimits(next);
      ring.configure(configuredKeys(next));
    },
    lastUse: (name) => quota.lastUse(name),
  };
}

/** Keys of the configuration and of the current key file. */
class KeyRing {
  #configured: readonly ApiKey[];
  #kept: readonly ApiKey[] = [];
  #all: readonly ApiKey[];
  readonly #file: KeyFile;
  readonly #deps: Pick<KeyStoreOptions, "clock" | "problems" | "log">;
  /** Digests by name of the stored keys; null before the first check. */
  #known: ReadonlyMap<string, string> | null = null;
  #stamp: string | null = null;
  #checkedAt: EpochMs;

  constructor(
    configured: readonly ApiKey[],
    file: KeyFile,
    parts: Pick<KeyStoreOptions, "clock" | "problems" | "log">,
  ) {
    this.#configured = configured;
    this.#all = configured;
    this.#file = file;
    this.#deps = parts;
    this.#checkedAt = parts.clock.now();
    this.#check();
    this.#known ??= new Map();
  }

  configure(configured: readonly ApiKey[]): void {
    this.#configured = configured;
    this.#join();
  }

  keys(): readonly ApiKey[] {
    const now = this.#deps.clock.now();
    if (Math.abs(now - this.#checkedAt) >= CHECK_EVERY_MS) {
      this.#checkedAt = now;
      this.#check();
    }
    return this.#all;
  }

  /** Reads the key file if it has changed. If it is unreadable, known keys stay: a typing error locks nobody out. */
  #check(): void {
    const stamp = this.#file.stamp;
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    const { clock, problems } = this.#deps;
    const reading = this.#file.read();
    if (reading.kind === "keys") {
      this.#report(reading.keys);
      this.#kept = reading.keys.map(lanKeyOf);
      this.#join();
      problems.end(PROBLEM_SUBJECT);
      return;
    }
    problems.start({
      code: "keys_unreadable",
      subject: PROBLEM_SUBJECT,
      since: clock.now(),
      names: { file: this.#file.path },
      detail: message("start.failed", { what: this.#file.path, why: reading.why }),
    });
  }

  /** The names of configured keys are taken: a made key with one of them is not valid. */
  #join(): void {
    const isTaken = ({ name }: ApiKey) => this.#configured.some((key) => isSameName(key.name, name));
    this.#all = [...this.#configured, ...this.#kept.filter((key) => !isTaken(key))];
    const taken = this.#kept.filter(isTaken).map(({ name }) => name);
    if (taken.length > 0) this.#deps.log.warn({ keys: taken }, "keys with the name of a configured key are not valid");
  }

  #report(keys: readonly KeptKey[]): void {
    const [before, after] = [this.#known, new Map(keys.map(({ name, sha256 }) => [name, sha256]))];
    this.#known = after;
    if (!before) return;
    const [known, present] = [[...before.keys()], [...after.keys()]];
    const changes = {
      created: present.filter((name) => !before.has(name)),
      replaced: present.filter((name) => before.has(name) && before.get(name) !== after.get(name)),
      revoked: known.filter((name) => !after.has(name)),
    };
    const facts = Object.fromEntries(Object.entries(changes).filter(([, each]) => each.length > 0));
    if (Object.keys(facts).length > 0) this.#deps.log.info(facts, "keys changed");
  }
}

function defaultLimits(api: ApiConfig): QuotaLimits {
  return { minute: api.requests_per_minute, day: api.requests_per_day };
}

function configuredKeys(api: ApiConfig): ApiKey[] {
  const bearers = api.keys.map((entry) => ({
    name: entry.name,
    sha256: keyDigest(entry.key),
    ...permissionsOf(entry.scopes),
    limits: limitsOf(entry),
  }));
  const pairs = (api.third_party_keys ?? []).map((entry) => ({
    name: entry.name,
    sha256: pairDigest({ apiKey: entry.api_key, apiSecret: entry.api_secret }, entry.hash_encoding),
    isThirdParty: true,
    limits: limitsOf(entry),
  }));
  return [...bearers, ...pairs];
}

export function pairDigest(
  pair: { readonly apiKey: string; readonly apiSecret: string },
  encoding: "hex" | "base64",
): Uint8Array {
  return keyDigest(thirdPartyToken(pair, encoding));
}

function lanKeyOf(stored: KeptKey): ApiKey {
  return {
    name: stored.name,
    sha256: Buffer.from(stored.sha256, "hex"),
    ...permissionsOf(stored.scopes),
    isThirdParty: stored.kind === "third_party",
    isRandom: true,
    limits: limitsOf(stored),
  };
}

/** An admin may also control. */
function permissionsOf(scopes: readonly string[] = []): Pick<ApiKey, "control" | "admin"> {
  const admin = scopes.includes("admin");
  return { control: admin || scopes.includes("control"), admin };
}

type LimitedEntry = Partial<Record<"requests_per_minute" | "requests_per_day", number | undefined>>;

function limitsOf(entry: LimitedEntry): NonNullable<ApiKey["limits"]> {
  return { minute: entry.requests_per_minute, day: entry.requests_per_day };
}
