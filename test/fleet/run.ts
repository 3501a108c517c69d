/**
 * `npm run lab -- fleet`: four shards of the built program with 400 accounts (`FLEET_ACCOUNTS=40` for others), one
 * Mosquitto, one PostgreSQL and one simulator, all on this machine and by its clock. Starts all of them, kills a shard
 * and restarts it with its data and without, and changes the number of shards from four to five. Checks after each
 * step that every home is served and announced by exactly its shard and that no request was denied. At the end, every
 * row is in PostgreSQL once. `test/flow/state/process-fleet.test.ts` does the same with two shards in fast forward.
 */

import { execFileSync } from "node:child_process";
import path from "node:path";
import { ProcessFleet } from "../support/processes/process-fleet.ts";
import { lacks } from "../support/runner/needs.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const ACCOUNTS = Number(process.env.FLEET_ACCOUNTS ?? 400);
const STEP_TIMEOUT_MS = 1_200_000;
const ARCHIVE_QUIET_MS = 15_000;
const CANNOT_RUN = 75;

if (lacks("Mosquitto", "PostgreSQL")) {
  console.log("skipped: needs Mosquitto and PostgreSQL (apt-get install mosquitto postgresql)");
  process.exit(CANNOT_RUN);
}
execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
await using fleet = await ProcessFleet.open({
  accounts: ACCOUNTS,
  onWarning: (shard, line) => console.error(`shard ${shard}: ${line}`),
});
let failures = 0;

await step("start", 4, () => fleet.start(4));
await step("kill_with_volume", 4, () => fleet.restart(1, "kept"));
await step("kill_without_volume", 4, () => fleet.restart(2, "empty"));
const from = fleet.watcher.seen.length;
await step("four_to_five", 5, async () => {
  await fleet.stop();
  await fleet.start(5);
});
report("cleared_topics", fleet.cleared(from), 0);
await archived();
await fleet.stop();
console.log(failures === 0 ? "fleet: all checks passed" : `fleet: ${failures} checks failed`);
process.exitCode = failures === 0 ? 0 : 1;

/** Does a step, waits until all homes are served, and prints the results. */
async function step(name: string, shards: number, work: () => Promise<void>): Promise<void> {
  const began = performance.now();
  await work();
  const misplaced = await fleet.settled(STEP_TIMEOUT_MS);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  const rss = fleet.residentMb().join(",");
  console.log(`fleet: step=${name} shards=${shards} homes=${ACCOUNTS} all_served_s=${seconds} rss_mb=${rss}`);
  report(`${name} homes_not_served_by_exactly_their_shard`, misplaced.length, 0);
  report(`${name} denied`, await fleet.denied(), 0);
}

/** Waits until the stored rows are in PostgreSQL, and counts them there. */
async function archived(): Promise<void> {
  const count = async (text: string) => Number((await fleet.database.query(text, "elbro"))[0]?.count);
  console.log(`fleet: archived_rows=${await fleet.archived(ARCHIVE_QUIET_MS)}`);
  const twice = `select count(*) from (select 1 from elbro.stored_rows
    group by account, address, series, resolution, start_at having count(*) > 1) as twice`;
  report("archive rows_there_twice", await count(twice), 0);
  report("archive homes", await count("select count(distinct address) from elbro.prices"), ACCOUNTS);
}

function report(what: string, found: number, expected: number): void {
  if (found !== expected) failures++;
  console.log(`fleet: ${what}=${found}${found === expected ? "" : ` (expected ${expected})`}`);
}
