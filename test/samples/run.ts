/**
 * `node test/samples/run.ts`: applies the sample changes of CONTRIBUTING.md, one after another, to a clone of the last
 * commit with the changes of this folder. After each, the documentation is generated; after the last one, types,
 * format and tests are checked. So a sample that leaves out a file, or does not fit the sources any more, is noticed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");
const SAMPLES = ["entity", "setting", "endpoint", "plug", "notification", "language"];
/** Tests of what the samples change. */
const UNIT = [
  "core/language",
  "core/plugs",
  "config",
  "dashboard",
  "docs",
  "i18n",
  "integrations/notify",
  "mqtt/homeassistant",
];
const FLOW = ["test/flow/api/clock.test.ts", "test/flow/api/golden.test.ts"];

function main(): void {
  const build = path.join(ROOT, "build");
  mkdirSync(build, { recursive: true });
  const clone = mkdtempSync(path.join(build, "samples-"));
  try {
    prepare(clone);
    for (const sample of SAMPLES) apply(sample, clone);
    run(clone, "tsc", ["-p", "."]);
    run(clone, "tsc", ["-p", "src/dashboard"]);
    run(clone, "biome", ["check", "src", "test"]);
    run(clone, "vitest", ["run", ...UNIT.map((name) => `test/unit/${name}`)]);
    run(clone, "vitest", ["run", ...FLOW], { GOLDEN: "update" });
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

function prepare(clone: string): void {
  const changed = output(ROOT, ["stash", "create"]) || "HEAD";
  execFileSync("git", ["clone", "--quiet", ROOT, clone]);
  output(clone, ["checkout", "--quiet", "--detach", changed]);
  symlinkSync(path.join(ROOT, "node_modules"), path.join(clone, "node_modules"));
  // So that `.ci/prepare` takes the packages as they are.
  utimesSync(path.join(clone, "package-lock.json"), 0, 0);
}

function apply(sample: string, clone: string): void {
  const patch = path.join(ROOT, "test/samples", `${sample}.patch`);
  try {
    output(clone, ["apply", "-C1", patch]);
  } catch (error) {
    throw new Error(
      `test/samples/${sample}.patch does not fit the sources any more. Make its change in a clone, and write it again: git add -AN && git diff -U1 -- src test > test/samples/${sample}.patch`,
      { cause: error },
    );
  }
  const files = filesOf(readFileSync(patch, "utf8"));
  const guide = readFileSync(path.join(ROOT, "CONTRIBUTING.md"), "utf8");
  const unnamed = files.filter((file) => !file.startsWith("src/i18n/") && !guide.includes(path.basename(file)));
  if (unnamed.length > 0)
    throw new Error(`CONTRIBUTING.md does not name what the sample ${sample} changes: ${unnamed}`);
  run(clone, process.execPath, ["test/support/docs/write-docs.ts"]);
  console.log(`${sample}: ${files.length} files`);
}

/** Returns the files that a patch changes. */
function filesOf(patch: string): string[] {
  return [...patch.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file = ""]) => file);
}

function output(cwd: string, args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
}

function run(cwd: string, program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): void {
  const bin = path.join(ROOT, "node_modules/.bin");
  const env = { ...process.env, ...more, PATH: `${bin}:${process.env.PATH}` };
  execFileSync(program, args, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
}

main();
