/**
 * `npm run lab -- torture`: fault-injection tests of the built program. They take some minutes by default. TORTURE_HOURS=2
 * runs for 2 h, TORTURE_SHORT=1 takes about 1 min, TORTURE_PARTS=crash,flips or an argument selects parts, TORTURE_SEED repeats a run.
 * Exit code 1 if data was lost, the program hung or a request was denied.
 */
import { existsSync } from "node:fs";
import type { PartOptions, Report as ReportOf } from "./part.ts";

const HOUR_MS = 3_600_000;
/** Folder in memory for thousands of small data directories; used if it exists. */
const MEMORY_FOLDER = "/dev/shm";
if (existsSync(MEMORY_FOLDER)) process.env.TMPDIR ??= MEMORY_FOLDER;

const { clocks } = await import("./clocks.ts");
const { crashStates } = await import("./crash-states.ts");
const { flips } = await import("./flips.ts");
const { hostile } = await import("./hostile.ts");
const { killLoop } = await import("./kill-loop.ts");
const { recordLife } = await import("./life.ts");
const { network } = await import("./network.ts");
const { Report } = await import("./part.ts");
const { Random } = await import("./random.ts");
const { hasRecorder } = await import("./recording.ts");
const { texts } = await import("./texts.ts");

const isShort = process.env.TORTURE_SHORT === "1";
const scale = isShort ? 0.1 : 1;
const asked = (process.argv[2] ?? process.env.TORTURE_PARTS)?.split(",") ?? null;
const first = Number(process.env.TORTURE_SEED ?? Date.now() % 2 ** 31);
const until = performance.now() + Number(process.env.TORTURE_HOURS ?? 0) * HOUR_MS;

const total = { kills: 0, crash_states: 0, flips: 0, clocks: 0, networks: 0, hostile: 0, texts: 0 };
const broken = { lost: 0, stuck: 0, denied: 0 };

async function part(
  name: string,
  seed: number,
  work: (options: PartOptions, report: ReportOf) => Promise<number>,
): Promise<number> {
  if (asked && !asked.includes(name)) return 0;
  const report = new Report(name);
  const uncaught = (error: unknown) =>
    report.broken("stuck", `nobody caught ${error instanceof Error ? error.stack : error}`);
  process.on("unhandledRejection", uncaught).on("uncaughtException", uncaught);
  const began = performance.now();
  let count = 0;
  try {
    count = await work({ random: new Random(seed), scale }, report);
  } catch (error) {
    report.broken("stuck", `the part ended with ${error instanceof Error ? error.stack : error}`);
  }
  process.off("unhandledRejection", uncaught).off("uncaughtException", uncaught);
  const { lost, stuck, denied } = report;
  const tookSec = ((performance.now() - began) / 1_000).toFixed(0);
  const again = lost + stuck + denied > 0 ? `; again with TORTURE_PARTS=${name} TORTURE_SEED=${seed}` : "";
  process.stdout.write(`${name}: ${count} in ${tookSec} s, lost=${lost} stuck=${stuck} denied=${denied}${again}\n`);
  broken.lost += lost;
  broken.stuck += stuck;
  broken.denied += denied;
  return count;
}

const times = (count: number) => Math.ceil(count * scale);
for (let seed = first; ; seed++) {
  total.kills += await part("kills", seed, (options, report) => killLoop(times(30), options, report));
  if (!asked || asked.some((name) => name === "crash" || name === "flips")) {
    if (hasRecorder()) {
      const life = await recordLife();
      total.crash_states += await part("crash", seed, async (options, report) =>
        crashStates(life, times(2_000), options, report),
      );
      total.flips += await part("flips", seed, (options, report) => flips(life, times(2_000), options, report));
    } else {
      process.stdout.write("crash, flips: skipped, strace (Debian package strace) cannot record writes here\n");
    }
  }
  total.clocks += await part("clocks", seed, (options, report) => clocks(times(10), options, report));
  total.networks += await part("network", seed, (options, report) => network(times(15), options, report));
  total.hostile += await part("hostile", seed, hostile);
  total.texts += await part("texts", seed, texts);
  if (performance.now() >= until) break;
}
const { kills, crash_states, flips: flipped, ...others } = total;
const counts = { kills, crash_states, flips: flipped, ...broken, ...others };
process.stdout.write(
  `torture: ${Object.entries(counts)
    .map(([name, count]) => `${name}=${count}`)
    .join(" ")}\n`,
);
process.exit(broken.lost + broken.stuck + broken.denied > 0 ? 1 : 0);
