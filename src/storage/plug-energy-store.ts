/** Storage of the energy that plugs measured, by quarter-hour. */
import type { DatabaseSync } from "node:sqlite";
import { DAY_MS, type EpochMs, type Interval } from "../core/time/interval.ts";
import { transaction, withDigest } from "./database.ts";
import { WriteGuard } from "./write-guard.ts";

/** Energy of an appliance in a quarter-hour. */
export interface QuarterEnergy {
  readonly start: EpochMs;
  readonly kwh: number;
  /** Time of the quarter-hour that was measured. */
  readonly measuredMs: number;
  /** Null if the price was not known when it was measured. Unit: currency. */
  readonly cost: number | null;
}

/** Energy of one plug, to be added to what is stored. */
export interface PlugQuarter extends QuarterEnergy {
  readonly plug: string;
}

export interface EnergyTotals {
  readonly kwh: number;
  /** Cost of the energy with known prices. */
  readonly cost: number;
  /** Energy without known prices. */
  readonly unpricedKwh: number;
  readonly measuredMs: number;
}

export const ENERGY_COLUMNS = "start_ms, kwh, measured_ms, cost";

/** As long as the runs of plans. */
const KEPT_MS = 400 * DAY_MS;
/** Maximum quarter-hours that wait while the disk rejects writes: a day of 20 plugs. */
const MAX_UNWRITTEN = 2_000;

export class PlugEnergyStore {
  readonly #database: DatabaseSync;
  readonly #writing: WriteGuard;
  /** Quarter-hours that are not on disk yet. Bounded by MAX_UNWRITTEN. */
  #unwritten: readonly PlugQuarter[] = [];

  constructor(database: DatabaseSync, writing: WriteGuard = new WriteGuard(database)) {
    this.#database = withDigest(database);
    this.#writing = writing;
  }

  add(quarters: readonly PlugQuarter[]): void {
    this.#unwritten = [...this.#unwritten, ...quarters].slice(-MAX_UNWRITTEN);
    if (this.#unwritten.length === 0) return;
    this.#writing.keep("plug energy", () => {
      transaction(this.#database, () => this.#addAll());
      this.#unwritten = [];
    });
  }

  #addAll(): void {
    const find = this.#database.prepare(
      "select kwh, measured_ms, cost from plug_energy where plug = ? and start_ms = ?",
    );
    const write = this.#database.prepare(
      `insert or replace into plug_energy (plug, ${ENERGY_COLUMNS}, digest)
       values (?1, ?2, ?3, ?4, ?5, digest(?1, ?2, ?3, ?4, ?5))`,
    );
    const trim = this.#database.prepare("delete from plug_energy where plug = ? and start_ms < ?");
    for (const { plug, start, kwh, measuredMs, cost } of this.#unwritten) {
      const before = find.get(plug, start) ?? { kwh: 0, measured_ms: 0, cost: 0 };
      const sum = before.cost === null || cost === null ? null : Number(before.cost) + cost;
      write.run(plug, start, Number(before.kwh) + kwh, Number(before.measured_ms) + measuredMs, sum);
      trim.run(plug, start - KEPT_MS);
    }
  }

  /** Returns the quarter-hours of a plug that start in `range`. Shape: ascending; unmeasured ones are missing. */
  quarters(plug: string, { start, end }: Interval): QuarterEnergy[] {
    const found = this.#database.prepare(
      `select start_ms as start, kwh, measured_ms as measuredMs, cost
       from plug_energy where plug = ? and start_ms >= ? and start_ms < ? order by start_ms`,
    );
    return found.all(plug, start, end) as unknown as QuarterEnergy[];
  }

  totals(plug: string, { start, end }: Interval): EnergyTotals {
    const sum = this.#database.prepare(
      `select total(kwh) as kwh, total(cost) as cost, total(iif(cost is null, kwh, 0)) as unpricedKwh,
              total(measured_ms) as measuredMs
       from plug_energy where plug = ? and start_ms >= ? and start_ms < ?`,
    );
    return sum.get(plug, start, end) as unknown as EnergyTotals;
  }

  /** Deletes the data of all plugs that are not in `plugs`. Data of another service stays: see data-source.ts. */
  keepOnly(plugs: readonly string[]): void {
    this.#unwritten = this.#unwritten.filter(({ plug }) => plugs.includes(plug));
    this.#writing.keep("plugs", () =>
      this.#database
        .prepare("delete from plug_energy where plug not in (select value from json_each(?)) and instr(plug, '/') = 0")
        .run(JSON.stringify(plugs)),
    );
  }
}
