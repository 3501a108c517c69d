/** Block that compares the usage of two periods. */
import { useState } from "preact/hooks";
import { HOUR_MS } from "../../core/time/interval.ts";
import type { Home, UsageAnswer } from "../answers.ts";
import { Wrong } from "../elements.tsx";
import { LabelledInput } from "../labelled-input.tsx";
import { type PageTools, usePage } from "../page.ts";
import { Block } from "../system/block.tsx";
import type { MeasureName } from "../use/energy.ts";
import { amountText } from "../use/use-facts.ts";
import { changeOf, comparedSpans, PAIRS, type Pair, type Span, spanOf } from "./compare-periods.ts";
import { useRead, useTexts } from "./result-context.ts";

interface CompareProps {
  readonly home: Home;
  readonly measures: readonly MeasureName[];
}

/** Dates of a period in the form of date inputs, both inclusive. */
interface Typed {
  readonly from: string;
  readonly to: string;
}

export function Compare({ home, measures }: CompareProps) {
  const t = useTexts();
  const page = usePage();
  const { f, store } = page;
  const now = store.time.peek();
  const [pair, setPair] = useState<Pair>("month_before");
  const [typed, setTyped] = useState<readonly [Typed, Typed]>(() => {
    const { first, second } = comparedSpans("last_month", now, f.calendar);
    return [typedOf(first, page), typedOf(second, page)];
  });
  const compared = pair === "dates" ? null : comparedSpans(pair, now, f.calendar);
  const first = compared?.first ?? spanOf(typed[0], f.calendar);
  const second = compared?.second ?? spanOf(typed[1], f.calendar);
  return (
    <Block title={t("compare")}>
      <div class="setting">
        <label for="compare-which">{t("compare_which")}</label>
        <select
          id="compare-which"
          value={pair}
          onChange={({ currentTarget }) => setPair(PAIRS[currentTarget.selectedIndex] ?? "month_before")}
        >
          {PAIRS.map((value) => (
            <option key={value} value={value}>
              {t(`compare_${value}`)}
            </option>
          ))}
        </select>
      </div>
      {pair === "dates" && <Dates typed={typed} onType={setTyped} />}
      {first && second && <Figures home={home} measures={measures} spans={[first, second]} />}
      {compared?.isCut && <p class="note quiet">{t("compare_same_days")}</p>}
    </Block>
  );
}

interface DatesProps {
  readonly typed: readonly [Typed, Typed];
  readonly onType: (typed: readonly [Typed, Typed]) => void;
}

function Dates({ typed: [first, second], onType }: DatesProps) {
  const t = useTexts();
  const { t: words, f } = usePage();
  const fields = [
    { name: "first", dates: first, onDates: (dates: Typed) => onType([dates, second]) },
    { name: "second", dates: second, onDates: (dates: Typed) => onType([first, dates]) },
  ] as const;
  return (
    <form class="compare-dates" onSubmit={(event) => event.preventDefault()}>
      {fields.map(({ name, dates, onDates }) => (
        <fieldset key={name} class="settings" aria-invalid={spanOf(dates, f.calendar) === null}>
          <legend>{t(`compare_${name}`)}</legend>
          {(["from", "to"] as const).map((end) => (
            <LabelledInput
              key={end}
              id={`compare-${name}-${end}`}
              label={words(`custom_${end}`)}
              type="date"
              required
              value={dates[end]}
              onText={(text) => onDates({ ...dates, [end]: text })}
            />
          ))}
          {spanOf(dates, f.calendar) === null && <Wrong text={t("compare_wrong")} />}
        </fieldset>
      ))}
    </form>
  );
}

interface FiguresProps {
  readonly home: Home;
  readonly measures: readonly MeasureName[];
  readonly spans: readonly [Span, Span];
}

