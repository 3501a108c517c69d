/**
 * Probe that is loaded into a server before its program (`--require`). On each message from the parent process, sends
 * the longest event-loop tick since the last message and the memory after a garbage collection.
 *
 * A timer of 1 ms is due in every event-loop tick. Its delay also contains the time of other processes. `held`
 * therefore counts the processor time of this thread if that is less; `late` is the full delay.
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
