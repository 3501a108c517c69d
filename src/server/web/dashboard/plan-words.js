/** A plan in words: when it runs, and why. The daemon's own words are English; here the same is said from its numbers. */

/** Runs that touch are one. */
export function joinedRuns(plan) {
  const joined = [];
  for (const { start, end, begun } of plan.runs) {
    const [from, to] = [Date.parse(start), Date.parse(end)];
    const last = joined.at(-1);
    if (last && last.end === from) last.end = to;
    else joined.push({ start: from, end: to, begun });
  }
  return joined;
}

/** When it runs: `runs until 05:00`, `tomorrow 02:15–05:15`, or why not. */
export function headlineOf(plan, { t, f, now }) {
  const runs = joinedRuns(plan);
  const running = plan.on && runs.find((run) => run.start <= now && now < run.end);
  if (running) return t("plan_runs_until", { time: f.clock(running.end) });
  if (plan.on) return t("plan_on");
  const ahead = runs.filter((run) => run.end > now);
  const [next] = ahead;
  if (!next) return t(`state_${plan.state}`);
  const more = ahead.length > 1 ? ` ${t("and_more", { count: ahead.length - 1 })}` : "";
  return `${dayWord(next.start, { t, f, now })} ${f.span(next.start, next.end)}${more}`;
}

function dayWord(at, { t, f, now }) {
  const day = f.zone.startOf("day", at);
  if (day === f.zone.startOf("day", now)) return t("today");
  if (day === f.zone.shift("day", now, 1)) return t("tomorrow");
  return f.day(at);
}

/** What is behind these is told with numbers, which are in the daemon's own words only. */
const WITH_DETAIL = ["hours_too_long", "unreadable_setting", "power_limit"];

/** Why it was not done, in the language of the page where that is known: of the plan, or of whoever commands it. */
export function refusalOf({ status, code, refusal, reason }, t) {
  if (status === null) return t("no_contact_short");
  const why = `refused_${refusal ?? code}`;
  if (!t.has(why)) return t("refused", { reason });
  return t("refused", { reason: WITH_DETAIL.includes(refusal) ? `${t(why)} (${reason})` : t(why) });
}

/** Why: what it costs, what that saves, or what is in the way. */
export function reasonOf(plan, { t, f }) {
  const { code, mean_price: mean, currency } = plan;
  if (!t.has(`reason_${code}`)) return plan.reason;
  const { missing } = plan;
  const why = missing && t(`reason_${missing.why}`);
  const parts = [t(`reason_${code}`, missing ? { hours: f.number(missing.hours, 1), why } : {})];
  if (mean !== null && ["scheduled", "scheduled_on_estimates", "running", "partial", "done"].includes(code)) {
    parts.push(t("reason_mean", { price: `${f.money(mean, currency)}/kWh` }));
    for (const baseline of ["now", "window_start"]) {
      const saved = plan.savings?.per_kwh?.[`against_${baseline}`] ?? null;
      if (saved === null || saved <= 0.005) continue;
      parts.push(t(`reason_saves_${baseline}`, { price: `${f.money(saved, currency)}/kWh` }));
      break;
    }
  }
  return parts.filter(Boolean).join(" · ");
}
