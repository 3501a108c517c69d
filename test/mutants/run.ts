/**
 * `npm run lab -- mutants [COUNT] [SEED]`: breaks the sources at random places, one at a time, runs the unit tests of the
 * broken module, and prints the share of defects that they detect and those that they do not.
 *
 * Ends after `MAX_MINUTES` (environment: MUTANTS_MINUTES). A mutant whose tests do not end counts as detected.
 */
import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { TempDir } from "../support/runner/temp-dir.ts";
import { type Mutation, mutationsOf } from "./mutations.ts";

/** A mutation of a file, which is relative to the root. */
interface Mutant extends Mutation {
  readonly file: string;
  readonly source: string;
}

/** A source, relative to the root, and the path of the text that the tests load in its place. */
export interface ReplacedSource {
  readonly file: string;
  readonly textPath: string;
}

/** Output of vitest's JSON reporter. */
interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string }[];
}

type Outcome = "detected" | "survived" | "no end";

const ROOT = path.join(import.meta.dirname, "../..");
const FOLDERS = ["core", "service", "storage", "state"];
/** Texts in other languages are not behaviour. */
const IS_TEXT = /\/language\/(da|nb|sv|en)\.ts$/;
const MAX_MINUTES = Number(process.env.MUTANTS_MINUTES ?? 60);
const MAX_TESTS_MS = 180_000;

const [count = "200", seed = "1"] = process.argv.slice(2);

if (import.meta.main) await main(Number(count), Number(seed));

async function main(wanted: number, start: number): Promise<void> {
  const all = allMutants();
  const chosen = sampleOf(all, wanted, start);
  const until = performance.now() + MAX_MINUTES * 60_000;
  console.log(`mutants: ${chosen.length} of ${all.length} places, seed ${start}`);
  const outcomes: { readonly mutant: Mutant; readonly outcome: Outcome }[] = [];
  const left = chosen.values();
  const work = async () => {
    for (const mutant of left) {
      if (performance.now() > until) return;
      const outcome = await test(mutant);
      outcomes.push({ mutant, outcome });
      console.log(`${outcomes.length}/${chosen.length} ${outcome.padEnd(8)} ${describe(mutant)}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const survivors = outcomes.filter(({ outcome }) => outcome === "survived").map(({ mutant }) => mutant);
  const share = (100 * (outcomes.length - survivors.length)) / Math.max(1, outcomes.length);
  if (survivors.length > 0) console.log(`\nnot detected:\n${survivors.map(describe).sort().join("\n")}`);
  const late = chosen.length - outcomes.length;
  if (late > 0) console.log(`\n${late} were not tried within ${MAX_MINUTES} min`);
  console.log(`\nmutants: tried=${outcomes.length} detected_percent=${share.toFixed(0)} survived=${survivors.length}`);
}

function allMutants(): Mutant[] {
  return globSync(
    FOLDERS.map((folder) => `src/${folder}/**/*.ts`),
    { cwd: ROOT },
  )
    .filter((file) => !IS_TEXT.test(file))
    .sort()
    .flatMap((file) => {
      const source = readFileSync(path.join(ROOT, file), "utf8");
      return mutationsOf(file, source).map((mutation) => ({ file, source, ...mutation }));
    });
}

/** Returns `size` items in random order, the same for the same seed. */
function sampleOf<Item>(items: readonly Item[], size: number, seed: number): Item[] {
  let state = seed;
  const drawn = items.map((item) => {
    state = (state * 48_271) % 2_147_483_647;
    return { item, rank: state };
  });
  return drawn
    .sort((a, b) => a.rank - b.rank)
    .slice(0, size)
    .map(({ item }) => item);
}

/** Runs the test file with the name of the source, and the whole mirrored folder if that detects nothing. */
async function test(mutant: Mutant): Promise<Outcome> {
  const mirrored = mutant.file.replace(/^src\//, "test/unit/");
  const own = mirrored.replace(/\.ts$/, ".test.ts");
  let folder = path.dirname(mirrored);
  while (globSync(`${folder}/**/*.test.ts`, { cwd: ROOT }).length === 0) folder = path.dirname(folder);
  using dir = new TempDir();
  const { file, source, start, end, replacement } = mutant;
  writeFileSync(dir.file("text"), source.slice(0, start) + replacement + source.slice(end));
  const replaced = { file, textPath: dir.file("text") };
  const outcome = existsSync(path.join(ROOT, own)) ? await runTests(replaced, own) : "survived";
  return outcome === "survived" ? await runTests(replaced, `${folder}/`) : outcome;
}

function runTests(replaced: ReplacedSource, tests: string): Promise<Outcome> {
  const vitest = path.join(ROOT, "node_modules/vitest/vitest.mjs");
  const results = `${replaced.textPath}.json`;
  const args = [vitest, "run", "--config", "test/mutants/vitest.config.ts", "--outputFile", results, tests];
  const env = { ...process.env, ELBRO_MUTANT: JSON.stringify(replaced) };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: "ignore", detached: true });
  return new Promise((resolve, reject) => {
    const { pid } = child;
    // The group contains the workers, which can be in an endless loop.
    const timer = setTimeout(() => pid !== undefined && process.kill(-pid, "SIGKILL"), MAX_TESTS_MS);
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code === null ? "no end" : outcomeIn(results));
    });
  });
}

/** Reads the results of the tests. Throws if none ran, so that a wrong call does not count as anything. */
function outcomeIn(results: string): Outcome {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(results, "utf8")) as Results;
  if (numFailedTests > 0 || testResults.some(({ status }) => status === "failed")) return "detected";
  if (numPassedTests === 0) throw new Error("no test ran");
  return "survived";
}

function describe({ file, source, start, end, replacement }: Mutant): string {
  const line = source.slice(0, start).split("\n").length;
  const short = (text: string) => text.replace(/\s+/g, " ").slice(0, 60);
  return `${file}:${line}  ${short(source.slice(start, end)) || "(nothing)"}  →  ${short(replacement) || "(nothing)"}`;
}
