/**
 * Kills the ingesting process with SIGKILL repeatedly on one file: acknowledged data must be complete, and nothing else
 * may be damaged. 12 kills in `npm test`, 400 with ELBRO_NIGHTLY=1; `ELBRO_CRASH_ROUNDS` sets another number.
 */
import { setTimeout as realPause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openOrRestore } from "../../../src/storage/recovery/recovery.ts";
import { RequestLog } from "../../../src/storage/request-log.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { Child } from "../../support/processes/child.ts";
import { ingested, ingestedRange } from "../../support/storage/ingest.ts";
import { calendar, dayOf, StoreOnDisk } from "../../support/storage/store-on-disk.ts";

const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const ROUNDS = Number(process.env.ELBRO_CRASH_ROUNDS ?? (NIGHTLY ? 400 : 12));
/** Maximum time from the child's `ready` until it is killed, within its first rounds of ingest. */
const MAX_KILL_MS = 40;
const QUARTERS = 1_156;

test(`after ${ROUNDS} kills at any time all acknowledged data is stored and complete`, async () => {
  using store = new StoreOnDisk();
  const crashes = new Crashes(store);
  for (let i = 0; i < ROUNDS; i++) {
    await crashes.next(async (child) => {
      await child.said(1);
      await realPause(((i * 7) % 20) * (MAX_KILL_MS / 20));
      await child.kill();
    });
  }
});

test("a kill leaves all of a response or its first days, depending on the step", async () => {
  using store = new StoreOnDisk();
  const crashes = new Crashes(store);
  const at = (step: string) => crashes.next((child) => child.ended, step);
  expect(await at("spent")).toBe("in flight");
  for (const turns of ["1", "2", "3"]) expect(await at(turns)).toBe("between slices");
  expect(await at("kept")).toBe("all kept");
});

/** Kills of processes that ingest into one file, one after the other. */
class Crashes {
  readonly #store: StoreOnDisk;
  #kept = 0;
  #spent = 0;

  constructor(store: StoreOnDisk) {
    this.#store = store;
    store.database.close();
  }

  /** Starts a process, waits until `killed` resolves, and returns the step at which it died. */
  async next(killed: (child: Child) => Promise<unknown>, killedAt = ""): Promise<string> {
    const store = this.#store;
    await using child = new Child("ingest.ts", store.path, String(this.#kept + 1), killedAt);
    await killed(child);
    this.#kept = lastOf(child.lines, "kept") ?? this.#kept;
    this.#spent = lastOf(child.lines, "spent") ?? this.#spent;
    const opened = openOrRestore(store.path, 0);
    expect(opened.recovery).toBeNull();
    store.database = opened.database;
    const found = inspect(store, this.#kept, this.#spent);
    // An attempt whose line was lost with one child does not belong to the next child.
    this.#spent = new RequestLog(store.database).recent("consumer", 1)[0]?.id ?? this.#spent;
    store.database.close();
    return found;
  }
}

/** Compares the stored data with the acknowledgements. Returns the step at which the kill occurred. */
function inspect(store: StoreOnDisk, kept: number, spent: number): string {
  const series = new SeriesStore(store.database, calendar);
  const requestLog = new RequestLog(store.database);
  const [newest] = requestLog.recent("consumer", 1);
  expect(newest?.id ?? 0).toBeGreaterThanOrEqual(spent);
  expect(newest?.id ?? 0).toBeLessThanOrEqual(spent + 1);
  if (kept === 0) return "in flight";
  const prices = series.rows(ingested, ingestedRange).map((row) => Number(row.totalPricePerKWh));
  expect(prices).toHaveLength(QUARTERS);
  // Every row belongs to the last acknowledged response or to the one in flight, in whole days from the first.
  expect(Math.min(...prices)).toBeGreaterThanOrEqual(kept);
  expect(Math.max(...prices)).toBeLessThanOrEqual(kept + 1);
  expect(prices).toEqual(prices.toSorted((a, b) => b - a));
  const autumn = series.rows(ingested, dayOf("2026-10-25")).map((row) => row.totalPricePerKWh);
  expect(autumn).toHaveLength(100);
  expect(new Set(autumn).size).toBe(1);
  const answered = requestLog.answeredAt(series.idOf(ingested)) ?? 0;
  expect(answered).toBeGreaterThanOrEqual(kept);
  // A response counts as received only when it is stored completely.
  expect(answered).toBe(Math.min(...prices));
  if (Math.min(...prices) < Math.max(...prices)) return "between slices";
  return newest && newest.at > answered ? "in flight" : "all kept";
}

function lastOf(lines: readonly string[], word: string): number | null {
  const line = lines.findLast((text) => text.startsWith(`${word} `));
  return line === undefined ? null : Number(line.slice(word.length + 1));
}
