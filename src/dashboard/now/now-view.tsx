/** Part with the current price, the next hours, the cheapest hours, runs and problems. */

import { cheapestHours } from "../../core/prices/cheapest.ts";
import { pointAt, pointsIn } from "../../core/prices/timeline.ts";
import type { Problem } from "../answers.ts";
import { presentProblems } from "../daemon.ts";
import { LevelMark, Part } from "../elements.tsx";
import { type PageTools, usePage } from "../page.ts";
import { NO_PRICES, type Prices } from "../page-store.ts";
import { headlineOf, reasonOf } from "../plans/plan-words.ts";
import { ProblemCards } from "../problem-card.tsx";
import { SetupCard } from "../setup-button.tsx";
import { comingHours, figuresOf, outlook } from "../timeline.ts";

const COMING_HOURS = 12;
/** Maximum and minimum height of a bar of the coming hours, in pixels. */
const RISE_PX = 40;
const MIN_RISE_PX = 3;
/** Maximum number of characters of a price in full size. Longer ones are smaller. */
const MAX_FULL_SIZE = 4;

export function NowPart() {
  const { t, store } = usePage();
  const prices = store.prices.value ?? NO_PRICES;
  const problems = presentProblems(store.system.value);
  return (
    <Part id="now" card={false}>
      <h2 id="now-title" class="unseen">
        {t("now")}
      </h2>
      <SetupCard />
      {store.home.value ? (
        <>
          <PriceNow prices={prices} />
          <ProblemCards problems={problems} />
          <CheapestHours prices={prices} />
          <PlanLines />
        </>
      ) : (
        <NoHome problems={problems} />
      )}
    </Part>
  );
}

/** Shown while no home is known, with problems that may be the reason. */
function NoHome({ problems }: { readonly problems: readonly Problem[] }) {
  const { t } = usePage();
  return (
    <div class="card hero unknown home-unknown">
      <h3 class="home-unknown-title">{t("no_home")}</h3>
      <p>{t(problems.length > 0 ? "no_home_problem" : "no_home_advice")}</p>
      <ProblemCards problems={problems} />
    </div>
  );
}

function PriceNow({ prices }: { readonly prices: Prices }) {
  const page = usePage();
  const { t, f } = page;
  const { points, currency } = prices;
  const now = page.store.time.value;
  const current = pointAt(points, now);
  const figure = current ? f.number(current.price) : "–";
  return (
    <div class={`card hero ${current?.level ?? "unknown"}`}>
      <p class="soft when">{current ? `${t("price_now")} · ${f.span(current.start, current.end)}` : t("price_now")}</p>
      <p class="price">
        <span class={figure.length > MAX_FULL_SIZE ? "figure long" : "figure"}>{figure}</span>
        <span class="unit">{current ? `${f.currency(currency)}/kWh` : ""}</span>
      </p>
      <p class="level-line">
        {current ? <LevelMark level={current.level} /> : <span class="level unknown">{t("no_price_now")}</span>}
        {current?.estimate && <span class="tag">{t("estimate")}</span>}
      </p>
      <p class="outlook">{current ? outlookText(prices, page, now) : t("no_price_advice")}</p>
      {points.length > 0 && <ComingHours prices={prices} />}
      <p class="faint">{rankText(prices, page, now)}</p>
    </div>
  );
}

/** Returns rank and mean price of today, and a note if prices exclude VAT. */
function rankText({ points, currency, vatIncluded }: Prices, { t, f }: PageTools, now: number): string {
  const current = pointAt(points, now);
  if (!current) return "";
  const today = pointsIn(points, f.calendar.day(now));
  const figures = figuresOf(today.filter((point) => !point.estimate));
  const facts = [
    current.rank && t("rank", { rank: current.rank, of: current.rankOf ?? null }),
    // A new place has only some hours of today, whose mean is not the mean of the day.
    current.rank && figures && t("mean_today", { price: f.money(figures.mean, currency) }),
    vatIncluded === false && t("without_vat"),
  ];
  return facts.filter(Boolean).join(" · ");
}

