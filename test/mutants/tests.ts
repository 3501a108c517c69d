/** Runs unit tests in this process: all, to see which functions each reaches, or some, with one source replaced. */
import { availableParallelism } from "node:os";
import path from "node:path";
import { createVitest, type TestCase, type TestSpecification, type Vitest } from "vitest/node";
import { MODULES, type Mutant, ROOT, sources, textOf, withProbes } from "./sources.ts";

/** A test and the functions, by number, that it or its file before it reached. */
export interface KnownTest {
  readonly id: string;
  /** Relative to the root. */
  readonly file: string;
  readonly ms: number;
  readonly reached: readonly number[];
  readonly reachedBefore: readonly number[];
}

const HOUR_MS = 3_600_000;
/** A mutant can make a wait of a flow test endless. */
const POLL_MS = 20_000;

export class Tests implements AsyncDisposable {
  #vitest: Vitest | undefined;
  /** Text that takes the place of a file's own, by absolute path. */
  #textFor: (file: string) => string | null = () => null;
  #cases: TestCase[] = [];

  /** Runs all tests of some modules. */
  async map(modules: readonly (string | undefined)[]): Promise<KnownTest[]> {
    this.#textFor = (file) => {
      const source = sources().get(path.relative(ROOT, file));
      return source ? withProbes(source) : null;
    };
    const vitest = await this.#started(["test/mutants/reached.ts"], availableParallelism());
    await vitest.runTestSpecifications(
      await vitest.globTestSpecifications(modules.map((module) => `test/unit/${module}/`)),
    );
    return this.#cases.flatMap((test) => {
      const { reached = [], reachedBefore = [] } = test.meta();
      if (test.result().state === "failed")
        console.log(`left out, because it fails without a mutant: ${test.fullName}`);
      const file = path.relative(ROOT, test.module.moduleId);
      const ms = test.diagnostic()?.duration ?? 0;
      return test.result().state === "passed" ? [{ id: test.id, file, ms, reached, reachedBefore }] : [];
    });
  }

  /** Returns the test files below a folder that load a source. */
  async filesThatLoad(file: string, folder: string): Promise<string[]> {
    const vitest = await this.#started([], 1);
    // The only way to ask for it: `vitest related`.
    vitest.config.related = [path.join(ROOT, file)];
    const found = await vitest.getRelevantTestSpecifications([folder]);
    return found.map(({ moduleId }) => path.relative(ROOT, moduleId));
  }

  /** Returns whether one of the tests fails with the mutant. A file without ids means all of its tests. */
  async detect(mutant: Mutant, files: ReadonlyMap<string, readonly string[] | undefined>): Promise<boolean> {
    const text = textOf(mutant.file);
    const changed = text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end);
    const absolute = path.join(ROOT, mutant.file);
    this.#textFor = (file) => (file === absolute ? changed : null);
    const vitest = await this.#started([], 1);
    vitest.invalidateFile(absolute);
    this.#cases = [];
    const project = vitest.getRootProject();
    const specifications: TestSpecification[] = [...files].map(([file, testIds]) =>
      project.createSpecification(path.join(ROOT, file), testIds ? { testIds: [...testIds] } : undefined),
    );
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    vitest.invalidateFile(absolute);
    const wanted = new Set(specifications.map(({ moduleId }) => moduleId));
    // A hook that fails skips its tests.
    const broken = testModules.some((module) => wanted.has(module.moduleId) && !module.ok());
    const states = this.#cases.map((test) => test.result().state);
    if (!broken && !states.some((state) => state === "passed" || state === "failed")) throw new Error("no test ran");
    return broken || unhandledErrors.length > 0 || states.includes("failed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#vitest?.close();
    this.#vitest = undefined;
  }

  async #started(setupFiles: readonly string[], maxWorkers: number): Promise<Vitest> {
    if (this.#vitest) return this.#vitest;
    const plugin = {
      name: "mutant",
      enforce: "pre" as const,
      load: (id: string) => this.#textFor(id.split("?")[0] ?? ""),
    };
    this.#vitest = await createVitest(
      {
        config: false,
        root: ROOT,
        watch: false,
        include: [...MODULES.map((module) => `test/unit/${module}/**/*.test.ts`), "test/flow/**/*.test.ts"],
        isolate: false,
        // All tests run once without a mutant; then the first that fails is enough.
        bail: maxWorkers > 1 ? 0 : 1,
        expect: { poll: { timeout: POLL_MS, interval: 10 } },
        // It knows a source by its text on disk, which a mutant does not change.
        fsModuleCache: false,
        maxWorkers,
        testTimeout: HOUR_MS,
        hookTimeout: HOUR_MS,
        deps: { interopDefault: false },
        setupFiles: ["test/support/runner/property-settings.ts", ...setupFiles],
        reporters: [{ onTestCaseResult: (test) => void this.#cases.push(test) }],
      },
      { plugins: [plugin] },
    );
    return this.#vitest;
  }
}
