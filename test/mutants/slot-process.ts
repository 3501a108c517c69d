/** Child process that runs tests in a copy of the project. The parent ends it, with its workers, if a test never ends. */
import { type Result, type Stage, Tests } from "./tests.ts";

/** A source that has changed, and the tests to run, one stage after another until one fails. */
export interface Order {
  readonly file: string;
  readonly stages: readonly Stage[];
}
export type Answer = Result | { readonly error: string };

const [root = ""] = process.argv.slice(2);
const tests = new Tests(root, 1);

async function answerTo({ file, stages }: Order): Promise<Answer> {
  try {
    for (const stage of stages) {
      const result = await tests.run(file, stage);
      if (result.isFailed) return result;
    }
    return { isFailed: false, failed: [] };
  } catch (error) {
    return { error: String(error) };
  }
}

process.on("message", (order: Order) => void answerTo(order).then((answer) => process.send?.(answer)));
