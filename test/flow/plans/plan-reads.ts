/**
 * `npm run lab -- reads [PAUSES] [SEED]`: lives of plans with random reads in 100,000 pauses between decisions, each
 * compared with the same life without a reader.
 */
import { liveWithReaders } from "../../support/plans/plan-reads.ts";

const [wanted = 100_000, first = 1] = process.argv.slice(2).map(Number);
let [pauses, decisions, seed] = [0, 0, first];
for (; pauses < wanted; seed++) {
  const read = liveWithReaders(seed, true);
  const unread = liveWithReaders(seed, false);
  const at = read.decisions.findIndex((decision, i) => decision !== unread.decisions[i]);
  if (at >= 0 || read.decisions.length !== unread.decisions.length) {
    console.error(`seed ${seed}: decision ${at} differs\n${read.decisions[at]}\n${unread.decisions[at]}`);
    process.exitCode = 1;
    break;
  }
  pauses += read.pauses;
  decisions += read.decisions.length;
}
console.log(`reads: lives=${seed - first} pauses=${pauses} decisions=${decisions}`);
