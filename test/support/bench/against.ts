/** Compares the program of this clone with that of another commit: the same bench, in turns in one run. */
import { execFileSync, type StdioOptions, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { TempDir } from "../runner/temp-dir.ts";
import { ROOT } from "./program.ts";

/** Exit code of a part of `.ci/run` that cannot run here. Source: EX_TEMPFAIL of sysexits.h. */
const CANNOT_RUN = 75;
const TURNS = 2;
/** Largest share by which the size may grow. Times and memory depend on the machine, so they never fail. */
const MAX_GROWTH = 1.05;

const INSTALL = "install --no-save --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error";
const ONLY_ERRORS: StdioOptions = ["ignore", "ignore", "inherit"];

type Figures = Readonly<Record<string, number>>;

/** Benches that start the built program: this clone's runs with both. */
const OF_PROGRAM = ["day", "footprint", "lan", "scale"];
/** Benches of functions: each commit runs its own. */
const OF_SOURCES = ["groups", "plans", "store"];
export const comparable: readonly string[] = [...OF_PROGRAM, ...OF_SOURCES];

/** Puts a commit into a temporary folder, runs a bench of both in turns, and prints the ratios. Returns the exit code. */
export function compareWith(commit: string, name: string): number {
  if (spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: ROOT }).status !== 0) {
    console.error(`commit ${commit} is not in the history of this clone`);
    return CANNOT_RUN;
  }
  const own: Figures[] = [];
  const other: Figures[] = [];
  try {
    using dir = new TempDir();
    const folder = extracted(commit, dir);
    const isBuilt = OF_PROGRAM.includes(name);
    if (isBuilt) execFileSync("npm", ["run", "--silent", "build"], { cwd: folder, stdio: ONLY_ERRORS });
    for (let turn = 0; turn < TURNS; turn++) {
      other.push(isBuilt ? figuresOf(name, ROOT, path.join(folder, "dist")) : figuresOf(name, folder));
      own.push(figuresOf(name, ROOT));
    }
  } catch (error) {
    // Without the packages of the other commit, or on a machine that is too busy for a bench, nothing is said of either.
    console.error(`${name} cannot be compared: ${error instanceof Error ? error.message : String(error)}`);
    return CANNOT_RUN;
  }
  const ratios = Object.keys(own[0] ?? {}).flatMap((key) => {
    const [now, before] = [mean(own, key), mean(other, key)];
    return before > 0 ? [{ key, now, before, ratio: now / before }] : [];
  });
  console.log(`${name} against ${commit}: ${ratios.map(({ key, ratio }) => `${key}=${ratio.toFixed(2)}`).join(" ")}`);
  for (const { key, now, before } of ratios)
    console.log(`  ${key}: ${now.toPrecision(4)}, was ${before.toPrecision(4)}`);
  const size = ratios.find(({ key }) => key === "package_kb");
  if (!size || size.ratio <= MAX_GROWTH) return 0;
  console.error(
    `the program has grown by more than ${Math.round((MAX_GROWTH - 1) * 100)} %: name a newer commit if it must`,
  );
  return 1;
}

/** Returns a folder with a commit and the packages of this clone, or its own if they differ. */
function extracted(commit: string, dir: TempDir): string {
  const folder = dir.file("elbro");
  mkdirSync(folder);
  const archive = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: Number.POSITIVE_INFINITY });
  execFileSync("tar", ["-x"], { cwd: folder, input: archive });
  // The real prices of `plans`.
  const data = path.join(ROOT, "../shared");
  if (existsSync(data)) symlinkSync(data, dir.file("shared"));
  const lock = (of: string) => readFileSync(path.join(of, "package-lock.json"), "utf8");
  if (lock(folder) === lock(ROOT)) symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  else execFileSync("npm", INSTALL.split(" "), { cwd: folder, stdio: ONLY_ERRORS });
  return folder;
}

/** Runs the bench of a clone in a process, with the program in `dist` if it is given. Returns the figures of its last line. */
function figuresOf(name: string, clone: string, dist?: string): Figures {
  const script = path.join(clone, "test/bench/run.ts");
  const output = execFileSync(process.execPath, [script, name], {
    env: { ...process.env, ...(dist && { BENCH_DIST: dist }) },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = output.split("\n").findLast((each) => each.startsWith(`${name}: `)) ?? "";
  return Object.fromEntries([...line.matchAll(/(\w+)=([\d.]+)/g)].map(([, key = "", figure]) => [key, Number(figure)]));
}

function mean(all: readonly Figures[], key: string): number {
  return all.reduce((sum, figures) => sum + (figures[key] ?? Number.NaN), 0) / all.length;
}
