import type { Language } from "../language/language.ts";
import { message, type Text, textIn } from "../language/text.ts";
import type { EpochMs } from "../time/interval.ts";
import { type ProblemCode, problemCatalog } from "./problem-catalog.ts";

/** Condition that the owner should know about and may be able to fix. It has a start and an end. */
export interface Problem {
  readonly code: ProblemCode;
  /** Affected account, series or component. */
  readonly subject: string;
  /** Address of the home that it concerns; absent if it concerns none. */
  readonly address?: string | undefined;
  readonly since: EpochMs;
  /** Remedy in one sentence, in English as in the log. */
  readonly advice: string;
  /** Finding with numbers and names, in English as in the log; never a secret. */
  readonly detail: string;
  /** Request id of the service's response, for its support. */
  readonly requestId: string | null;
  /** Parts of advice and detail for other languages; absent if the texts exist in English only. */
  readonly facts?: ProblemFacts;
}

type ProblemFacts = { readonly names: Readonly<Record<string, Text>>; readonly detail: Text };

/** Problem to report. Its advice is added by its code. */
export interface ProblemFound extends Omit<Problem, "advice" | "detail" | "requestId" | "facts"> {
  readonly requestId?: string | null;
  readonly detail: Text;
  /** Values of the placeholders in the advice. */
  readonly names?: Readonly<Record<string, Text>>;
}

/** Current problems, one per subject. `onChange` is called once per start and end, not for another detail. */
export class Problems {
  readonly #current = new Map<string, Problem>();
  readonly #onChange: (problem: Problem, state: "started" | "ended") => void;

  constructor(onChange: (problem: Problem, state: "started" | "ended") => void) {
    this.#onChange = onChange;
  }

  /** Returns all current problems. Shape: most important first, as in the catalogue; of the same code, oldest first. */
  list(): Problem[] {
    const importance = Object.keys(problemCatalog);
    const rank = ({ code }: Problem) => importance.indexOf(code);
    return [...this.#current.values()].sort((a, b) => rank(a) - rank(b) || a.since - b.since);
  }

  /** Returns the problem of a subject; null if it has none. */
  of(subject: string): Problem | null {
    return this.#current.get(subject) ?? null;
  }

  start({ names = {}, requestId = null, ...found }: ProblemFound): void {
    const before = this.#current.get(found.subject);
    const isKnown = before?.code === found.code;
    if (before && !isKnown) this.#onChange(before, "ended");
    const detail = textIn("en", found.detail);
    const facts = { names, detail: found.detail };
    const since = isKnown ? before.since : found.since;
    const problem = { ...found, since, requestId, advice: adviceIn("en", found.code, names), detail, facts };
    this.#current.set(problem.subject, problem);
    if (!isKnown) this.#onChange(problem, "started");
  }

  end(subject: string): void {
    const before = this.#current.get(subject);
    if (!before) return;
    this.#current.delete(subject);
    this.#onChange(before, "ended");
  }
}

/** Starts a problem, or ends that of its subject if `detail` is null. */
export function setProblem(
  problems: Pick<Problems, "start" | "end">,
  { detail, ...found }: Omit<ProblemFound, "detail"> & { readonly detail: Text | null },
): void {
  if (detail === null) problems.end(found.subject);
  else problems.start({ ...found, detail });
}

/** Returns a problem with its advice and detail in a language. */
export function problemIn<Shown extends Pick<Problem, "code" | "advice" | "detail" | "facts">>(
  language: Language,
  problem: Shown,
): Shown {
  const { code, facts } = problem;
  if (!facts || language === "en") return problem;
  return { ...problem, advice: adviceIn(language, code, facts.names), detail: textIn(language, facts.detail) };
}

function adviceIn(language: Language, code: ProblemCode, names: ProblemFacts["names"]): string {
  return textIn(language, message(`advice.${code}`, names));
}
