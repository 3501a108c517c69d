/** English. */
export const texts = {
  results: "Results",
  csv: "Download as CSV",
  csv_prices: "Prices",
  csv_use: "{measure}, by day",
  csv_runs: "Runs of plans",
  csv_savings: "Savings by month",
  csv_plans: "Plans",
  csv_plugs: "Plugs",

  savings: "Savings",
  baseline: "Compared with",
  baseline_window_start: "Start of the window",
  baseline_mean: "Average price",
  baseline_window_start_about: "The cost of the same hours in one run from the start of the plan’s window.",
  baseline_mean_about: "The cost of the same energy at the average price of the plan’s window.",
  savings_none: "No plan has run yet. The savings of its runs appear here.",
  savings_no_energy: {
    one: "{names} has no kWh setting, so its savings are not shown as an amount.",
    other: "{names} have no kWh setting, so their savings are not shown as an amount.",
  },
  savings_total: "Saved in 12 months",
  savings_cost: "Cost in 12 months",
  savings_other: "Other plans",
  savings_chart: "Savings by month and plan; use the arrow keys to read each value",
  savings_month: {
    one: "{plan}: {saved} saved, {runs} run, cost {cost}",
    other: "{plan}: {saved} saved, {runs} runs, cost {cost}",
  },

  runs: "Runs",
  runs_none: "No runs in the last {days} days.",
  runs_more: "Show more",
  run_price: "{price}/kWh",
  run_window_start: "{price} if it had started when its window opened",
  run_mean: "{price} on average in its window",
  run_no_price: "price not known",
  run_saved: "{amount} saved",
  run_lost: "{amount} more",
  basis_estimates: "planned on estimates",
  basis_fallback: "fallback hours",
  basis_manual: "started manually",
  basis_resting: "price level",

  what_if: "What if it starts …",
  what_if_plan: "Plan",
  what_if_time: "Start at",
  what_if_now: "Now",
  what_if_at: "{day} at {time}",
  what_if_planned: "As planned, {when}",
  what_if_planned_none: "Nothing is planned",
  what_if_unknown: "Prices are not known yet",
  what_if_more: "{amount} more than planned",
  what_if_less: "{amount} less than planned",
  what_if_same: "The same as planned",
  what_if_estimate: "based on estimates",
  what_if_chart: "Cost of {plan} by start time; use the arrow keys to read each value",
  what_if_start: "Start {time}",
  what_if_none: "No plan here can start at another time.",

  compare: "Compare",
  compare_which: "Periods",
  compare_month_before: "This month and the month before",
  compare_month_last_year: "This month and the same month last year",
  compare_last_month: "Last month and the month before it",
  compare_year: "This year and last year",
  compare_dates: "Any two periods",
  compare_first: "First period",
  compare_second: "Second period",
  compare_wrong: "Enter two dates in order.",
  compare_between: "{first} compared with {second}",
  compare_same_days: "The current period is not over, so the same number of days is compared.",
  compare_cost_per_kwh: "Paid per kWh, with fees",
  compare_before: "compared with {value}",
  compare_no_change: "no change",
  compare_missing: {
    one: "{hours} hour is missing in {period}.",
    other: "{hours} hours are missing in {period}.",
  },
};

/** Type of the texts of a language. A language with a missing text does not compile. */
export type ResultTexts = {
  readonly [Key in keyof typeof texts]: (typeof texts)[Key] extends string
    ? string
    : { readonly one: string; readonly other: string };
};
