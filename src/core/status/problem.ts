import type { EpochMs } from "../time/interval.ts";
import { type ProblemCode, type ProblemRow, problemCatalog } from "./problem-catalog.ts";

/** Condition that the owner should know about and may be able to fix. It has a start and an end. */
export interface Problem {
  readonly code: ProblemCode;
  /** Affected account, series or component. */
  readonly subject: string;
  readonly since: EpochMs;
  /** Remedy in one sentence. */
  readonly advice: string;
  /** Finding with numbers and names; never a secret. */
  readonly detail: string;
  /** Request id of the service's response, for its support. */
  readonly requestId: string | null;
}

/** Problem to report. `problemCatalog` adds the advice. */
export interface ProblemFound extends Omit<Problem, "advice" | "requestId"> {
  readonly requestId?: string | null;
  /** Values of the placeholders in the catalogue's advice. */
  readonly names?: Readonly<Record<string, string>>;
}

/**
 * Current problems, one per subject. Starting a problem that already exists does nothing, so `onChange` is called once
 * per start and once per end.
 */
export class Problems {
  readonly #current = new Map<string, Problem>();
  readonly #onChange: (problem: Problem, state: "started" | "ended") => void;

  constructor(onChange: (problem: Problem, state: "started" | "ended") => void) {
    this.#onChange = onChange;
  }

  /** Returns all current problems. Shape: oldest first. */
  list(): Problem[] {
    return [...this.#current.values()].sort((a, b) => a.since - b.since);
  }

  /** Returns the problem of a subject; null if it has none. */
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
