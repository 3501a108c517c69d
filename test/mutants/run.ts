/**
 * `npm run lab -- mutants [COUNT] [SEED] [PLACE]`: breaks the sources at random places, as many in each module, one at a
 * time, in a copy of the project. Prints for each module the share of defects that its tests detect, and those that they
 * do not. PLACE is a part of the path of a source, or a path with a line (`store.ts:20`): only its mutants.
 *
 * Which tests reach which function is measured first, with one run of all. A mutant is tried with the unit tests of its
 * module that reach its function, then with the flow tests of its module (`FLOW_TESTS`) that do, and with those that
 * start the built program. The quick ones are first. A mutant outside of functions is tried with the tests that load its
 * file. Other tests do not run, although some rules of `core` are tested with the topics and endpoints that show them.
 * A test that fails also without the mutant does not count. Tests that do not end detect.
 * Not tried: texts in other languages, what is logged, and the mutants in `equivalents.ts`, which change nothing. A line
 * there that no source has any more is an error. Environment: MUTANTS_MINUTES, after which it ends; MUTANTS_FLOW=0 for
 * unit tests alone; MUTANTS_MAP, a file that keeps what the tests reach, for another run with the same sources and tests.
 */
import { hash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Copy } from "./copy.ts";
import { equivalents } from "./equivalents.ts";
import { type Outcome, Slot, type TestsOfMutant } from "./slot.ts";
import {
  allMutants,
  describe,
  foldersOf,
  functionNumbers,
  MODULES,
  type Mutant,
  moduleOf,
  partsOf,
  ROOT,
  sources,
  withProbes,
} from "./sources.ts";
import { type KnownTest, Tests } from "./tests.ts";

const MAX_MINUTES = Number(process.env.MUTANTS_MINUTES ?? 120);
/** Slower tests do not run, so that some mutants count as survivors that they would detect. */
const MAX_TEST_MS = 15_000;
const [count = "200", seed = "1", place = ""] = process.argv.slice(2);

