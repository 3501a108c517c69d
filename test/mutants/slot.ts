/** Child process that tests mutants one after another. The parent ends it, with its workers, if a test never ends. */
import type { Mutant } from "./sources.ts";
import { Tests } from "./tests.ts";

export interface Order {
  readonly mutant: Mutant;
  /** Test files by name with the ids of their tests; null means all. */
  readonly stages: readonly (readonly (readonly [string, readonly string[] | null])[])[];
}

export type Answer = { readonly isDetected: boolean } | { readonly error: string };

const tests = new Tests();

async function answerTo({ mutant, stages }: Order): Promise<Answer> {
  try {
    for (const stage of stages) {
      const files = new Map(stage.map(([file, ids]) => [file, ids ?? undefined]));
      if (await tests.detect(mutant, files)) return { isDetected: true };
    }
    return { isDetected: false };
  } catch (error) {
    return { error: String(error) };
  }
}

process.on("message", (order: Order) => void answerTo(order).then((answer) => process.send?.(answer)));
