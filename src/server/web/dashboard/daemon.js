/** What the daemon tells of itself, made ready to be shown. */

/** Problems that there are now, the newest first. */
export function presentProblems(system) {
  return (system?.problems ?? []).filter((problem) => !problem.ended_at).reverse();
}

/** Problems that are over, the last first. */
export function pastProblems(system, most) {
  return (system?.problems ?? [])
    .filter((problem) => problem.ended_at)
    .sort((a, b) => (a.ended_at < b.ended_at ? 1 : -1))
    .slice(0, most);
}

const ANSWERED = /^(2\d\d|304)$/;

/** Requests of today by what became of them: answered, waiting, refused, without an answer. */
export function outcomesOf(byOutcome) {
  return Object.entries(byOutcome ?? {})
    .map(([outcome, count]) => ({ outcome, count, good: ANSWERED.test(outcome) }))
    .sort((a, b) => Number(b.good) - Number(a.good) || b.count - a.count);
}

/** An age in the largest unit that fits: `3 h ago`, in the words of the language. Unit: seconds. */
export function ageText(seconds, { t, f: { locale } }) {
  if (seconds < 60) return t("just_now");
  const steps = [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ];
  const [unit, length] = steps.find(([, size]) => seconds >= size) ?? ["minute", 60];
  return new Intl.RelativeTimeFormat(locale, { numeric: "always", style: "short" }).format(
    -Math.floor(seconds / length),
    unit,
  );
}
