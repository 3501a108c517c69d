/** Counts calls of the program's functions with the precise coverage of V8. The program does not change for it. */
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import path from "node:path";

const SOURCES = path.resolve(import.meta.dirname, "../../../src");

/** Functions of files of `src`, by what their calls are. `file` is a path below `src`. */
export type Counted = Readonly<Record<string, { readonly file: string; readonly functions: readonly string[] }>>;

export class CallCounts implements AsyncDisposable {
  readonly #session = new Session();
  readonly #counted: Counted;

  private constructor(counted: Counted) {
    this.#counted = counted;
    this.#session.connect();
  }

  /** Starts to count. Throws if a file has no function of a name, so that a renamed one is not counted as 0. */
  static async start(counted: Counted): Promise<CallCounts> {
    for (const { file, functions } of Object.values(counted)) {
      const text = readFileSync(path.join(SOURCES, file), "utf8");
      const missing = functions.filter((name) => !text.includes(`${name}(`) && !text.includes(`${name}<`));
      if (missing.length > 0) throw new Error(`src/${file} has no function ${missing.join(", ")} to count`);
    }
    const counts = new CallCounts(counted);
    await counts.#session.post("Profiler.enable");
    await counts.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    return counts;
  }

  /** Returns the calls since the last `take`. */
  async take(): Promise<Record<string, number>> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    const calls = new Map<string, number>();
    for (const { url, functions } of result)
      for (const { functionName, ranges } of functions) {
        const name = `${url.slice(url.indexOf(SOURCES)).split("?")[0]} ${functionName}`;
        calls.set(name, (calls.get(name) ?? 0) + (ranges[0]?.count ?? 0));
      }
    return Object.fromEntries(
      Object.entries(this.#counted).map(([name, { file, functions }]) => [
        name,
        functions.reduce((sum, each) => sum + (calls.get(`${path.join(SOURCES, file)} ${each}`) ?? 0), 0),
      ]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.post("Profiler.stopPreciseCoverage");
    await this.#session.post("Profiler.disable");
    this.#session.disconnect();
  }
}
