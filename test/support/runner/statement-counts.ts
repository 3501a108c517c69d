/** Counts what the program asks of SQLite, by the prototypes of node:sqlite, and the JSON texts that it makes. */
import { DatabaseSync, type SQLInputValue, StatementSync } from "node:sqlite";

/** Methods that run a statement. */
const RUNS = ["run", "get", "all", "iterate"] as const;

export class StatementCounts implements Disposable {
  readonly #stack = new DisposableStack();
  #counts = { prepared: 0, run: 0, writtenBytes: 0, texts: 0 };

  constructor() {
    const database = DatabaseSync.prototype;
    this.#wrap(database, "prepare", () => this.#counts.prepared++);
    this.#wrap(JSON, "stringify", () => this.#counts.texts++);
    for (const method of RUNS)
      this.#wrap(StatementSync.prototype, method, (values) => {
        this.#counts.run++;
        if (method === "run") this.#counts.writtenBytes += values.reduce((sum: number, each) => sum + bytesOf(each), 0);
      });
  }

  /** Returns the counts since the last `take`. The bytes are those of the texts and blobs that statements were given. */
  take(): Record<string, number> {
    const { prepared, run, writtenBytes, texts } = this.#counts;
    this.#counts = { prepared: 0, run: 0, writtenBytes: 0, texts: 0 };
    return {
      "statements prepared": prepared,
      "statements run": run,
      "bytes stored": writtenBytes,
      "JSON texts": texts,
    };
  }

  #wrap<Name extends string>(
    target: Record<Name, (...values: never[]) => unknown>,
    name: Name,
    onCall: (values: readonly SQLInputValue[]) => void,
  ): void {
    const original = target[name];
    target[name] = function (this: unknown, ...values: never[]) {
      onCall(values);
      return original.apply(this, values);
    };
    this.#stack.defer(() => {
      target[name] = original;
    });
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }
}

function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return ArrayBuffer.isView(value) ? value.byteLength : 0;
}
