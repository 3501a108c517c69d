/** What the runs of a day saved together, for the page and the notification. */

/** A lower saving is not worth a sentence. Unit: currency. */
export const MIN_SAVED = 0.5;

/** Returns what runs saved, in the currency of the first, and the only plan or the one with more than half; null if it is low. */
export function savedTotal(runs: readonly { plan: string; currency: string | null; saved: number | null }[]) {
  const currency = runs[0]?.currency ?? null;
  const byPlan = new Map<string, number>();
  for (const run of runs)
    if (run.currency === currency) byPlan.set(run.plan, (byPlan.get(run.plan) ?? 0) + (run.saved ?? 0));
  const total = [...byPlan.values()].reduce((sum, saved) => sum + saved, 0);
  const most = [...byPlan].find(([, saved]) => saved > total / 2)?.[0] ?? null;
  const share = most === null ? "none" : byPlan.size > 1 ? "most" : "all";
  return total < MIN_SAVED ? null : ({ total, currency, most, share } as const);
}
