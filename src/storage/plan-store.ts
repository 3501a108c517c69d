/** What is kept of plans: where each stands, what its owner changed, and what its runs cost. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { PlanBasis, PlanRecord } from "../core/planning/plan-record.ts";
import type { FinishedRun } from "../core/planning/plan-savings.ts";
import type { ChangedSettings, PlanSetting } from "../core/planning/plan-settings.ts";
import { DAY_MS, type EpochMs, HOUR_MS } from "../core/time/interval.ts";
import { transaction } from "./database.ts";
import { WriteGuard } from "./write-guard.ts";

/** Runs of a month or of all time, in sum. Money counts runs that tell their energy and whose prices are known. */
export interface RunTotals {
  readonly runs: number;
  readonly hours: number;
  readonly cost: number;
  /** Against starting at once. */
  readonly savingNow: number;
  /** Against the mean of the window. */
  readonly savingMean: number;
}

/** How long runs are kept: a year and the month before it. */
const KEPT_MS = 400 * DAY_MS;

/** A day of 25 hours, and as much manually behind it. */
const MAX_RUN_MS = 50 * HOUR_MS;

export class PlanStore {
  readonly #database: DatabaseSync;
  readonly #writing: WriteGuard;
  /** Where plans stand that is not on disk yet, because it takes nothing. Bounded by the plans. */
  readonly #ahead = new Map<string, PlanRecord>();
  /** Plans whose place is written with that of others, while it is gathered; null where each is written by itself. */
  #gathered: Set<string> | null = null;
  readonly #writeMemory: StatementSync;
  readonly #writeSetting: StatementSync;
  readonly #deleteSetting: StatementSync;
  readonly #writeRun: StatementSync;
  readonly #deleteRuns: StatementSync;
  readonly #sumRuns: StatementSync;
  readonly #lastRun: StatementSync;