async function main(wanted: number, start: string): Promise<void> {
  const all = allMutants();
  const here = all.filter((mutant) => describe(mutant).includes(place));
  const ofModules = Object.values(Object.groupBy(here, ({ file }) => moduleOf(file)));
  const sampled = ofModules.flatMap((each = []) => sampleOf(each, Math.ceil(wanted / ofModules.length), start));
  // Mixed, so that a run that ends early has tried every module.
  const chosen = sampleOf(sampled, sampled.length, start);
  const tried = chosen.filter((mutant) => !isEquivalent(mutant));
  const until = performance.now() + MAX_MINUTES * 60_000;
  console.log(`mutants: ${chosen.length} of ${all.length} places, seed ${start}`);
  for (const each of equivalents)
    if (!all.some((mutant) => isMutant(mutant, each))) {
      console.log(`test/mutants/equivalents.ts has a line that ${each.file} has no more, delete it: ${each.line}`);
      process.exitCode = 1;
    }
  const started = performance.now();
  const known = await knownTests(place === "" ? MODULES : [...new Set(tried.map(({ file }) => moduleOf(file)))]);
  console.log(`${known.length} tests took ${((performance.now() - started) / 1000).toFixed(0)} s`);
  const outcomes: Tried[] = [];
  const left = tried.values();
  await using reader = new Tests(ROOT, 1);
  const work = async () => {
    using slot = new Slot();
    for (const mutant of left) {
      if (performance.now() > until) return;
      const outcome = await slot.outcome(mutant, await testsOf(mutant, known, reader));
      outcomes.push({ mutant, outcome });
      console.log(`${outcomes.length}/${tried.length} ${outcome.padEnd(11)} ${describe(mutant)}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  print(chosen, outcomes);
  const late = tried.length - outcomes.length;
  if (late > 0) console.log(`${late} were not tried within ${MAX_MINUTES} min`);
}

type Tried = { readonly mutant: Mutant; readonly outcome: Outcome };

/** Prints a line for each module and one for all, after those that are not detected. */
function print(chosen: readonly Mutant[], outcomes: readonly Tried[]): void {
  const lines = outcomes
    .filter(({ outcome }) => !DETECTED.has(outcome))
    .map(({ mutant, outcome }) => `${describe(mutant)}${outcome === "survived" ? "" : `  (${outcome})`}`);
  if (lines.length > 0) console.log(`\nnot detected:\n${lines.sort().join("\n")}\n`);
  for (const module of [...new Set(chosen.map(({ file }) => moduleOf(file))), "mutants"]) {
    const isOf = ({ file }: Mutant) => module === "mutants" || moduleOf(file) === module;
    const each = outcomes.filter(({ mutant }) => isOf(mutant));
    const number = (...wanted: readonly Outcome[]) => each.filter(({ outcome }) => wanted.includes(outcome)).length;
    const detected = number(...DETECTED);
    const facts = `tried=${each.length} by_unit=${number("detected", "no end")} by_flow=${number("by flow")}`;
    const equivalent = chosen.filter(isOf).filter(isEquivalent).length;
    const share = ((100 * detected) / Math.max(1, each.length)).toFixed(0);
    console.log(
      `${module}: ${facts} survived=${each.length - detected} equivalent=${equivalent} detected_percent=${share}`,
    );
  }
}

const DETECTED: ReadonlySet<Outcome> = new Set(["detected", "by flow", "no end"]);

/** Runs all tests of some modules once, in a copy whose sources have probes. */
async function knownTests(modules: readonly string[]): Promise<KnownTest[]> {
  const { MUTANTS_MAP: file } = process.env;
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  using copy = new Copy();
  await copy.build();
  for (const source of sources().values()) copy.write(source.file, withProbes(source));
  await using tests = new Tests(copy.root, availableParallelism());
  const known = await tests.map(modules);
  if (file !== undefined) writeFileSync(file, JSON.stringify(known));
  return known;
}

/**
 * Returns `size` mutants in random order, the same for the same seed. The rank of a mutant depends only on its file, line and
 * change, so that the sample remains the same while other places of the sources change.
 */
function sampleOf(mutants: readonly Mutant[], size: number, seed: string): Mutant[] {
  const times = new Map<string, number>();
  const drawn = mutants.map((mutant) => {
    const { line, change } = partsOf(mutant);
    const name = `${mutant.file} ${line} ${change}`;
    const nth = times.get(name) ?? 0;
    times.set(name, nth + 1);
    return { mutant, rank: hash("sha256", `${seed} ${name} ${nth}`) };
  });
  return drawn
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

async function testsOf({ file, inside }: Mutant, known: readonly KnownTest[], reader: Tests): Promise<TestsOfMutant> {
  const module = moduleOf(file);
  const [own = "", ...others] = foldersOf(module).map((folder) => `test/${folder}/`);
  const quick = known.filter(({ ms }) => ms <= MAX_TEST_MS);
  const unit = quick.filter((test) => test.file.startsWith(own));
  const flow = quick.filter((test) => others.some((folder) => test.file.startsWith(folder)));
  const numbers = inside === undefined ? functionNumbers(file) : [inside];
  const programs = flow.filter(({ hasPrograms }) => hasPrograms);
  const flowThatReach = flow.filter(reaches(flow, numbers));
  const unitThatReach = unit.filter(reaches(unit, numbers));
  if (inside !== undefined) return { unit: unitThatReach, flow: [...new Set([...flowThatReach, ...programs])] };
  // It takes effect when its file is loaded.
  const files = await reader.filesThatLoad(file, own);
  const loading = unit.filter((test) => files.has(test.file));
  return {
    unit: [...new Set([...unitThatReach, ...loading])],
    flow: numbers.length > 0 ? [...new Set([...flowThatReach, ...programs])] : flow,
  };
}

/** Returns whether a test reaches one of the functions, or its file has done so before it. */
function reaches(tests: readonly KnownTest[], functions: readonly number[]): (test: KnownTest) => boolean {
  const wanted = new Set(functions);
  const before = tests.filter((each) => each.reachedBefore.some((number) => wanted.has(number)));
  const files = new Set(before.map(({ file }) => file));
  return ({ file, reached }) => files.has(file) || reached.some((number) => wanted.has(number));
}

function isEquivalent(mutant: Mutant): boolean {
  return equivalents.some((each) => isMutant(mutant, each));
}

function isMutant(mutant: Mutant, { file, line, change }: (typeof equivalents)[number]): boolean {
  if (mutant.file !== file) return false;
  const parts = partsOf(mutant);
  return parts.line === line && parts.change === change;
}

await main(Number(count), seed);
