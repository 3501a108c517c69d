import type { Language } from "../language/language.ts";
import { filled, type Text, textIn, translations } from "../language/text.ts";
import type { EpochMs } from "../time/interval.ts";
import { type ProblemCode, type ProblemRow, problemCatalog } from "./problem-catalog.ts";

/** Something the owner should know and may be able to fix. It is a state: it starts, lasts and ends. */
export interface Problem {
  readonly code: ProblemCode;
  /** What is affected: an account, a series, a part of the daemon. */
  readonly subject: string;
  readonly since: EpochMs;
  /** What to do, in one sentence. English, as in the log. */
  readonly advice: string;
  /** What was found, with numbers and names; never a secret. English, as in the log. */
  readonly detail: string;
  /** The service's identifier of the answer, to quote to its support. */
  readonly requestId: string | null;
  /** What advice and detail are made from in any language; absent where there is no more than the English. */
  readonly facts?: ProblemFacts;
}

interface ProblemFacts {
  readonly names: Readonly<Record<string, Text>>;
  readonly detail: Text;
}

/** A problem that was found. The catalogue adds the advice. */
export interface ProblemFound extends Omit<Problem, "advice" | "detail" | "requestId" | "facts"> {
  readonly requestId?: string | null;
  readonly detail: Text;
  /** Values of the placeholders in the catalogue's advice. */
  readonly names?: Readonly<Record<string, Text>>;
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
    const detail = textIn("en", found.detail);
    const facts = { names, detail: found.detail };
    const problem = { ...found, requestId, advice: adviceIn("en", found.code, names), detail, facts };
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

/** Advice and detail of a problem in a language. */
export function problemIn<Shown extends Pick<Problem, "code" | "advice" | "detail" | "facts">>(
  language: Language,
  problem: Shown,
): Shown {
  const { code, facts } = problem;
  if (!facts || language === "en") return problem;
  return { ...problem, advice: adviceIn(language, code, facts.names), detail: textIn(language, facts.detail) };
}

function adviceIn(language: Language, code: ProblemCode, names: ProblemFacts["names"]): string {
  const { advice }: ProblemRow = problemCatalog[code];
  return filled(language, language === "en" ? advice : translations[language].advice[code], names);
}