  constructor(database: DatabaseSync, writing: WriteGuard = new WriteGuard(database)) {
    this.#database = database;
    this.#writing = writing;
    this.#writeMemory = database.prepare(
      "insert into plan_state (plan, memory) values (?, ?) on conflict (plan) do update set memory = excluded.memory where memory <> excluded.memory",
    );
    this.#writeSetting = database.prepare(
      "insert into plan_setting (plan, name, value) values (?, ?, ?) on conflict (plan, name) do update set value = excluded.value",
    );
    this.#deleteSetting = database.prepare("delete from plan_setting where plan = ? and name = ?");
    this.#writeRun = database.prepare(
      `insert into plan_run (plan, start_ms, end_ms, basis, mean_price, started_now_price, window_price, kwh)
       values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (plan, start_ms) do nothing`,
    );
    this.#deleteRuns = database.prepare("delete from plan_run where plan = ? and start_ms < ?");
    this.#sumRuns = database.prepare(
      `select count(*) as runs, total(end_ms - start_ms) / 3600000.0 as hours, total(mean_price * kwh) as cost,
              total((started_now_price - mean_price) * kwh) as saving_now,
              total((window_price - mean_price) * kwh) as saving_mean
       from plan_run where plan = ? and start_ms >= ? and end_ms >= ? and end_ms < ?`,
    );
    this.#lastRun = database.prepare("select * from plan_run where plan = ? order by start_ms desc limit 1");
  }

  /** Forgets every plan that is not among `plans`. */
  keepOnly(plans: readonly string[]): void {
    const list = JSON.stringify(plans);
    for (const plan of this.#ahead.keys()) if (!plans.includes(plan)) this.#ahead.delete(plan);
    this.#writing.keep("plans", () =>
      transaction(this.#database, () => {
        for (const table of ["plan_state", "plan_setting", "plan_run"])
          this.#database.prepare(`delete from ${table} where plan not in (select value from json_each(?))`).run(list);
      }),
    );
  }

  /** Where a plan stood; null for one that was never looked at. */
  memory(plan: string): PlanRecord | null {
    const ahead = this.#ahead.get(plan);
    if (ahead) return ahead;
    const found = this.#database.prepare("select memory from plan_state where plan = ?").get(plan);
    if (!found) return null;
    // Version 0.1 did not know of interruptions at first.
    const kept = JSON.parse(String(found.memory)) as Omit<PlanRecord, "lastsUntil" | "owedMs">;
    return { lastsUntil: null, owedMs: 0, ...kept };
  }

  settings(plan: string): ChangedSettings {
    const rows = this.#database.prepare("select name, value from plan_setting where plan = ?").all(plan);
    return Object.fromEntries(rows.map(({ name, value }) => [String(name), String(value)]));
  }

  /**
   * Keeps settings that differ from the file, all or none; null forgets one. Returns whether they are on disk: what
   * an owner is told is kept, is.
   */
  writeSettings(plan: string, texts: Readonly<Partial<Record<PlanSetting, string | null>>>): boolean {
    const write = () => {
      for (const [setting, text] of Object.entries(texts)) {
        if (text === null) this.#deleteSetting.run(plan, setting);
        else this.#writeSetting.run(plan, setting, text);
      }
    };
    return this.#writing.attempt(() => transaction(this.#database, write)) !== null;
  }

  /**
   * Keeps where a plan stands and the runs that are over, all of it or nothing. What the disk does not take is kept
   * here until it does.
   */
  write(plan: string, memory: PlanRecord | null, finished: readonly FinishedRun[]): void {
    if (this.#gathered && memory && finished.length === 0) {
      this.#ahead.set(plan, memory);
      this.#gathered.add(plan);
      return;
    }
    this.#gathered?.delete(plan);
    const writeMemory = () => {
      if (memory) this.#writeMemory.run(plan, JSON.stringify(memory));
      this.#ahead.delete(plan);
    };
    if (memory) this.#ahead.set(plan, memory);
    const all = () => {
      writeMemory();
      for (const run of finished) this.#writeFinished(plan, run);
    };
    if (this.#writing.attempt(() => transaction(this.#database, all))) return;
    if (memory) this.#ahead.set(plan, memory);
    this.#writing.keep(`plan ${plan}`, writeMemory);
    for (const run of finished) this.#writing.keep(`run ${plan} ${run.start}`, () => this.#writeFinished(plan, run));
  }

  /** Where plans stand after `work` is written at once, at its end: one write to the disk for ten that run. */
  gather<Result>(work: () => Result): Result {
    const gathered = new Set<string>();
    this.#gathered = gathered;
    try {
      return work();
    } finally {
      this.#gathered = null;
      if (gathered.size > 0) this.#writeGathered([...gathered]);
    }
  }

  #writeGathered(plans: readonly string[]): void {
    const write = (plan: string) => {
      const memory = this.#ahead.get(plan);
      if (memory) this.#writeMemory.run(plan, JSON.stringify(memory));
    };
    const forget = (plan: string) => this.#ahead.delete(plan);
    const isWritten = this.#writing.attempt(() =>
      transaction(this.#database, () => {
        plans.forEach(write);
      }),
    );
    if (isWritten) plans.forEach(forget);
    else
      for (const plan of plans)
        this.#writing.keep(`plan ${plan}`, () => {
          write(plan);
          forget(plan);
        });
  }

  #writeFinished(plan: string, run: FinishedRun): void {
    const { start, end, basis, meanPrice, startedNowPrice, windowPrice, kwh } = run;
    this.#writeRun.run(plan, start, end, basis, meanPrice, startedNowPrice, windowPrice, kwh);
    this.#deleteRuns.run(plan, end - KEPT_MS);
  }

  /** The runs that were over from `start` on and before `end`, in sum. */
  totals(plan: string, start: EpochMs, end: EpochMs): RunTotals {
    const row = this.#sumRuns.get(plan, start - MAX_RUN_MS, start, end) ?? {};
    return {
      runs: Number(row.runs),
      hours: Number(row.hours),
      cost: Number(row.cost),
      savingNow: Number(row.saving_now),
      savingMean: Number(row.saving_mean),
    };
  }

  /** The latest run that is over; null before the first. */
  lastRun(plan: string): FinishedRun | null {
    const row = this.#lastRun.get(plan);
    return row ? finishedRun(row) : null;
  }

  /** The latest runs that are over. Shape: newest first. */
  lastRuns(plan: string, most: number): FinishedRun[] {
    const rows = this.#database.prepare("select * from plan_run where plan = ? order by start_ms desc limit ?");
    return rows.all(plan, most).map(finishedRun);
  }
}

function finishedRun(row: Record<string, unknown>): FinishedRun {
  const figure = (value: unknown) => (typeof value === "number" ? value : null);
  return {
    start: Number(row.start_ms),
    end: Number(row.end_ms),
    basis: String(row.basis) as PlanBasis,
    meanPrice: figure(row.mean_price),
    startedNowPrice: figure(row.started_now_price),
    windowPrice: figure(row.window_price),
    kwh: figure(row.kwh),
  };
}
