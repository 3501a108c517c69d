/** Stores days of prices and archives them until it is killed. Prints each step: `stored <day>`, `written <rows>`. */
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { ArchiveLoop } from "../../../src/integrations/archive/archive-loop.ts";
import { ArchiveBacklog } from "../../../src/storage/archive-backlog.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { SeriesStore } from "../../../src/storage/series-store.ts";
import { WriteGuard } from "../../../src/storage/write-guard.ts";
import { calendar, rowsOf, seriesOf } from "../storage/store-on-disk.ts";

const [databasePath = "", url = "", first = ""] = process.argv.slice(2);
const database = openDatabase(databasePath);
const writing = new WriteGuard(database);
const store = new SeriesStore(database, calendar, writing);
const say = (text: string) => writeSync(1, `${text}\n`);
const stop = new AbortController();
const loop = new ArchiveLoop({
  account: { url },
  plugs: () => [],
  openBacklog: () => ArchiveBacklog.open(database, new KeyValueStore(database, writing), writing),
  problems: { start: () => undefined, end: () => undefined },
  // Sleeps for 1 ms instead of until the given time.
  clock: { boot: "process", now: Date.now, monotonicMs: Date.now, sleepUntil: () => pause(1) },
  log: { info: (_facts, text) => say(text) },
  random: Math.random,
  heartbeat: { turn: () => undefined, sleep: () => undefined },
  onWritten: (rows) => say(`written ${rows}`),
});
void loop.run(stop.signal);
for (let round = Number(first); ; round++) {
  // Cycles through the days of a year. Later rounds store other prices, as corrections do.
  const day = calendar.day(Date.UTC(2026, 0, 1 + (round % 365), 12));
  store.store(
    seriesOf("fifteenMinutes"),
    day,
    rowsOf("fifteenMinutes", day, (start) => round + start / 1e15),
    { round },
  );
  say(`stored ${round}`);
  loop.changed();
  await pause(1);
}
