/** Selects and groups the daemon's problems for display. */
import type { ProblemAnswer, System } from "../store/answers.ts";
import { capitalised } from "../words/format.ts";

/** Returns the current problems, newest first. */
export function presentProblems(system: System | null): ProblemAnswer[] {
  return (system?.problems ?? []).filter(({ ended_at }) => ended_at === null).reverse();
}

/** Returns at most `most` ended problems, the last one first. */
export function pastProblems(system: System | null, most: number): (ProblemAnswer & { readonly ended_at: string })[] {
  const past = (system?.problems ?? []).flatMap((problem) =>
    problem.ended_at === null ? [] : { ...problem, ended_at: problem.ended_at },
  );
  return past.sort((a, b) => (a.ended_at < b.ended_at ? 1 : -1)).slice(0, most);
}

/** Problems of one kind. */
export type ProblemGroup = { readonly first: ProblemAnswer; readonly count: number };

/** Returns problems by their code, in the order of the first of each. */
export function groupedProblems(problems: readonly ProblemAnswer[]): ProblemGroup[] {
  const groups = Map.groupBy(problems, ({ code }) => code);
  return [...groups.values()].flatMap(([first, ...others]) => (first ? [{ first, count: 1 + others.length }] : []));
}

/** Returns a text as a sentence: with a capital letter and a full stop. */
export function sentence(text: string): string {
  return `${capitalised(text)}${text.endsWith(".") ? "" : "."}`;
}
