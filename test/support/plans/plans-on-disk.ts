/** Plans with a real database and without a daemon, for tests of what survives a restart. */
import type { DatabaseSync } from "node:sqlite";
import type { Language } from "../../../src/core/language/language.ts";
import type { PlanHome } from "../../../src/core/planning/group/circle-decision.ts";
import type { PlanDefinition } from "../../../src/core/planning/model/plan-definition.ts";
import type { PlanRecord } from "../../../src/core/planning/plan-record.ts";
import type { PlanSnapshot } from "../../../src/core/planning/snapshot/plan-snapshot.ts";
import type { HomeHour } from "../../../src/core/planning/sun.ts";
import type { Timeline } from "../../../src/core/prices/timeline.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { measuredRuns } from "../../../src/plans/measured-runs.ts";
import { Plans } from "../../../src/plans/plans.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { PlanStore } from "../../../src/storage/plan-store.ts";
import { PlugEnergyStore } from "../../../src/storage/plug-energy-store.ts";
import { calendar, HOME } from "../home/price-days.ts";
import { TempDir } from "../runner/temp-dir.ts";

export interface PlansWorld {
  definitions: readonly PlanDefinition[];
  timeline: Timeline | null;
  trusted?: boolean;
  /** State of the plans' home; listed if absent. */
  home?: PlanHome;
  /** True if the homes are known. */
  known?: boolean;
  startedAt?: number;
  /** The plugs of each plan. */
  plugs?: readonly string[];
  language?: Language;
  exportTimeline?: Timeline | null;
  meteredHours?: HomeHour[];
  groups?: readonly { readonly name: string; readonly limit_kw: number }[];
  /** False for plans whose results are not read, so that many lives are fast. */
  results?: boolean;
}

const NO_RESULTS: ReturnType<PlanStore["totals"]> = { runs: 0, hours: 0, cost: 0, savingWindowStart: 0, savingMean: 0 };

class StoreWithoutResults extends PlanStore {
  override totals(): typeof NO_RESULTS {
    return NO_RESULTS;
  }

  override lastRuns(): [] {
    return [];
  }
}

export class PlansOnDisk implements Disposable {
  readonly world: PlansWorld;
  /** Number of decisions of a circle. */
  decisions = 0;
  plans: Plans;
  problems = new Problems(() => undefined);
  readonly #dir = new TempDir();
  #database: DatabaseSync;

  constructor(world: PlansWorld) {
    this.world = world;
    this.#database = this.#openDatabase();
    this.plans = this.#open();
  }

  restart(changes: Partial<PlansWorld> = {}): void {
    Object.assign(this.world, changes);
    this.#database.close();
    this.#database = this.#openDatabase();
    this.problems = new Problems(() => undefined);
    this.plans = this.#open();
  }

  /** Changes the stored decision of a plan, as nobody should, and starts again. */
  edit(id: string, change: (record: PlanRecord) => Partial<PlanRecord>): void {
    const store = new PlanStore(this.#database);
    const record = store.memory(id);
    if (!record) throw new Error(`nothing is stored of ${id}`);
    store.write(id, { ...record, ...change(record) }, []);
    this.restart();
  }

  /** Where the plugs store their energy. */
  get energy(): PlugEnergyStore {
    return new PlugEnergyStore(this.#database);
  }

  /** Decides all plans at `now`. Returns when one of them changes by itself. */
  decide(now: number): number {
    return Math.min(...[...this.plans.circles].map((circle) => this.plans.decide(circle, now)));
  }

  /** Decides all plans at `now`. Returns the snapshot of one. */
  at(now: number, id = "washer"): PlanSnapshot {
    this.decide(now);
    const plan = this.plans.snapshot(id);
    if (!plan) throw new Error(`no plan ${id} is shown`);
    return plan;
  }

  /** Advances the plans from `from` to `to`, at every time that they request. Returns the snapshot of one plan. */
  until(from: number, to: number, id = "washer"): PlanSnapshot {
    for (let now = from; now < to; ) now = Math.min(to, this.decide(now));
    return this.at(to, id);
  }

  /** Opens the database without waiting for the disk: a restart is not a power cut. */
  #openDatabase(): DatabaseSync {
    const database = openDatabase(`${this.#dir.path}/elbro.db`);
    database.exec("pragma synchronous = off");
    return database;
  }

  #open(): Plans {
    const { world } = this;
    return new Plans({
      definitions: world.definitions,
      store: world.results === false ? new StoreWithoutResults(this.#database) : new PlanStore(this.#database),
      homes: {
        ids: new Set([HOME.id]),
        named: (id) => (id === HOME.id && (world.home ?? "listed") === "listed" ? HOME : null),
        stateOf: () => world.home ?? "listed",
        known: world.known ?? true,
        timeline: () => world.timeline,
        exportTimeline: () => world.exportTimeline ?? null,
        meteredHours: () => world.meteredHours ?? [],
      },
      calendar,
      isTimeTrusted: () => world.trusted ?? true,
      memory: new KeyValueStore(this.#database),
      groups: world.groups ?? [],
      language: world.language ?? "en",
      problems: this.problems,
      startedAt: world.startedAt ?? 0,
      ...(world.plugs ? { measured: measuredRuns(new PlugEnergyStore(this.#database), () => world.plugs ?? []) } : {}),
      onDecided: () => this.decisions++,
    });
  }

  [Symbol.dispose](): void {
    this.#database.close();
    this.#dir[Symbol.dispose]();
  }
}
