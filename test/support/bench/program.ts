/** The built program that benches start, and what its processes use. Linux only, because it reads /proc. */
import { type ChildProcess, execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

export const ROOT: string = path.resolve(import.meta.dirname, "../../..");
/** Folder with the program of another commit, set by `--against`. */
const { BENCH_DIST } = process.env;
const DIST = BENCH_DIST ?? path.join(ROOT, "dist");
export const PROGRAM: string = path.join(DIST, "elbro.cjs");

/** Builds the program of this clone, unless another commit's is measured. */
export function buildProgram(): void {
  if (BENCH_DIST === undefined)
    execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
}

/** Returns the size of the installed program with all its parts. */
export function packageKb(): number {
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0) / 1_000;
}

/**
 * Returns the processor time of all threads. Source: Documentation/scheduler/sched-stats, first field, in nanoseconds.
 */
export function cpuSeconds({ pid }: ChildProcess): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const ran = tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]));
  return ran.reduce((sum, ns) => sum + ns, 0) / 1e9;
}

export function memoryMb({ pid }: ChildProcess, field: "VmRSS" | "VmHWM" = "VmRSS"): number {
  return statusMb(readFileSync(`/proc/${pid}/status`, "utf8"), field);
}

/** Returns a field of a file `/proc/PID/status`. */
export function statusMb(status: string, field: string): number {
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
}
