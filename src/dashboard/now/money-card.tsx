/** Card with what electricity has cost: the last day and the month. */
import { type PageTools, usePage } from "../page.ts";
import { addressOf } from "../route.ts";
import type { HomeAnswer, UsageAnswer } from "../store/answers.ts";
import { useRead } from "../store/use-read.ts";
import { costFacts, type Figure, FigureList, useDayVersion, useMonth } from "../use/month-figures.tsx";

/** Days in which the last known one is looked for. */
const DAYS = 14;

/** Nothing for a home without costs. */
export function MoneyCard({ home }: { readonly home: HomeAnswer }) {
  const page = usePage();
  const { t, store, f } = page;
  const today = f.calendar.startOf("day", store.time.value);
  const month = useMonth(home);
  const hasCosts = home.capabilities?.consumptionCosts === true;
  const from = new Date(f.calendar.add("day", today, -DAYS)).toISOString();
  const params = { home: home.id, measure: "costs", by: "day", from } as const;
  const answer = useRead("GET /local/v1/usage", hasCosts ? params : null, useDayVersion());
  if (!hasCosts) return null;
  return (
    <section class="card money" aria-labelledby="money-title">
      <div class="head">
        <h3 id="money-title">{t("money")}</h3>
        <a href={addressOf("use")}>{t("use")}</a>
      </div>
      <FigureList facts={[dayFact(answer, today, page), ...costFacts(month, page)]} />
    </section>
  );
}

/** Returns the cost of today so far, or of the last known day. */
function dayFact(answer: UsageAnswer | null, today: number, { t, f }: PageTools): Figure {
  const last = answer?.rows.findLast(({ value }) => value !== null);
  if (!last || last.value === null)
    return { name: t("money_yesterday"), text: "–", note: answer ? t("money_later") : "" };
  const start = Date.parse(last.start);
  const isToday = start === today;
  const isYesterday = start === f.calendar.add("day", today, -1);
  return {
    name: isToday ? t("money_today") : isYesterday ? t("money_yesterday") : f.day(start),
    text: f.money(last.value, answer?.unit ?? null),
    note: isToday ? "" : t("money_delay"),
  };
}
