/**
 * `npm run lab -- mutants [COUNT] [SEED] [PLACE]`: breaks the sources at random places, as many in each module, one at a
 * time. Runs the unit tests of the module that reach the place, then the flow tests of the module that load the file, and
 * prints for each module the share of defects that they detect, and those that they do not.
 * PLACE is a part of the path of a source, or a path with a line (`store.ts:20`): only its mutants.
 *
 * Which tests reach which function is measured first, with one run of all. A test that reaches the function of a mutant
 * runs, the quick ones first, if it takes less than ten seconds. A mutant outside of functions runs all tests of its
 * module that load its file. Tests of other modules do not run, although some rules of `core` are tested with the topics
 * and endpoints that show them. A line of `equivalents.ts` that no source has any more is an error.
 * Not tried: texts in other languages, what is logged, and the mutants in `equivalents.ts`, which change nothing.
 * A mutant whose unit tests do not end counts as detected. Environment: MUTANTS_MINUTES, after which it ends; MUTANTS_FLOW,
 * minutes for the flow tests of one mutant, 0 for none; MUTANTS_MAP, a file that keeps what the tests reach, for another
 * run with the same sources and tests.
 */
import { type ChildProcess, fork } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { equivalents } from "./equivalents.ts";
import type { Answer, Order } from "./slot.ts";
import { allMutants, functionNumbers, MODULES, type Mutant, textOf } from "./sources.ts";
import { type KnownTest, Tests } from "./tests.ts";

type Outcome = "detected" | "by flow" | "survived" | "not reached" | "no end" | "error";
type Stage = Order["stages"][number];

const MAX_MINUTES = Number(process.env.MUTANTS_MINUTES ?? 120);
const MAX_FLOW_MS = Number(process.env.MUTANTS_FLOW ?? 3) * 60_000;
/** Folder of the flow tests of modules that have none of their own. */
const FLOW_OF: Readonly<Record<string, string>> = { core: "plans", config: "state", http: "api", simulator: "service" };
/** The first tests of a mutant: those that need no longer, up to this sum. */
const QUICK_TEST_MS = 200;
const QUICK_TESTS_MS = 3_000;
/** Slower tests do not run, so that some mutants count as survivors that they would detect. They are long properties. */
const MAX_TEST_MS = 10_000;
/** Maximum time of a mutant's tests: this, and this multiple of what they need without it. */
const MAX_TESTS_MS = 45_000;
const MAX_TESTS_RATIO = 5;

const [count = "200", seed = "1", place = ""] = process.argv.slice(2);

