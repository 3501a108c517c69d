/** Runs tests of a copy of the project: all of some modules, to see which functions each reaches, or some. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { createVitest, type TestCase, type Vitest } from "vitest/node";
import { foldersOf, MODULES } from "./sources.ts";

/** A test and the functions, by number, that it or its file before it reached. */
export interface KnownTest {
  readonly id: string;
  /** Relative to the root. */
  readonly file: string;
  readonly ms: number;
  readonly reached: readonly number[];
  readonly reachedBefore: readonly number[];
  /** Whether its file starts programs, which do not say what they reach. */
  readonly hasPrograms: boolean;
  /** Whether it needs the built program, or its page. */
  readonly isOfBuild: boolean;
}

/** Test files, relative to the root, with the ids of their tests. */
export type Stage = readonly (readonly [string, readonly string[]])[];

/** Whether a test has failed, and the ids of those that have. Without ids, a file cannot be loaded. */
export type Result = { readonly isFailed: boolean; readonly failed: readonly string[] };

const HOUR_MS = 3_600_000;
/** A mutant can make a wait of a test endless. */
const POLL_MS = 20_000;
const PROGRAMS = /support\/processes\/|dist\/elbro\.cjs|\.spawn\(/;

export class Tests implements AsyncDisposable {
  readonly #root: string;
  readonly #workers: number;
  #vitest: Vitest | undefined;
  #cases: TestCase[] = [];

  constructor(root: string, workers: number) {
    this.#root = root;
    this.#workers = workers;
  }

  /** Runs all tests of some modules in a copy whose sources have probes. */
  async map(modules: readonly string[]): Promise<KnownTest[]> {
    const vitest = await this.#started(["test/mutants/reached.ts"]);
    const folders = modules.flatMap((module) => foldersOf(module).map((folder) => `test/${folder}/`));
    await vitest.runTestSpecifications(await vitest.globTestSpecifications([...new Set(folders)]));
    return this.#cases.flatMap((test) => {
      const { reached = [], reachedBefore = [] } = test.meta();
      if (test.result().state === "failed")
        console.log(`left out, because it fails without a mutant: ${test.fullName}: ${firstErrorOf(test)}`);
      const file = path.relative(this.#root, test.module.moduleId);
      const hasPrograms = PROGRAMS.test(readFileSync(test.module.moduleId, "utf8"));
      const ms = test.diagnostic()?.duration ?? 0;
      const isOfBuild = hasPrograms || file.startsWith("test/browser/");
      const known = { id: test.id, file, ms, reached, reachedBefore, hasPrograms, isOfBuild };
      return test.result().state === "passed" ? [known] : [];
    });
  }

  /** Returns the test files below a folder that load a source. */
  async filesThatLoad(file: string, folder: string): Promise<Set<string>> {
    const vitest = await this.#started([]);
    // The only way to ask for it: `vitest related`.
    vitest.config.related = [path.join(this.#root, file)];
    const found = await vitest.getRelevantTestSpecifications([folder]);
    return new Set(found.map(({ moduleId }) => path.relative(this.#root, moduleId)));
  }

  /** Runs some tests until one fails, after a change of a source. */
  async run(source: string, tests: Stage): Promise<Result> {
    const vitest = await this.#started([]);
    vitest.invalidateFile(path.join(this.#root, source));
    this.#cases = [];
    const project = vitest.getRootProject();
    const specifications = tests.map(([file, ids]) =>
      project.createSpecification(path.join(this.#root, file), { testIds: [...ids] }),
    );
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    const wanted = new Set(specifications.map(({ moduleId }) => moduleId));
    // A hook that fails skips its tests.
    const isBroken = testModules.some((module) => wanted.has(module.moduleId) && !module.ok());
    const states = Map.groupBy(this.#cases, (test) => test.result().state);
    if (!isBroken && !states.has("passed") && !states.has("failed")) throw new Error("no test ran");
    const failed = (states.get("failed") ?? []).map(({ id }) => id);
    return { isFailed: isBroken || unhandledErrors.length > 0 || failed.length > 0, failed };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#vitest?.close();
    this.#vitest = undefined;
  }

  async #started(setupFiles: readonly string[]): Promise<Vitest> {
    this.#vitest ??= await createVitest({
      config: false,
      root: this.#root,
      watch: false,
      include: MODULES.flatMap(foldersOf).map((folder) => `test/${folder}/**/*.test.ts`),
      isolate: false,
      // All tests run once without a mutant; then the first that fails is enough.
      bail: this.#workers > 1 ? 0 : 1,
      expect: { poll: { timeout: this.#workers > 1 ? HOUR_MS : POLL_MS, interval: 10 } },
      // It knows a source by its text on disk.
      fsModuleCache: false,
      maxWorkers: this.#workers,
      testTimeout: HOUR_MS,
      hookTimeout: HOUR_MS,
      deps: { interopDefault: false },
      setupFiles: ["property-settings", "promise-oracle"]
        .map((name) => `test/support/runner/${name}.ts`)
        .concat(setupFiles),
      reporters: [{ onTestCaseResult: (test) => void this.#cases.push(test) }],
    });
    return this.#vitest;
  }
}

function firstErrorOf(test: TestCase): string {
  return test.result().errors?.[0]?.message.split("\n")[0] ?? "";
}
