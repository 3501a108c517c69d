/** What the month costs: so far, at its end, and compared with earlier periods; and its highest hours. */
import { type PageTools, usePage } from "../page.ts";
import type { HomeAnswer, MonthAnswer } from "../store/answers.ts";
import { useRead } from "../store/use-read.ts";
import { capitalised } from "../words/format.ts";

/** Reads the figures of the month; null until then, and for a home without costs. */
export function useMonth({ id, capabilities }: HomeAnswer): MonthAnswer | null {
  return useRead("GET /local/v1/month", capabilities?.consumptionCosts ? { home: id } : null, useDayVersion());
}

/** Returns a text that changes each day, and when rows of the home change. */
export function useDayVersion(): string {
  const { store, f } = usePage();
  return `${f.calendar.startOf("day", store.time.value)} ${store.rowChanges.value}`;
}

/** A figure with its name, and what it is based on. */
export type Figure = { readonly name: string; readonly text: string; readonly note: string };

export function FigureList({ facts }: { readonly facts: readonly Figure[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, text, note }) => (
        <div key={name}>
          <dt>{capitalised(name)}</dt>
          <dd class="number">{text}</dd>
          {note && <dd class="faint">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** Returns the costs of the month so far, and those expected at its end if they are known. */
export function costFacts(month: MonthAnswer | null, { t, f }: PageTools): readonly Figure[] {
  if (!month) return [];
  const { start, currency, to_date: cost, known_until: until, expected, expected_kwh: kwh } = month;
  const name = f.monthName(Date.parse(start));
  // The last known hour ends at midnight after its day.
  const known =
    cost === null || until === null ? t("money_later") : t("money_until", { day: f.day(Date.parse(until) - 1) });
  const facts = [
    { name: t("money_month", { month: name }), text: cost === null ? "–" : f.money(cost, currency), note: known },
  ];
  if (expected === null) return facts;
  const note = kwh === null ? "" : f.energy(kwh);
  return [...facts, { name: t("money_expected", { month: name }), text: f.money(expected, currency, 0), note }];
}

/** Card with the month's costs, those of earlier periods, and the mean of the three highest days. */
export function MonthCard({ home }: { readonly home: HomeAnswer }) {
  const page = usePage();
  const month = useMonth(home);
  if (!month) return null;
  return (
    <section class="card" aria-labelledby="month-title">
      <div class="head">
        <h3 id="month-title">{page.t("money")}</h3>
      </div>
      <FigureList facts={[...costFacts(month, page), ...earlierFacts(month, page)]} />
      <ChangeNote changes={month.tariff_changes} />
    </section>
  );
}

/** Names the days on which the charges jumped, because amounts before and after do not compare. */
export function ChangeNote({ changes }: { readonly changes: readonly { readonly date: string }[] }) {
  const { t, f } = usePage();
  if (changes.length === 0) return null;
  const days = changes.map(({ date }) => f.day(Date.parse(`${date}T12:00Z`))).join(", ");
  return <p class="note quiet">{t("charges_changed", { days })}</p>;
}

function earlierFacts(month: MonthAnswer, { t, f }: PageTools): readonly Figure[] {
  const { currency, peaks } = month;
  const start = Date.parse(month.start);
  const costs = [
    [f.month(f.calendar.add("month", start, -1)), month.previous_month],
    [f.month(f.calendar.add("month", start, -12)), month.same_month_last_year],
    [f.year(f.calendar.add("year", start, -1)), month.previous_year],
  ] as const;
  const facts: Figure[] = costs.flatMap(([name, cost]) =>
    cost === null ? [] : { name, text: f.money(cost, currency, 0), note: "" },
  );
  if (!peaks) return facts;
  const days = peaks.days.map(({ start: at, kw }) => `${f.day(Date.parse(at))} ${f.number(kw, 1)}`);
  return [...facts, { name: t("peaks"), text: `${f.number(peaks.mean, 1)}\u00A0kW`, note: days.join(" · ") }];
}
