/**
 * Kills the ingesting process with SIGKILL repeatedly on one file: acknowledged data must be complete, and nothing else
 * may be damaged. `ELBRO_CRASH_ROUNDS` sets the number of kills.
 */
import { setTimeout as realPause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openOrRestore } from "../../../src/storage/recovery.ts";
import { RequestLog } from "../../../src/storage/request-log.ts";
import { SeriesStore } from "../../../src/storage/series-store.ts";
import { Child } from "../../support/daemon/child.ts";
import { ingested, ingestedRange } from "../../support/daemon/ingest.ts";
import { calendar, dayOf, StoreOnDisk } from "../../support/daemon/store-on-disk.ts";

const ROUNDS = Number(process.env.ELBRO_CRASH_ROUNDS ?? 100);
/** Each lane has its own file. Two lanes use all cores of a small machine. */
const LANES = 2;
/** Maximum time from the child's `ready` until it is killed, within its first rounds of ingest. */
const MAX_KILL_MS = 40;
const TIME_LIMIT_MS = 30_000 + ROUNDS * 1_000;
const QUARTERS = 1_156;

test(`after ${ROUNDS} kills all acknowledged data is stored and complete`, {
  timeout: TIME_LIMIT_MS,
  retry: 1,
}, async () => {
  const lanes = await Promise.all(Array.from({ length: LANES }, (_, lane) => crashes(lane, Math.ceil(ROUNDS / LANES))));
  const killed = lanes.flat();
  expect(killed).toHaveLength(LANES * Math.ceil(ROUNDS / LANES));
  // The kills were spread over the work: some between attempt and response, some between slices.
  if (ROUNDS >= 100) expect(new Set(killed)).toEqual(new Set(["in flight", "between slices", "all kept"]));
});

async function crashes(lane: number, rounds: number): Promise<string[]> {
  using store = new StoreOnDisk();
  store.database.close();
  const found: string[] = [];
  let kept = 0;
  let spent = 0;
  for (let i = 0; i < rounds; i++) {
    const child = new Child("ingest.ts", store.path, String(kept + 1));
    await child.said(1);
    await realPause((((i * LANES + lane) * 7) % 20) * (MAX_KILL_MS / 20));
    await child.kill();
    kept = lastOf(child.lines, "kept") ?? kept;
    spent = lastOf(child.lines, "spent") ?? spent;
    const opened = openOrRestore(store.path, 0);
    expect(opened.recovery).toBeNull();
    store.database = opened.database;
    found.push(inspect(store, kept, spent));
    // An attempt whose line was lost with one child does not belong to the next child.
    spent = new RequestLog(store.database).recent("consumer", 1)[0]?.id ?? spent;
    store.database.close();
  }
  return found;
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
