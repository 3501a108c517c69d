/** Storage of plans: their records, the owner's changes, and the costs of their runs. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import * as z from "zod/mini";
import type { PlanRecord } from "../core/planning/plan-record.ts";
import type { ChangedSettings } from "../core/planning/plan-settings.ts";
import type { PlanSetting } from "../core/planning/setting-rows.ts";
import type { FinishedRun } from "../core/planning/snapshot/plan-savings.ts";
import { ownJson } from "../core/text/own-json.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval } from "../core/time/interval.ts";
import { transaction, withDigest } from "./database.ts";
import { WriteGuard } from "./write-guard.ts";

/** Totals of runs in a period. Amounts count only the runs with known energy and prices; null if no run has them. */
export interface RunTotals {
  readonly runs: number;
  readonly hours: number;
  readonly cost: number | null;
  /** Compared with a start at the beginning of the window. */
  readonly savingWindowStart: number | null;
  /** Compared with the mean price of the window. */
  readonly savingMean: number | null;
}

/** Time for which runs are kept: one year and the month before it. */
const KEPT_MS = 400 * DAY_MS;

/** Longest run: a day of 25 hours, extended manually by the same time. */
const MAX_RUN_MS = 50 * HOUR_MS;
/** Maximum finished runs that wait while the disk rejects writes; there are a few per day. */
const MAX_UNWRITTEN_RUNS = 2_000;

const ANY_TIME: Interval = { start: 0, end: Number.MAX_SAFE_INTEGER };

export const RUN_COLUMNS = "start_ms, end_ms, basis, mean_price, started_now_price, window_price, kwh";

const span = { start: z.number(), end: z.number() };
/** Fields that the program relies on. The digest has already shown that the record is intact. */
const keptRecord = z.object({
  window: z.object({ ...span, until: z.number() }),
  since: z.number(),
  before: z.array(z.object(span)),
  startedRuns: z.array(z.object({ ...span, basis: z.string(), settled: z.boolean() })),
  planned: z.array(z.object({ ...span, basis: z.string() })),
  outcome: z.object({ kind: z.string() }),
  madeFrom: z.nullable(z.string()),
  replanAt: z.nullable(z.number()),
});

