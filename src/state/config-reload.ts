/** Reads the configuration again while the daemon runs. Some keys apply at once, others after a restart. */
import { changeBetween, isOfService, takenOver } from "../config/config-change.ts";
import type { Config } from "../config/schema/schema.ts";
import { message } from "../core/language/text.ts";
import type { Problems } from "../core/status/problem.ts";
import { asStartError } from "../core/status/start-error.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { Listeners } from "./change-bus.ts";

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
    return this.#later.some((key) => isOfService(key));
  }

  /** Changed keys that need a restart. */
  get later(): readonly string[] {
    return this.#later;
  }

  /** Reads and applies the configuration; an error becomes a problem. `by` is for the log. Returns the one in use. */
  async reload(read: () => Promise<Config>, by = "API"): Promise<Config> {
    const { problems, clock, log } = this.#deps;
    try {
      const configured = await read();
      const { live, later } = changeBetween(this.#used, configured);
      if (live.length > 0) {
        const next = takenOver(this.#used, configured);
        this.#check(next);
        this.#apply(next);
      }
      this.#later = later;
      problems.end(SUBJECT);
      for (const key of later)
        log.warn(
          {},
          `${key} has changed; ${isOfService(key) ? "elbro starts again with it" : "restart elbro to use it"}`,
        );
      const isSame = live.length + later.length === 0;
      log.info({ by, changed: live }, `configuration reloaded${isSame ? ": nothing has changed" : ""}`);
    } catch (error) {
      const { text: detail } = asStartError(error, message("start.config_unusable"));
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
