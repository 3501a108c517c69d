/** Compares the program of this clone with that of another commit: the same bench, in turns in one run. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { TempDir } from "../runner/temp-dir.ts";
import { ROOT } from "./program.ts";

/** Exit code of a part of `.ci/run` that cannot run here. Source: EX_TEMPFAIL of sysexits.h. */
const CANNOT_RUN = 75;
const TURNS = 2;
/** Largest share by which the size may grow. Times and memory depend on the machine, so they never fail. */
const MAX_GROWTH = 1.05;

type Figures = Readonly<Record<string, number>>;

/** Builds a commit in a temporary folder, runs a bench with both programs, and prints the ratios. Returns the exit code. */
export function compareWith(commit: string, name: string): number {
  if (spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: ROOT }).status !== 0) {
    console.error(`commit ${commit} is not in the history of this clone`);
    return CANNOT_RUN;
  }
  const own: Figures[] = [];
  const other: Figures[] = [];
  try {
    using dir = new TempDir();
    const dist = built(commit, dir.file("elbro"));
    for (let turn = 0; turn < TURNS; turn++) {
      other.push(figuresOf(name, { BENCH_DIST: dist }));
      own.push(figuresOf(name, {}));
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

/** Builds a commit with the packages of this clone, or its own if they differ. Returns the folder of the program. */
function built(commit: string, folder: string): string {
  mkdirSync(folder);
  const archive = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: Number.POSITIVE_INFINITY });
  execFileSync("tar", ["-x"], { cwd: folder, input: archive });
  const lock = (of: string) => readFileSync(path.join(of, "package-lock.json"), "utf8");
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (lock(folder) === lock(ROOT)) symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  else
    run(
      "npm",
      "install",
      "--no-save",
      "--include=dev",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
    );
  run("npm", "run", "--silent", "build");
  return path.join(folder, "dist");
}

/** Runs a bench in a process. Returns the figures of its last line. */
function figuresOf(name: string, environment: Readonly<Record<string, string>>): Figures {
  const script = path.join(ROOT, "test/bench/run.ts");
  const output = execFileSync(process.execPath, [script, name], {
    env: { ...process.env, ...environment },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = output.split("\n").findLast((each) => each.startsWith(`${name}: `)) ?? "";
  return Object.fromEntries([...line.matchAll(/(\w+)=([\d.]+)/g)].map(([, key = "", figure]) => [key, Number(figure)]));
}

function mean(all: readonly Figures[], key: string): number {
  return all.reduce((sum, figures) => sum + (figures[key] ?? Number.NaN), 0) / all.length;
}
