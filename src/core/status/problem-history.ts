import type { EpochMs } from "../time/interval.ts";
import type { Problem } from "./problem.ts";

/** Past or current problem; `endedAt` is null while it lasts. */
export interface PastProblem extends Problem {
  readonly endedAt: EpochMs | null;
}

/** Maximum remembered problems, including those that have ended. */
const MAX_REMEMBERED = 30;

/** Last problems since the daemon started, including those that have ended. */
export class ProblemHistory {
  /** Bounded by MAX_REMEMBERED. Shape: oldest first. */
  #past: PastProblem[] = [];

  note(problem: Problem, state: "started" | "ended", now: EpochMs): void {
    const same = ({ code, subject, endedAt }: PastProblem) =>
      endedAt === null && code === problem.code && subject === problem.subject;
    if (state === "started") this.#past = [...this.#past, { ...problem, endedAt: null }].slice(-MAX_REMEMBERED);
    else this.#past = this.#past.map((past) => (same(past) ? { ...past, endedAt: now } : past));
  }

  /** Returns the problems. Shape: newest first. */
  list(): readonly PastProblem[] {
    return [...this.#past].reverse();
  }
}
