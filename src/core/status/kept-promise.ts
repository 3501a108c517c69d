/** What happens when a promise of the program does not hold: the step ends in its safe state and is a problem. */
import { InvariantError } from "../invariant.ts";
import { message } from "../language/text.ts";
import type { EpochMs } from "../time/interval.ts";
import type { Problems } from "./problem.ts";
import { VERSION } from "./version.ts";

/** A step whose promises are checked. */
interface Step<Result> {
  /** What it is about, such as `plan car`. */
  readonly of: string;
  readonly now: EpochMs;
  readonly run: () => Result;
  /** Returns the safe state. It must not depend on what `run` did. */
  readonly safe: () => Result;
}

/** Returns the result of a step, or its safe state if a promise does not hold, which is a problem until the next start. */
export function keepingPromises<Result>(
  problems: Pick<Problems, "start">,
  { of, now, run, safe }: Step<Result>,
): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error;
    reportBroken(problems, of, error, now);
    return safe();
  }
}

/** Reports a promise that does not hold. Its text names neither secrets nor values. */
export function reportBroken(
  problems: Pick<Problems, "start">,
  of: string,
  { message: what }: InvariantError,
  now: EpochMs,
): void {
  const detail = message("found.promise_broken", { what, of, version: VERSION });
  problems.start({ code: "promise_broken", subject: `promise of ${of}`, since: now, detail });
}
