import type { EpochMs } from "../time/interval.ts";
import { type ProblemCode, type ProblemRow, problemCatalog } from "./problem-catalog.ts";

/** Something the owner should know and may be able to fix. It is a state: it starts, lasts and ends. */
export interface Problem {
  readonly code: ProblemCode;
  /** What is affected: an account, a series, a part of the daemon. */
  readonly subject: string;
  readonly since: EpochMs;
  /** What to do, in one sentence. */
  readonly advice: string;
  /** What was found, with numbers and names; never a secret. */
  readonly detail: string;
  /** The service's identifier of the answer, to quote to its support. */
  readonly requestId: string | null;
}

/** A problem that was found. The catalogue adds the advice. */
export interface ProblemFound extends Omit<Problem, "advice" | "requestId"> {
  readonly requestId?: string | null;
  /** Values of the placeholders in the catalogue's advice. */
  readonly names?: Readonly<Record<string, string>>;
}

/**
 * The problems of the moment. Starting one that is there already changes nothing, so each is told once when it
 * starts and once when it ends.
 */
export class Problems {
  readonly #current = new Map<string, Problem>();
  readonly #onChange: (problem: Problem, state: "started" | "ended") => void;

  constructor(onChange: (problem: Problem, state: "started" | "ended") => void) {
    this.#onChange = onChange;
  }

  /** All there are. Shape: oldest first. */
  list(): Problem[] {
    return [...this.#current.values()].sort((a, b) => a.since - b.since);
  }

  /** That of a subject; null where it has none. */
  of(subject: string): Problem | null {
    return this.#current.get(subject) ?? null;
  }

  start({ names = {}, requestId = null, ...found }: ProblemFound): void {
    const before = this.#current.get(found.subject);
    if (before?.code === found.code) return;
    if (before) this.#onChange(before, "ended");
    const problem = { ...found, requestId, advice: adviceOf(found.code, names) };
    this.#current.set(problem.subject, problem);
    this.#onChange(problem, "started");
  }

  end(subject: string): void {
    const before = this.#current.get(subject);
    if (!before) return;
    this.#current.delete(subject);
    this.#onChange(before, "ended");
  }
}

function adviceOf(code: ProblemCode, names: Readonly<Record<string, string>>): string {
  const { advice }: ProblemRow = problemCatalog[code];
  return advice.replace(/\{(\w+)\}/g, (placeholder, name: string) => names[name] ?? placeholder);
}