export class PlanStore {
  readonly #database: DatabaseSync;
  readonly #writing: WriteGuard;
  /** Records that are not on disk yet. Bounded by the plans. */
  readonly #ahead = new Map<string, PlanRecord>();
  /** Finished runs that are not on disk yet. Bounded by MAX_UNWRITTEN_RUNS. */
  #finished: { readonly plan: string; readonly run: FinishedRun }[] = [];
  #isGathering = false;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, writing: WriteGuard = new WriteGuard(database)) {
    this.#database = withDigest(database);
    this.#writing = writing;
  }

  /** Deletes the data of all plans that are not in `plans`. Data of another service stays: see data-source.ts. */
  keepOnly(plans: readonly string[]): void {
    const list = JSON.stringify(plans);
    for (const plan of this.#ahead.keys()) if (!plans.includes(plan)) this.#ahead.delete(plan);
    this.#finished = this.#finished.filter(({ plan }) => plans.includes(plan));
    this.#writing.keep("plans", () =>
      transaction(this.#database, () => {
        for (const table of ["plan_state", "plan_setting", "plan_run"])
          this.#database
            .prepare(`delete from ${table} where plan not in (select value from json_each(?)) and instr(plan, '/') = 0`)
            .run(list);
      }),
    );
  }

  memory(plan: string): PlanRecord | null {
    const ahead = this.#ahead.get(plan);
    if (ahead) return ahead;
    const found = this.#prepared("select memory from plan_state where plan = ?").get(plan);
    return found ? recordOf(String(found.memory)) : null;
  }

  settings(plan: string): ChangedSettings {
    const rows = this.#prepared("select name, value from plan_setting where plan = ?").all(plan);
    return Object.fromEntries(rows.map(({ name, value }) => [String(name), String(value)]));
  }

  /** Stores changed settings, all or none; null deletes one. Returns true if they are on disk. */
  writeSettings(plan: string, texts: Readonly<Partial<Record<PlanSetting, string | null>>>): boolean {
    const write = () => {
      const forget = this.#prepared("delete from plan_setting where plan = ? and name = ?");
      const keep = this.#prepared(
        "insert or replace into plan_setting (plan, name, value, digest) values (?1, ?2, ?3, digest(?1, ?2, ?3))",
      );
      for (const [setting, text] of Object.entries(texts)) {
        if (text === null) forget.run(plan, setting);
        else keep.run(plan, setting, text);
      }
    };
    return this.#writing.attempt(() => transaction(this.#database, write)) !== null;
  }

  /** Stores a plan's record and finished runs. If the disk rejects the write, they are written later. */
  write(plan: string, memory: PlanRecord | null, finished: readonly FinishedRun[]): void {
    if (memory) this.#ahead.set(plan, memory);
    this.#finished = [...this.#finished, ...finished.map((run) => ({ plan, run }))].slice(-MAX_UNWRITTEN_RUNS);
    if (!this.#isGathering || finished.length > 0) this.#flush();
  }

  /** Runs `work` and writes the records it changes once at its end: one disk write for many homes, before they are published. */
  gather<Result>(work: () => Result): Result {
    if (this.#isGathering) return work();
    this.#isGathering = true;
    try {
      return work();
    } finally {
      this.#isGathering = false;
      if (this.#ahead.size > 0) this.#flush();
    }
  }

  #flush(): void {
    const writeAll = () => {
      const write = this.#prepared(
        `insert into plan_state (plan, memory, digest) values (?1, ?2, digest(?1, ?2)) on conflict (plan)
         do update set memory = excluded.memory, digest = excluded.digest where memory <> excluded.memory`,
      );
      for (const [plan, memory] of this.#ahead) write.run(plan, JSON.stringify(memory));
      for (const { plan, run } of this.#finished) this.#writeFinished(plan, run);
    };
    this.#writing.keep("plan records", () => {
      transaction(this.#database, writeAll);
      this.#ahead.clear();
      this.#finished = [];
    });
  }

  #writeFinished(plan: string, run: FinishedRun): void {
    const { start, end, basis, meanPrice, windowStartPrice, windowPrice, kwh } = run;
    this.#prepared(
      `insert into plan_run (plan, ${RUN_COLUMNS}, digest)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, digest(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)) on conflict (plan, start_ms) do nothing`,
    ).run(plan, start, end, basis, meanPrice, windowStartPrice, windowPrice, kwh);
    this.#prepared("delete from plan_run where plan = ? and start_ms < ?").run(plan, end - KEPT_MS);
  }

  /** Returns the totals of the runs that ended at or after `start` and before `end`. */
  totals(plan: string, start: EpochMs, end: EpochMs): RunTotals {
    // Unlike total(), sum() is null if every amount is unknown.
    const amount = (of: string) => `iif(count(*) = 0, 0, sum(${of} * kwh))`;
    const sum = this.#prepared(
      `select count(*) as runs, total(end_ms - start_ms) / 3600000.0 as hours, ${amount("mean_price")} as cost,
              ${amount("(started_now_price - mean_price)")} as savingWindowStart,
              ${amount("(window_price - mean_price)")} as savingMean
       from plan_run where plan = ? and start_ms >= ? and end_ms >= ? and end_ms < ?`,
    );
    return sum.get(plan, start - MAX_RUN_MS, start, end) as unknown as RunTotals;
  }

  /** Returns the latest finished run; null before the first. */
  lastRun(plan: string): FinishedRun | null {
    return this.lastRuns(plan, 1)[0] ?? null;
  }

  /** Returns the latest finished runs, of those that started in `range` if it is given. Shape: newest first. */
  lastRuns(plan: string, most: number, { start, end }: Interval = ANY_TIME): FinishedRun[] {
    const runs = this.#prepared(
      `select start_ms as start, end_ms as end, basis, mean_price as meanPrice, started_now_price as windowStartPrice,
              window_price as windowPrice, kwh
       from plan_run where plan = ? and start_ms >= ? and start_ms < ? order by start_ms desc limit ?`,
    );
    return runs.all(plan, start, end, most) as unknown as FinishedRun[];
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

type EarlyRecord = Omit<PlanRecord, "lastsUntil" | "owedMs" | "restingSince" | "on"> & {
  readonly begun?: PlanRecord["startedRuns"];
};

/** Parses a record; null if it does not fit, for example because another version wrote it. */
function recordOf(text: string): PlanRecord | null {
  // Early records of version 0.1 lack `lastsUntil`, `owedMs`, `restingSince` and `on`, and name `startedRuns` `begun`.
  const { begun, ...rest } = (ownJson(text) ?? {}) as EarlyRecord;
  const record = begun ? { ...rest, startedRuns: begun } : rest;
  const isSound = keptRecord.safeParse(record).success;
  return isSound ? { lastsUntil: null, owedMs: 0, restingSince: null, on: false, ...record } : null;
}
