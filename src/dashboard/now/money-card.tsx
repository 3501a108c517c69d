/** Card with what electricity has cost: the last day and the month. */
import { useEffect, useState } from "preact/hooks";
import type { Home, UsageAnswer } from "../answers.ts";
import { type PageTools, usePage } from "../page.ts";
import { get, refusalIn } from "../requests.ts";
import { addressOf } from "../route.ts";

/** Nothing for a home without costs. */
export function MoneyCard({ home }: { readonly home: Home }) {
  const page = usePage();
  const { t, store, f } = page;
  const [answer, setAnswer] = useState<UsageAnswer | null>(null);
  const today = f.calendar.startOf("day", store.time.value);
  const changes = store.rowChanges.value;
  const hasCosts = home.capabilities?.consumptionCosts === true;
  useEffect(() => {
    if (!hasCosts) return;
    const from = new Date(Math.min(f.calendar.startOf("month", today), f.calendar.add("day", today, -1))).toISOString();
    get<UsageAnswer>(`local/v1/usage?home=${encodeURIComponent(home.id)}&measure=costs&by=day&from=${from}`).then(
      setAnswer,
      (thrown: unknown) => void refusalIn(thrown),
    );
  }, [home, today, changes]);
  if (!hasCosts) return null;
  return (
    <section class="card money" aria-labelledby="money-title">
      <div class="head">
        <h3 id="money-title">{t("money")}</h3>
        <a href={addressOf("use")}>{t("use")}</a>
      </div>
      <dl class="facts">
        {factsOf(answer, today, page).map(({ name, text, note }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="number">{text}</dd>
            <dd class="faint">{note}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface Fact {
  readonly name: string;
  readonly text: string;
  readonly note: string;
}

/** Returns the cost of today so far or of the last known day, and of the month so far. */
function factsOf(answer: UsageAnswer | null, today: number, { t, f }: PageTools): readonly Fact[] {
  const month = f.calendar.startOf("month", today);
  const known = (answer?.rows ?? []).flatMap(({ start, end, value, hours }) =>
    value === null ? [] : { start: Date.parse(start), end: Date.parse(end), value, hours },
  );
  const currency = answer?.unit ?? null;
  const last = known.at(-1);
  const inMonth = known.filter(({ start }) => start >= month);
  const until = inMonth.at(-1);
  const sum = inMonth.reduce((total, { value }) => total + value, 0);
  const isToday = last?.start === today;
  const isYesterday = last?.start === f.calendar.add("day", today, -1);
  const unknown = answer ? t("money_later") : "";
  return [
    {
      name: isToday ? t("money_today") : isYesterday || !last ? t("money_yesterday") : f.day(last.start),
      text: last ? f.money(last.value, currency) : "–",
      note: last ? (isToday ? "" : t("money_delay")) : unknown,
    },
    {
      name: t("money_month", { month: f.monthName(month) }),
      text: until ? f.money(sum, currency) : "–",
      note: until ? t("money_until", { day: f.day(until.start) }) : unknown,
    },
  ];
}
