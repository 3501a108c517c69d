/** Facts about the daemon, ready to be shown. */
import type { Problem, System } from "./answers.ts";
import type { Words } from "./page.ts";

/** Problems that last, the newest first. */
export function presentProblems(system: System | null): Problem[] {
  return (system?.problems ?? []).filter(({ ended_at }) => ended_at === null).reverse();
}

/** Problems that have ended, the last first. */
export function pastProblems(system: System | null, most: number): (Problem & { readonly ended_at: string })[] {
  const past = (system?.problems ?? []).flatMap((problem) =>
    problem.ended_at === null ? [] : { ...problem, ended_at: problem.ended_at },
  );
  return past.sort((a, b) => (a.ended_at < b.ended_at ? 1 : -1)).slice(0, most);
}

const ANSWERED = /^(2\d\d|304)$/;

/** Requests of today by outcome: answered, in flight, refused, without an answer. */
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

/** An age in the largest unit that fits: `3 h ago`, in the language of the page. Unit: seconds. */
export function ageText(seconds: number, { t, f: { locale } }: Words): string {
  const [unit, length] = STEPS.find(([, size]) => seconds >= size) ?? [];
  if (!unit) return t("just_now");
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "always", style: "short" });
  return format.format(-Math.floor(seconds / length), unit);
}
