/** Tries mutants in a copy of the project, in a child process, and in the one after it if a test does not end. */
import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { Copy } from "./copy.ts";
import type { Answer, Order } from "./slot-process.ts";
import { describe, type Mutant } from "./sources.ts";
import type { KnownTest, Stage } from "./tests.ts";

export type Outcome = "detected" | "by flow" | "survived" | "not reached" | "no end" | "error";

/** Tests of a mutant: those of its module's unit tests, and its flow tests. */
export type TestsOfMutant = { readonly unit: readonly KnownTest[]; readonly flow: readonly KnownTest[] };

/** The first tests of a mutant: those that need no longer, up to this sum. */
const QUICK_TEST_MS = 200;
const QUICK_TESTS_MS = 3_000;
/** Flow tests of one mutant, the quick ones first, up to this sum without a mutant. */
const MAX_FLOW_MS = 60_000;
/** Maximum time of a mutant's tests: this, and this multiple of what they need without it. */
const MAX_TESTS_MS = 45_000;
const MAX_TESTS_RATIO = 5;

export class Slot implements Disposable {
  readonly #copy = new Copy();
  #child: ChildProcess | undefined;
  /** Tests that have failed without a mutant, too. */
  readonly #unsound = new Set<string>();

  /** Runs the unit tests, the quick ones first, and then the flow tests if those detect nothing. */
  async outcome(mutant: Mutant, { unit, flow }: TestsOfMutant): Promise<Outcome> {
    const [quick, slow] = split(unit, QUICK_TESTS_MS, QUICK_TEST_MS);
    const [quickFlow, slowFlow] = split(flow, MAX_FLOW_MS / 4);
    const [rest] = split(slowFlow, MAX_FLOW_MS - MAX_FLOW_MS / 4);
    if (unit.length + flow.length === 0) return "not reached";
    const outcome = await this.#try(mutant, [quick, slow]);
    if (outcome !== "survived" || flow.length === 0) return outcome;
    const byFlow = await this.#try(mutant, [quickFlow, rest]);
    return byFlow === "detected" || byFlow === "no end" ? "by flow" : byFlow;
  }

  async #try(mutant: Mutant, tests: readonly (readonly KnownTest[])[]): Promise<Outcome> {
    const sound = tests.map((stage) => stage.filter(({ id }) => !this.#unsound.has(id)));
    const usualMs = sound.flat().reduce((total, { ms }) => total + ms, 0);
    const stages = sound.filter((stage) => stage.length > 0).map(stageOf);
    if (stages.length === 0) return "survived";
    this.#copy.break(mutant);
    if (sound.flat().some(({ isOfBuild }) => isOfBuild) && !(await this.#copy.build())) return "detected";
    const answer = await this.#ask({ file: mutant.file, stages }, MAX_TESTS_MS + MAX_TESTS_RATIO * usualMs);
    if (answer === "no end") return answer;
    if ("error" in answer) {
      console.error(`${describe(mutant)}: ${answer.error}`);
      return "error";
    }
    if (!answer.isFailed) return "survived";
    if (!(await this.#failAlways(mutant, sound.flat(), answer.failed))) return "detected";
    return this.#try(mutant, tests);
  }

  /** Whether tests that failed also fail without the mutant. They do not count from now on. */
  async #failAlways(mutant: Mutant, tests: readonly KnownTest[], failed: readonly string[]): Promise<boolean> {
    const same = tests.filter(({ id }) => failed.includes(id));
    if (same.length === 0) return false;
    this.#copy.mend();
    if (same.some(({ isOfBuild }) => isOfBuild)) await this.#copy.build();
    const answer = await this.#ask({ file: mutant.file, stages: [stageOf(same)] }, 4 * MAX_TESTS_MS);
    if (answer !== "no end" && "isFailed" in answer && !answer.isFailed) return false;
    for (const { id, file } of same) {
      this.#unsound.add(id);
      console.log(`left out, because it fails without a mutant: ${id} of ${file}`);
    }
    return true;
  }

  #ask(order: Order, limitMs: number): Promise<Answer | "no end"> {
    this.#child ??= fork(path.join(import.meta.dirname, "slot-process.ts"), [this.#copy.root], {
      detached: true,
      stdio: "ignore",
      env: { ...process.env, TEST_LIMITS: "short" },
    });
    const child = this.#child;
    const { promise, resolve, reject } = Promise.withResolvers<Answer | "no end">();
    const timer = setTimeout(() => {
      this.#end();
      resolve("no end");
    }, limitMs);
    const ended = () => reject(new Error(`the process of ${order.file} ended`));
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
  #end(): void {
    const { pid } = this.#child ?? {};
    this.#child?.removeAllListeners();
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
    this.#child = undefined;
  }

  [Symbol.dispose](): void {
    this.#end();
    this.#copy[Symbol.dispose]();
  }
}

/** Returns tests up to a sum of their durations, the quick ones first, and the others. */
function split(tests: readonly KnownTest[], maxSumMs: number, maxMs = maxSumMs): [KnownTest[], KnownTest[]] {
  let sum = 0;
  const sorted = tests.toSorted((a, b) => a.ms - b.ms);
  const end = sorted.findIndex(({ ms }) => {
    sum += ms;
    return ms > maxMs || sum > maxSumMs;
  });
  return end < 0 ? [sorted, []] : [sorted.slice(0, end), sorted.slice(end)];
}

function stageOf(tests: readonly KnownTest[]): Stage {
  const ids = Map.groupBy(tests, ({ file }) => file);
  return [...ids].map(([file, each]) => [file, each.map(({ id }) => id)] as const);
}