async function main(wanted: number, start: string): Promise<void> {
  const all = allMutants();
  const here = all.filter((mutant) => describe(mutant).includes(place));
  const ofModules = Object.values(Object.groupBy(here, ({ file }) => moduleOf(file) ?? ""));
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
  await using reader = new Tests();
  const known = await knownTests(place === "" ? MODULES : [...new Set(tried.map(({ file }) => moduleOf(file)))]);
  console.log(`${known.length} tests took ${((performance.now() - started) / 1000).toFixed(0)} s`);
  const outcomes: { readonly mutant: Mutant; readonly outcome: Outcome }[] = [];
  const left = tried.values();
  const work = async () => {
    using slot = new Slot();
    for (const mutant of left) {
      if (performance.now() > until) return;
      const unit = await test(slot, mutant, known, reader);
      const isMissed = unit === "survived" || unit === "not reached";
      const outcome = isMissed && MAX_FLOW_MS > 0 ? await flowTest(slot, mutant, reader, unit) : unit;
      outcomes.push({ mutant, outcome });
      console.log(`${outcomes.length}/${tried.length} ${outcome.padEnd(11)} ${describe(mutant)}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const survivors = outcomes.filter(({ outcome }) => !DETECTED.has(outcome));
  const share = shareOf(outcomes);
  for (const [module, each = []] of Object.entries(
    Object.groupBy(outcomes, ({ mutant }) => moduleOf(mutant.file) ?? ""),
  ))
    console.log(`${module}: tried=${each.length} detected_percent=${shareOf(each).toFixed(0)}`);
  const lines = survivors.map(
    ({ mutant, outcome }) => `${describe(mutant)}${outcome === "survived" ? "" : `  (${outcome})`}`,
  );
  if (lines.length > 0) console.log(`\nnot detected:\n${lines.sort().join("\n")}`);
  const late = tried.length - outcomes.length;
  if (late > 0) console.log(`\n${late} were not tried within ${MAX_MINUTES} min`);
  const facts = `tried=${outcomes.length} equivalent=${chosen.length - tried.length} survived=${survivors.length}`;
  console.log(`\nmutants: ${facts} detected_percent=${share.toFixed(1)}`);
}

const DETECTED: ReadonlySet<Outcome> = new Set(["detected", "by flow", "no end"]);

/** Returns the share of detected mutants. Unit: percent. */
function shareOf(outcomes: readonly { readonly outcome: Outcome }[]): number {
  return (100 * outcomes.filter(({ outcome }) => DETECTED.has(outcome)).length) / Math.max(1, outcomes.length);
}

/** Runs the flow tests of the module that load the file, until one fails. A mutant that they do not reach in time survives. */
async function flowTest(slot: Slot, mutant: Mutant, reader: Tests, before: Outcome): Promise<Outcome> {
  const module = moduleOf(mutant.file) ?? "";
  const files = await reader.filesThatLoad(mutant.file, `test/flow/${FLOW_OF[module] ?? module}/`);
  const until = performance.now() + MAX_FLOW_MS;
  for (const file of files) {
    const leftMs = until - performance.now();
    if (leftMs > 0 && (await isSound(slot, mutant, file)) && (await slot.testFile(mutant, file, leftMs)) === "detected")
      return "by flow";
  }
  return before;
}

/** Whether each flow test passes without a mutant. */
const soundFiles = new Map<string, boolean>();

async function isSound(slot: Slot, mutant: Mutant, file: string): Promise<boolean> {
  const same = { ...mutant, replacement: textOf(mutant.file).slice(mutant.start, mutant.end) };
  const isKnown = soundFiles.get(file) ?? (await slot.testFile(same, file, MAX_TESTS_MS)) === "survived";
  if (!isKnown && !soundFiles.has(file)) console.log(`left out, because it fails without a mutant or is slow: ${file}`);
  soundFiles.set(file, isKnown);
  return isKnown;
}

async function knownTests(modules: readonly (string | undefined)[]): Promise<KnownTest[]> {
  const { MUTANTS_MAP: file } = process.env;
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  await using tests = new Tests();
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

async function test(slot: Slot, mutant: Mutant, known: readonly KnownTest[], reader: Tests): Promise<Outcome> {
  const own = known.filter(({ file, ms }) => moduleOf(file) === moduleOf(mutant.file) && ms <= MAX_TEST_MS);
  const { inside } = mutant;
  if (inside !== undefined) {
    const tests = own.filter(({ reached }) => reached.includes(inside));
    const before = new Set(own.filter((each) => each.reachedBefore.includes(inside)).map(({ file }) => file));
    const reaching = own.filter((each) => tests.includes(each) || before.has(each.file));
    return reaching.length === 0 ? "not reached" : slot.test(mutant, reaching);
  }
  const numbers = new Set(functionNumbers(mutant.file));
  const near = own.filter(({ reached }) => reached.some((number) => numbers.has(number)));
  const outcome = near.length > 0 ? await slot.test(mutant, near) : "survived";
  if (outcome !== "survived") return outcome;
  const files = new Set(await reader.filesThatLoad(mutant.file, `test/unit/${moduleOf(mutant.file)}/`));
  const loading = own.filter((each) => files.has(each.file) && !near.includes(each));
  return loading.length > 0 ? slot.test(mutant, loading) : outcome;
}

/** A child process that tests mutants, and the one after it if a test does not end. */
class Slot implements Disposable {
  #child: ChildProcess | undefined;

  /** Runs the quick tests, and then the others if those detect nothing. */
  async test(mutant: Mutant, tests: readonly KnownTest[]): Promise<Outcome> {
    const quick: KnownTest[] = [];
    let sum = 0;
    for (const each of tests.toSorted((a, b) => a.ms - b.ms)) {
      sum += each.ms;
      if (each.ms > QUICK_TEST_MS || sum > QUICK_TESTS_MS) break;
      quick.push(each);
    }
    const slow = tests.filter((each) => !quick.includes(each));
    const stages = [quick, slow].filter((stage) => stage.length > 0).map(stageOf);
    const usualMs = tests.reduce((total, { ms }) => total + ms, 0);
    return this.#outcome({ mutant, stages }, MAX_TESTS_MS + MAX_TESTS_RATIO * usualMs);
  }

  /** Runs all tests of a file. */
  testFile(mutant: Mutant, file: string, limitMs: number): Promise<Outcome> {
    return this.#outcome({ mutant, stages: [[[file, null]]] }, limitMs);
  }

  async #outcome(order: Order, limitMs: number): Promise<Outcome> {
    const { mutant } = order;
    const answer = await this.#ask(order, limitMs);
    if (answer === "no end") return answer;
    if ("error" in answer) {
      console.error(`${describe(mutant)}: ${answer.error}`);
      return "error";
    }
    return answer.isDetected ? "detected" : "survived";
  }

  #ask(order: Order, limitMs: number): Promise<Answer | "no end"> {
    this.#child ??= fork(path.join(import.meta.dirname, "slot.ts"), { detached: true, stdio: "ignore" });
    const child = this.#child;
    const { promise, resolve, reject } = Promise.withResolvers<Answer | "no end">();
    const timer = setTimeout(() => {
      this[Symbol.dispose]();
      resolve("no end");
    }, limitMs);
    const ended = () => reject(new Error(`the process of ${describe(order.mutant)} ended`));
    child.once("exit", ended);
    child.once("message", (answer: Answer) => resolve(answer));
    child.send(order);
    return promise.finally(() => {
      clearTimeout(timer);
      child.off("exit", ended);
      child.removeAllListeners("message");
    });
  }

  /** Ends the process and its workers, which can be in an endless loop. */
  [Symbol.dispose](): void {
    const { pid } = this.#child ?? {};
    this.#child?.removeAllListeners();
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
    this.#child = undefined;
  }
}

function stageOf(tests: readonly KnownTest[]): Stage {
  const ids = Map.groupBy(tests, ({ file }) => file);
  return [...ids].map(([file, each]) => [file, each.map(({ id }) => id)] as const);
}

/** `test/unit/core/…` and `src/core/…` belong to `core`. */
function moduleOf(file: string): string | undefined {
  return file.replace(/^(src|test\/unit)\//, "").split("/")[0];
}

function isEquivalent(mutant: Mutant): boolean {
  return equivalents.some((each) => isMutant(mutant, each));
}

function isMutant(mutant: Mutant, { file, line, change }: (typeof equivalents)[number]): boolean {
  if (mutant.file !== file) return false;
  const parts = partsOf(mutant);
  return parts.line === line && parts.change === change;
}

/** Returns the line of a mutant, without indentation, and its change, as `equivalents.ts` has them. */
function partsOf({ file, start, end, replacement }: Mutant): { line: string; change: string } {
  const text = textOf(file);
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const short = (part: string) => part.replace(/\s+/g, " ").trim().slice(0, 60) || "(nothing)";
  const change = `${short(text.slice(start, end))} → ${short(replacement)}`;
  return { line: text.slice(from, text.indexOf("\n", start)).trim(), change };
}

function describe(mutant: Mutant): string {
  const number = textOf(mutant.file).slice(0, mutant.start).split("\n").length;
  const { line, change } = partsOf(mutant);
  return `${mutant.file}:${number}  ${change}  in  ${line}`;
}

await main(Number(count), seed);
