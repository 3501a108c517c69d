/** Reads the configuration again while the daemon runs. Some keys apply at once, others after a restart. */
import { isDeepStrictEqual } from "node:util";
import { keys } from "../config/keys.ts";
import type { Config } from "../config/schema.ts";
import type { Problems } from "../core/status/problem.ts";
import { asStartError } from "../core/status/start-error.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { Listeners } from "./change-bus.ts";

/** Changed keys between two configurations. */
export interface ConfigChange {
  /** Applied at once. */
  readonly live: readonly string[];
  /** Applied after a restart. */
  readonly later: readonly string[];
}

/** Keys that apply at once. `api.host` and `api.port` need a restart; other `api` keys apply at once. */
const LIVE =
  /^(log\.level|plans|groups|plugs|homes|levels(\..+)?|notify(\..+)?|api\.(?!host$|port$).+|third_party\.(?!places$).+)$/;

/** Also apply at once, unless the accounts come from another folder: then all of them change. */
const LIVE_ACCOUNTS = /^(consumer(\..+)?|accounts)$/;

/** Keys of the service. Its data belongs to it, so the daemon starts again by itself when they change. */
const OF_SERVICE = /^service\.(base_url|ca)$/;

/** A new certificate applies at once. A server that begins or ends to use TLS needs a restart. */
const TLS = /^(api|broker)\.tls(\.|$)/;

function hasTls(server: "api" | "broker", before: Config, after: Config): boolean {
  return before[server].tls !== undefined && after[server].tls !== undefined;
}

function withTls<Section extends Config["api"] | Config["broker"]>(
  { tls: _, ...section }: Section,
  tls: Section["tls"],
) {
  return { ...section, ...(tls && { tls }) } as Section;
}

/** Returns whether the accounts of two configurations come from the same folder, or both from the configuration. */
function hasSameFolder(before: Config, after: Config): boolean {
  return before.accounts_dir === after.accounts_dir && isDeepStrictEqual(before.shard, after.shard);
}

/** Returns the keys of a section, or the section itself if it has none, of which a change needs a restart. */
export function restartKeysOf(section: string): string[] {
  return keys
    .filter(({ path, kind }) => path[0] === section && kind !== "section")
    .map(({ path }) => path.join("."))
    .filter((key) => !LIVE.test(key) && !LIVE_ACCOUNTS.test(key));
}

/** Returns the changed keys, as in the file and in its order. A list is one key. */
export function changeBetween(before: Config, after: Config): ConfigChange {
  const leaves = keys.filter(({ kind }) => kind !== "section").map(({ path }) => path);
  const changed = Object.keys({ ...before, ...after }).flatMap((section) => {
    if (isDeepStrictEqual(valueAt(before, [section]), valueAt(after, [section]))) return [];
    if ([before, after].some((each) => Array.isArray(valueAt(each, [section])))) return [section];
    const below = leaves.filter(
      (path) => path[0] === section && !isDeepStrictEqual(valueAt(before, path), valueAt(after, path)),
    );
    return below.length > 0 ? below.map((path) => path.join(".")) : [section];
  });
  const areSame = hasSameFolder(before, after);
  const isLive = (key: string) => {
    const [, server] = TLS.exec(key) ?? [];
    if (server) return hasTls(server as "api" | "broker", before, after);
    return LIVE.test(key) || (areSame && LIVE_ACCOUNTS.test(key));
  };
  return { live: changed.filter(isLive), later: changed.filter((key) => !isLive(key)) };
}

/** Returns the configuration in use after a change: new values of the keys that apply at once, old values elsewhere. */
export function takenOver(before: Config, after: Config): Config {
  const { host, port } = before.api;
  const { log, plans, groups, plugs, homes, levels, notify, consumer, accounts } = after;
  const files = hasSameFolder(before, after) ? { consumer, ...(accounts ? { accounts } : {}) } : {};
  const level = { ...before.log, level: log.level };
  return {
    ...before,
    log: level,
    plans,
    groups,
    plugs,
    homes,
    levels,
    notify,
    third_party: thirdPartyOf(before, after),
    api: withTls({ ...after.api, host, port }, (hasTls("api", before, after) ? after : before).api.tls),
    broker: withTls(before.broker, (hasTls("broker", before, after) ? after : before).broker.tls),
    ...files,
  };
}

/** Returns the third-party account with its new key and the previous places. */
function thirdPartyOf({ third_party: before }: Config, { third_party: after }: Config): Config["third_party"] {
  if (!before && !after) return undefined;
  return { hash_encoding: "hex", ...after, places: before?.places ?? [] };
}

const SUBJECT = "configuration";

export interface ConfigReloadDeps {
  readonly clock: { now(): EpochMs };
  readonly problems: Pick<Problems, "start" | "end">;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
}

/** The configuration in use, and its replacement. */
export class ConfigReload {
  #used: Config;
  #later: readonly string[] = [];
  readonly #deps: ConfigReloadDeps;
  readonly #check: (next: Config) => void;
  /** Called with every new configuration that passed the check. */
  readonly applied: Listeners<Config> = new Listeners();

  /** `check` throws a StartError for a configuration that must not be used. */
  constructor(used: Config, deps: ConfigReloadDeps, check: (next: Config) => void) {
    this.#used = used;
    this.#deps = deps;
    this.#check = check;
  }

  get used(): Config {
    return this.#used;
  }

  /** Whether the service has changed, so that the daemon has to start again. */
  get isOtherService(): boolean {
    return this.#later.some((key) => OF_SERVICE.test(key));
  }

  /** Changed keys that need a restart. */
  get later(): readonly string[] {
    return this.#later;
  }

  /**
   * Reads and applies the configuration. An error is reported as a problem and changes nothing.
   * `by` is the cause, for the log. Returns the configuration in use.
   */
  async reload(read: () => Promise<Config>, by = "API"): Promise<Config> {
    const { problems, clock, log } = this.#deps;
    try {
      const given = await read();
      const { live, later } = changeBetween(this.#used, given);
      if (live.length > 0) {
        const next = takenOver(this.#used, given);
        this.#check(next);
        this.#apply(next);
      }
      this.#later = later;
      problems.end(SUBJECT);
      if (live.length + later.length === 0) log.info({ by }, "configuration reloaded: nothing has changed");
      if (live.length > 0) log.info({ by, changed: live }, "configuration reloaded");
      for (const key of later)
        log.warn(
          {},
          `${key} has changed; ${OF_SERVICE.test(key) ? "elbro starts again with it" : "restart elbro to use it"}`,
        );
    } catch (error) {
      const { message: detail } = asStartError(error, "the configuration cannot be used");
      // A different mistake is a new problem.
      problems.end(SUBJECT);
      problems.start({ code: "configuration_refused", subject: SUBJECT, since: clock.now(), detail });
    }
    return this.#used;
  }

  /** Applies a configuration. If a module fails, applies the previous one again and throws. */
  #apply(next: Config): void {
    try {
      this.applied.emit(next);
      this.#used = next;
    } catch (error) {
      this.applied.emit(this.#used);
      throw error;
    }
  }
}

function valueAt(config: Config, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isKeyed(node) ? node[key] : undefined), config);
}

function isKeyed(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