function outlookText({ points, currency }: Prices, { t, f }: PageTools, now: number): string {
  const coming = outlook(points, now);
  if (!coming) return "";
  // The outlook is at most 24 h long, so a time that is not today is tomorrow.
  const isToday = (at: number) => at < f.calendar.add("day", now, 1);
  const level = t(`level_${coming.level}`).toLowerCase();
  if (coming.kind === "stays") {
    const when = t(isToday(coming.until) ? "until_time" : "until_time_tomorrow", { time: f.clock(coming.until) });
    return t("outlook_stays", { level, when });
  }
  const when = t(isToday(coming.at) ? "at_time" : "at_time_tomorrow", { time: f.clock(coming.at) });
  const facts = { level, when, price: f.money(coming.mean, currency) };
  return t(coming.estimate ? `outlook_${coming.kind}_estimate` : `outlook_${coming.kind}`, facts);
}

/** Row of bars with the coming hours. The chart below has more detail. */
function ComingHours({ prices: { points, currency } }: { readonly prices: Prices }) {
  const { t, f, store } = usePage();
  const hours = comingHours(points, store.time.value, COMING_HOURS);
  const most = Math.max(0, ...hours.map(({ mean }) => mean ?? 0));
  const least = Math.min(0, ...hours.map(({ mean }) => mean ?? 0));
  const perUnit = RISE_PX / (most - least || 1);
  // Height below the zero line, for negative prices.
  const depth = Math.round(-least * perUnit);
  return (
    <ol class="strip" aria-label={t("coming_hours")}>
      {hours.map(({ start, level, mean, estimate }, i) => {
        const height = Math.max(MIN_RISE_PX, Math.round(Math.abs(mean ?? 0) * perUnit));
        const bottom = (mean ?? 0) < 0 ? Math.max(0, depth - height) : depth;
        const text = mean === null ? t("no_price") : `${f.money(mean, currency)}, ${t(`level_${level ?? "unknown"}`)}`;
        return (
          <li key={start} class={i === 0 ? "present" : undefined}>
            <span class="unseen">{`${f.time(start)}: ${text}`}</span>
            <span class="rise" aria-hidden="true">
              <span
                class={`bar ${level ?? "unknown"}${estimate ? " estimate" : ""}`}
                style={{ height: `${height}px`, marginBottom: `${bottom}px` }}
              />
            </span>
            <span class="clock" aria-hidden="true">
              {f.hour(start)}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function CheapestHours({ prices: { points, currency } }: { readonly prices: Prices }) {
  const { t, f, store } = usePage();
  const now = store.time.value;
  const today = f.calendar.startOf("day", now);
  const confirmed = points.filter(({ estimate }) => !estimate);
  const found = cheapestHours(confirmed, now);
  return (
    <div class="card cheapest">
      <div class="head">
        <h3>{t("cheapest_hours")}</h3>
      </div>
      <ul class="cheapest-list">
        {found.length === 0 && <li class="soft">{t("cheapest_none")}</li>}
        {found.map(({ hours, start, end, mean }) => (
          <li key={hours}>
            <span class="length">{t("hours", { count: hours, hours })}</span>
            <span class="number span">
              {f.span(start, end)}{" "}
              <span class="faint day-word">{t(f.calendar.startOf("day", start) === today ? "today" : "tomorrow")}</span>
            </span>
            <span class="number amount">{f.money(mean, currency)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function PlanLines() {
  const page = usePage();
  const { t, store } = page;
  const home = store.home.value;
  const plans = (store.plans.value ?? []).filter((plan) => plan.home === home?.id);
  return (
    <div class="card plan-lines-card" hidden={plans.length === 0}>
      <div class="head">
        <h3>{t("what_runs")}</h3>
      </div>
      <ul class="plan-lines">
        {plans.map((plan) => (
          <li key={plan.id} class={plan.on ? "on" : undefined}>
            <span class={`dot plan-lines-dot ${plan.state}`} aria-hidden="true" />
            <span class="name">{plan.name}</span>
            <span class="next">{headlineOf(plan, page, store.time.value)}</span>
            <span class="faint why">{reasonOf(plan, page)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
