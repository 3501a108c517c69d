/** Texts about plans in the language of the page, made from the codes and numbers of the API. */

import type { Facts } from "../../core/text/fill-text.ts";
import type { Words } from "../page.ts";
import type { ListedPlug, Plan } from "../store/answers.ts";
import type { Refusal } from "../store/requests.ts";
import type { TextName, Translate } from "../words/language.ts";

/** `isLikely`: new prices may still move it. */
export type JoinedRun = { readonly start: number; end: number; readonly isLikely: boolean };

/** Returns the runs. Adjacent ones are joined. */
export function joinedRuns({ runs, provisional }: Pick<Plan, "runs" | "provisional">): JoinedRun[] {
  const joined: JoinedRun[] = [];
  for (const { start, end, begun } of runs) {
    const [from, to] = [Date.parse(start), Date.parse(end)];
    const last = joined.at(-1);
    const isLikely = provisional && !begun;
    if (last && last.end === from && last.isLikely === isLikely) last.end = to;
    else joined.push({ start: from, end: to, isLikely });
  }
  return joined;
}

/** Returns a text about a plan: that of charging for a car and a battery, if there is one. */
export function planText({ icon }: Pick<Plan, "icon">, name: TextName, t: Translate, facts?: Facts): string {
  const charge = `charge_${name}`;
  return t(["car", "battery"].includes(icon) && t.has(charge) ? charge : name, facts);
}

/** Returns the current or next run, for instance `runs until 05:00` or `tomorrow 02:15–05:15`; otherwise the state. */
export function headlineOf(plan: Plan, words: Words, now: number): string {
  const { t, f } = words;
  const runs = joinedRuns(plan);
  const running = runs.find((run) => run.start <= now && now < run.end);
  if (plan.on) return running ? planText(plan, "plan_runs_until", t, { time: f.clock(running.end) }) : t("plan_on");
  const [next, ...later] = runs.filter((run) => run.end > now);
  if (!next) return planText(plan, `state_${plan.state}`, t);
  const more = later.length > 0 ? ` ${t("and_more", { count: later.length })}` : "";
  const run = `${dayWord(next.start, words, now)} ${f.span(next.start, next.end)}${more}`;
  return next.isLikely ? t("probably_run", { run }) : run;
}

function dayWord(at: number, { t, f }: Words, now: number): string {
  const day = f.calendar.startOf("day", at);
  if (day === f.calendar.startOf("day", now)) return t("today");
  return day === f.calendar.add("day", now, 1) ? t("tomorrow") : f.day(at);
}

/** Refusals that are shown with the daemon's English text, because it contains numbers. */
const WITH_DETAIL: readonly (string | null)[] = ["hours_too_long", "unreadable_setting", "power_limit"];

/** Returns why a command was refused, in the language of the page if it has a text for the code. */
export function refusalText({ status, code, refusal, reason, isTranslated }: Refusal, t: Translate): string {
  if (status === null) return t("no_contact_short");
  // The daemon says which scope is missing.
  if (code === "forbidden" && isTranslated) return t("refused", { reason });
  const why = `refused_${refusal ?? code}`;
  if (!t.has(why)) return t("refused", { reason });
  return t("refused", { reason: WITH_DETAIL.includes(refusal) ? `${t(why)} (${reason})` : t(why) });
}

const WITH_PRICE: readonly Plan["code"][] = ["scheduled", "scheduled_on_estimates", "running", "partial", "done"];
const MIN_SAVING = 0.005;

/** Returns the reason of a plan's state, with its mean price and its saving. */
export function stateReason(plan: Plan, { t, f }: Words): string {
  const { code, mean_price: mean, currency, missing, savings } = plan;
  const facts = missing ? { hours: f.number(missing.hours, 1), why: t(`reason_${missing.why}`) } : {};
  const parts = [
    code === "clock_not_trusted" && plan.on
      ? t("reason_clock_not_trusted_on")
      : planText(plan, `reason_${code}`, t, facts),
  ];
  const perKwh = (value: number) => `${f.money(value, currency)}/kWh`;
  if (mean !== null && WITH_PRICE.includes(code)) {
    parts.push(t("reason_mean", { price: perKwh(mean) }));
    const { against_now: now, against_window_start: start } = savings.per_kwh;
    if (now !== null && now > MIN_SAVING) parts.push(t("reason_saves_now", { price: perKwh(now) }));
    else if (start !== null && start > MIN_SAVING) parts.push(t("reason_saves_window_start", { price: perKwh(start) }));
  }
  return parts.join(" · ");
}

/** Returns the key of a plug's state in the page's texts. */
export function plugState({ on, available, problem }: Pick<ListedPlug, "on" | "available" | "problem">) {
  if (available === false || problem) return "plug_away";
  if (on === null) return "plug_unknown";
  return on ? "plug_on" : "plug_off";
}