function Figures({ home, measures, spans }: FiguresProps) {
  const t = useTexts();
  const page = usePage();
  const { t: words, store } = page;
  const pathOf = (measure: MeasureName, { from, to }: Span) => {
    const range = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
    return `local/v1/usage?home=${encodeURIComponent(home.id)}&measure=${measure}&by=day&${range}`;
  };
  const paths = measures.flatMap((measure) => spans.map((span) => pathOf(measure, span)));
  const { answer, refusal } = useRead<UsageAnswer>(paths, store.rowChanges.value);
  const names = spans.map((span) => spanText(span, page));
  const sums = measures.map((measure, i) => ({ measure, both: [0, 1].map((k) => sumOf(answer?.[2 * i + k])) }));
  const both = (measure: MeasureName) => sums.find((each) => each.measure === measure)?.both ?? [];
  const perKwh = [0, 1].map((k) => ratioOf(both("costs")[k], both("consumption")[k]));
  const missing = answer?.[0] && spans.map((span, k) => missingHours(span, answer[k]));
  if (refusal)
    return (
      <p class="note wrong">
        {words(refusal.status === null ? "no_contact_short" : "use_refused", { reason: refusal.reason })}
      </p>
    );
  return (
    <>
      <p class="soft" aria-live="polite">
        {t("compare_between", { first: names[0] ?? "", second: names[1] ?? "" })}
      </p>
      <dl class="facts">
        {sums.map(({ measure, both: [first, second] }) => (
          <Pairing
            key={measure}
            name={words(`measure_${measure}`)}
            values={[first?.value ?? null, second?.value ?? null]}
            textOf={(value) => amountText(value, first?.currency ?? second?.currency ?? null, page)}
          />
        ))}
        {perKwh.some((value) => value !== null) && (
          <Pairing
            name={t("compare_cost_per_kwh")}
            values={[perKwh[0] ?? null, perKwh[1] ?? null]}
            textOf={(value) => page.f.money(value, both("costs")[0]?.currency ?? null)}
          />
        )}
      </dl>
      {missing?.map(
        (hours, k) =>
          hours > 0 && (
            <p key={names[k]} class="note quiet">
              {t("compare_missing", { count: hours, hours, period: names[k] ?? "" })}
            </p>
          ),
      )}
    </>
  );
}

interface PairingProps {
  readonly name: string;
  readonly values: readonly [number | null, number | null];
  readonly textOf: (value: number) => string;
}

/** A value, its change, and the earlier value. */
function Pairing({ name, values: [first, second], textOf }: PairingProps) {
  const t = useTexts();
  const { t: words, f } = usePage();
  const change = first === null || second === null ? null : changeOf(first, second);
  const size = change && (change.kind === "share" ? f.percent(Math.abs(change.by)) : textOf(Math.abs(change.by)));
  const changed = change && (change.kind === "none" ? t("compare_no_change") : `${change.by > 0 ? "+" : "−"}${size}`);
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number">{first === null ? words("no_data") : textOf(first)}</dd>
      <dd class="faint">
        {changed && <strong>{`${changed} `}</strong>}
        <span class="whole">{t("compare_before", { value: second === null ? words("no_data") : textOf(second) })}</span>
      </dd>
    </div>
  );
}

interface Sum {
  readonly value: number | null;
  readonly currency: string | null;
}

function sumOf(answer: UsageAnswer | undefined): Sum | undefined {
  if (!answer) return undefined;
  const known = answer.rows.flatMap(({ value }) => value ?? []);
  const value = known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0);
  return { value, currency: answer.unit === "kWh" ? null : answer.unit };
}

function ratioOf(money: Sum | undefined, energy: Sum | undefined): number | null {
  if (money?.value == null || energy?.value == null || energy.value <= 0) return null;
  return money.value / energy.value;
}

function missingHours({ from, to }: Span, answer: UsageAnswer | undefined): number {
  if (!answer) return 0;
  return Math.max(0, Math.round((to - from) / HOUR_MS) - answer.rows.reduce((sum, { hours }) => sum + hours, 0));
}

function typedOf({ from, to }: Span, { f: { calendar } }: PageTools): Typed {
  return { from: calendar.dateOf(from), to: calendar.dateOf(calendar.add("day", to, -1)) };
}

/** Returns the dates of a range, for instance `1–22 Nov 2026`. */
function spanText({ from, to }: Span, { f }: PageTools): string {
  const options = { timeZone: f.calendar.zone, day: "numeric", month: "short", year: "numeric" } as const;
  return new Intl.DateTimeFormat(f.locale, options).formatRange(from, to - 1);
}
