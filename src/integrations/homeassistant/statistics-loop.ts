/** Imports statistics at the start, after readings changed, and once a day: Home Assistant may lose them. */
import { message } from "../../core/language/text.ts";
import type { Home } from "../../core/prices/home-snapshot.ts";
import { usageOperations } from "../../core/prices/usage-amounts.ts";
import { LoopWaker } from "../../core/runtime/loop-waker.ts";
import { runLoop } from "../../core/runtime/run-loop.ts";
import type { SeriesKey } from "../../core/series/series.ts";
import { slugOf } from "../../core/text/slug.ts";
import { DAY_MS, type EpochMs, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import { historyStart } from "../../storage/retention.ts";
import type { IntegrationDeps } from "../integration-deps.ts";
import { ConnectionFailures } from "./connection-failures.ts";
import type { SharedConnection } from "./shared-connection.ts";
import { StatisticsApi } from "./statistics-api.ts";
import { type ImportDeps, StatisticsImport } from "./statistics-import.ts";
import { HomeAssistantError } from "./websocket-client.ts";

export interface StatisticsLoopDeps extends ImportDeps, IntegrationDeps {
  readonly connection: Pick<SharedConnection, "use">;
  readonly homes: { list(): readonly Home[] };
  readonly retentionYears: number;
}

const SUBJECT = "Home Assistant";
/** Wait after the last change. The series of a home arrive one after the other and are imported together. */
const SETTLE_MS: number = 30 * SECOND_MS;
/** Maximum wait after the first change. A back-fill changes something every few seconds for hours. */
const MAX_SETTLE_MS: number = 15 * MINUTE_MS;
const CHECK_EVERY_MS: number = DAY_MS;
const MAX_RETRY_MS: number = 10 * MINUTE_MS;

export class StatisticsLoop {
  readonly #deps: StatisticsLoopDeps;
  readonly #import: StatisticsImport;
  readonly #waker = new LoopWaker();
  /** Times of the first and the last change that are not imported yet. */
  #changes: { readonly first: EpochMs; readonly last: EpochMs } | null = null;
  readonly #failures: ConnectionFailures;
  #nextAt: EpochMs;
  /** Homes whose ids are the same as those of other homes in Home Assistant. Bounded by the homes. */
  #colliding: ReadonlySet<string> = new Set();

  constructor(deps: StatisticsLoopDeps) {
    this.#deps = deps;
    this.#import = new StatisticsImport(deps);
    this.#failures = new ConnectionFailures(SUBJECT, MAX_RETRY_MS, deps);
    this.#nextAt = deps.clock.now();
  }

  /** Schedules an import after a change of stored readings. */
  changed({ operation, unit }: SeriesKey): void {
    if (unit !== "hour" || !usageOperations.some((each) => each === operation)) return;
    const now = this.#deps.clock.now();
    this.#changes = { first: this.#changes?.first ?? now, last: now };
    this.#waker.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    await runLoop({ ...this.#deps, waker: this.#waker }, signal, async () => {
      if (this.#dueAt() <= this.#deps.clock.now()) await this.#importAll(signal);
      return this.#dueAt();
    });
  }

  #dueAt(): EpochMs {
    if (!this.#changes || this.#failures.isFailing) return this.#nextAt;
    const { first, last } = this.#changes;
    return Math.min(this.#nextAt, last + SETTLE_MS, first + MAX_SETTLE_MS);
  }

  async #importAll(signal: AbortSignal): Promise<void> {
    const { clock, connection } = this.#deps;
    this.#changes = null;
    const homes = this.#homes();
    try {
      if (homes.length > 0)
        await connection.use((client) => this.#importHomes(new StatisticsApi(client), homes), signal);
      this.#failures.end();
      this.#nextAt = clock.now() + CHECK_EVERY_MS;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof HomeAssistantError)) throw error;
      this.#nextAt = this.#failures.add(error);
    }
  }

  async #importHomes(api: StatisticsApi, homes: readonly Home[]): Promise<void> {
    const { calendar, clock, retentionYears, log, heartbeat } = this.#deps;
    const now = clock.now();
    const range = { start: historyStart(now, retentionYears, calendar), end: calendar.next("day", now) };
    for (const home of homes) {
      for (const operation of usageOperations) {
        heartbeat.turn();
        const rows = await this.#import.run(api, home, operation, range);
        if (rows > 0) log.info({ home: home.id, operation, rows }, "statistics imported into Home Assistant");
      }
    }
  }

  /** Returns the homes with unique ids (`my-home` and `my_home` are the same there), and reports the others. */
  #homes(): Home[] {
    const { homes, problems, clock } = this.#deps;
    const byId = Object.values(Object.groupBy(homes.list(), ({ id }) => slugOf(id)));
    const before = this.#colliding;
    this.#colliding = new Set(byId.flatMap((same = []) => same.slice(1).map(({ id }) => id)));
    for (const [first, ...others] of byId.filter((same) => same !== undefined))
      for (const { id: home } of others) {
        const names = { home, other: first?.id ?? "" };
        const detail = message("found.same_statistics", { ...names, id: slugOf(home) });
        const subject = `statistics of ${home}`;
        problems.start({ code: "statistic_ids_collide", subject, since: clock.now(), names, detail });
      }
    for (const id of before) if (!this.#colliding.has(id)) problems.end(`statistics of ${id}`);
    return homes.list().filter(({ id }) => !this.#colliding.has(id));
  }
}
