/** Prepares data about the daemon for display. */
import type { Problem, System } from "./answers.ts";
import type { Words } from "./page.ts";

/** Returns the current problems, newest first. */
export function presentProblems(system: System | null): Problem[] {
  return (system?.problems ?? []).filter(({ ended_at }) => ended_at === null).reverse();
}

/** Returns at most `most` ended problems, the last one first. */
export function pastProblems(system: System | null, most: number): (Problem & { readonly ended_at: string })[] {
  const past = (system?.problems ?? []).flatMap((problem) =>
    problem.ended_at === null ? [] : { ...problem, ended_at: problem.ended_at },
  );
  return past.sort((a, b) => (a.ended_at < b.ended_at ? 1 : -1)).slice(0, most);
}

const ANSWERED = /^(2\d\d|304)$/;

/** Returns the counts of today's requests by outcome, successful ones first. */
export function outcomesOf(byOutcome: Readonly<Record<string, number>>) {
  return Object.entries(byOutcome)
    .map(([outcome, count]) => ({ outcome, count, good: ANSWERED.test(outcome) }))
    .sort((a, b) => Number(b.good) - Number(a.good) || b.count - a.count);
}

const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Returns an age in its largest unit in the language of the page, for instance `3 h ago`. Unit of `seconds`: s. */
export function ageText(seconds: number, { t, f: { locale } }: Words): string {
  const [unit, length] = STEPS.find(([, size]) => seconds >= size) ?? [];
  if (!unit) return t("just_now");
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "always", style: "short" });
  return format.format(-Math.floor(seconds / length), unit);
}
