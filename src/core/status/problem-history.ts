import type { EpochMs } from "../time/interval.ts";
import type { Problem } from "./problem.ts";

/** A problem that was, or still is: `endedAt` is null while it lasts. */
export interface PastProblem extends Problem {
  readonly endedAt: EpochMs | null;
}

/** Problems that are remembered after their end, for the owner who looks in the morning. */
const MAX_REMEMBERED = 30;

/** The last problems of this life of the daemon, also those that are over. */
export class ProblemHistory {
  /** Bounded by MAX_REMEMBERED. Shape: oldest first. */
  #past: PastProblem[] = [];

  note(problem: Problem, state: "started" | "ended", now: EpochMs): void {
    const same = ({ code, subject, endedAt }: PastProblem) =>
      endedAt === null && code === problem.code && subject === problem.subject;
    if (state === "started") this.#past = [...this.#past, { ...problem, endedAt: null }].slice(-MAX_REMEMBERED);
    else this.#past = this.#past.map((past) => (same(past) ? { ...past, endedAt: now } : past));
  }

  /** Shape: newest first. */
  list(): readonly PastProblem[] {
    return [...this.#past].reverse();
  }
}
