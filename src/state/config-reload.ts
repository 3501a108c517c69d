/** A configuration that is read again while the daemon runs: what of it is used at once, and what has to wait. */
import { isDeepStrictEqual } from "node:util";
import { keys } from "../config/keys.ts";
import type { Config } from "../config/schema.ts";
import type { Problems } from "../core/status/problem.ts";
import { StartError } from "../core/status/start-error.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { Listeners } from "./change-bus.ts";

/** What has changed from one configuration to the next, by key. */
export interface ConfigChange {
  /** Used from now on. */
  readonly live: readonly string[];
  /** Used after a restart. */
  readonly later: readonly string[];
}

/** The API's doors cannot be moved under those who stand in them; all else of it can change. */
const LIVE = /^(log\.level|plans|groups|plugs|homes|levels(\..+)?|api\.(?!host$|port$).+)$/;

/** With `accounts_dir`, accounts come and go too. */
const LIVE_WITH_FILES = /^(consumer|accounts)$/;

/** Whether accounts may come and go from one configuration to the next. */
function hasSameFolder(before: Config, after: Config): boolean {
  return (
    before.accounts_dir !== undefined &&
    before.accounts_dir === after.accounts_dir &&
    isDeepStrictEqual(before.shard, after.shard)
  );
}

/** Says what differs. Shape: keys as in the file, in its order; a list is one key. */
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
  const hasFiles = hasSameFolder(before, after);
  const isLive = (key: string) => LIVE.test(key) || (hasFiles && LIVE_WITH_FILES.test(key));
  return { live: changed.filter(isLive), later: changed.filter((key) => !isLive(key)) };
}

/** The configuration that is in use once a change is taken over: the new one where it may be, the old one elsewhere. */
export function takenOver(before: Config, after: Config): Config {
  const { host, port } = before.api;
  const { log, plans, groups, plugs, homes, levels, consumer, accounts } = after;
  const files = hasSameFolder(before, after) ? { consumer, ...(accounts ? { accounts } : {}) } : {};
  return { ...before, log, plans, groups, plugs, homes, levels, api: { ...after.api, host, port }, ...files };
}

const SUBJECT = "configuration";

export interface ConfigReloadDeps {
  readonly clock: { now(): EpochMs };
  readonly problems: Pick<Problems, "start" | "end">;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
}

/** The configuration in use, and how it is replaced. */
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

  /** Keys that were changed and wait for a restart. */
  get later(): readonly string[] {
    return this.#later;
  }

  /** Reads and takes over. Errors: none of the owner's; what is wrong is a problem, and nothing changes. */
  async reload(read: () => Promise<Config>): Promise<Config> {
    const { problems, clock, log } = this.#deps;
    try {
      const given = await read();
      const { live, later } = changeBetween(this.#used, given);
      if (live.length > 0) {
        const next = takenOver(this.#used, given);
        this.#check(next);
        this.applied.emit(next);
        this.#used = next;
      }
      this.#later = later;
      problems.end(SUBJECT);
      if (live.length + later.length === 0) log.info({}, "configuration read again: nothing has changed");
      if (live.length > 0) log.info({ changed: live }, "configuration read again and used");
      for (const key of later) log.warn({}, `${key} changed: restart to use it`);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      // Another mistake than before is another problem.
      problems.end(SUBJECT);
      problems.start({
        ...{ code: "configuration_refused", subject: SUBJECT, since: clock.now() },
        detail: error.message,
      });
    }
    return this.#used;
  }
}

function valueAt(config: Config, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isKeyed(node) ? node[key] : undefined), config);
}

function isKeyed(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
