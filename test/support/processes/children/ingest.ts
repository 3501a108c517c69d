/**
 * Ingests in a loop, as the daemon does: records an attempt, settles it, stores the response. Prints each step after it
 * is acknowledged: `ready`, `spent <id>`, `kept <round>`. Arguments: database, first round, and the step of the second
 * round at which the process kills itself (`spent`, `kept` or a number of event-loop turns while it stores).
 */
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { SeriesRepository } from "../../../../src/state/series-repository.ts";
import { openDatabase } from "../../../../src/storage/database.ts";
import { answerOf, ingested, ingestedRange } from "../../storage/ingest.ts";
import { spendOf } from "../../storage/spend.ts";
import { calendar } from "../../storage/store-on-disk.ts";

const [databasePath = "", first = "", killedAt = ""] = process.argv.slice(2);
const repository = new SeriesRepository(openDatabase(databasePath), calendar, () => 0);
const say = (text: string) => writeSync(1, `${text}\n`);
const die = () => process.kill(process.pid, "SIGKILL");
const dieAfter = (turns: number): unknown => (turns > 0 ? setImmediate(() => dieAfter(turns - 1)) : die());
const seriesId = repository.store.idOf(ingested);
// Writes the compiled code now, because the process gets killed. The next child then starts in a quarter of the time.
flushCompileCache();
say("ready");
for (let round = Number(first); ; round++) {
  const id = repository.requestLog.spend(spendOf({ at: round, seriesId, range: ingestedRange }));
  say(`spent ${id}`);
  const isLast = round > Number(first);
  if (isLast && killedAt === "spent") die();
  repository.requestLog.settle(id, 200, `round ${round}`, round);
  if (isLast && Number(killedAt) > 0) dieAfter(Number(killedAt));
  await repository.keep(ingested, ingestedRange, { rows: answerOf(round), envelope: { round }, at: round });
  say(`kept ${round}`);
  if (isLast && killedAt === "kept") die();
}
