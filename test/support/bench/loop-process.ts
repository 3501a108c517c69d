/**
 * Loaded into a server before its program (`--require`): tells the parent process how long its event loop was held and
 * how much memory it has, when it asks for that.
 *
 * A timer of a millisecond is due in every turn of the loop. It is late by as long as the turn took, but also where the
 * machine ran something else; so each turn counts with the processor time that this thread used in it, if that is less.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const usedMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let longestMs = 0;
let longestLateMs = 0;
let at = performance.now();
let used = usedMs();
setInterval(() => {
  const [now, usedNow] = [performance.now(), usedMs()];
  longestMs = Math.max(longestMs, Math.min(now - at, usedNow - used));
  longestLateMs = Math.max(longestLateMs, now - at - 1);
  [at, used] = [now, usedNow];
}, 1).unref();

process.on("message", () => {
  const [held, late] = [longestMs, longestLateMs];
  for (let i = 0; i < 4; i++) collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ held, late, rss, used: heapUsed + external });
  [longestMs, longestLateMs, at, used] = [0, 0, performance.now(), usedMs()];
});
process.channel?.unref();
