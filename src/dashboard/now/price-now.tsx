/** Card with the current price, its level, the outlook and the coming hours. */
import { signal } from "@preact/signals";
import { pointAt, pointsIn } from "../../core/prices/timeline.ts";
import { LevelMark } from "../elements.tsx";
import { lazy } from "../lazy.tsx";
import { type PageTools, usePage } from "../page.ts";
import { presentProblems } from "../problems/problem-groups.ts";
import { figuresOf, outlook, type Prices } from "../timeline.ts";
import { ComingHours } from "./coming-hours.tsx";

/** Maximum number of characters of a price in full size. Longer ones are smaller. */
const MAX_FULL_SIZE = 4;

/** On a wide screen there is room for the quarters of today and tomorrow. */
const wide = matchMedia("(min-width: 56.25em)");
const isWide = signal(wide.matches);
wide.addEventListener("change", () => (isWide.value = wide.matches));
const PriceChart = lazy(async () => (await import("../prices/price-chart.tsx")).PriceChart, ComingHours);

export function PriceNow({ prices }: { readonly prices: Prices }) {
  const page = usePage();
  const { t, f, store } = page;
  const { points, currency } = prices;
  const now = store.time.value;
  const current = pointAt(points, now);
  const chart = { home: store.home.value?.name ?? "", prices, range: "both", plans: store.homePlans.value } as const;
  const unknown = presentProblems(store.system.value).length > 0 ? "no_price_problem" : "no_price_advice";
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
      <p class="outlook">{current ? outlookText(prices, page, now) : t(unknown)}</p>
      {points.length > 0 && (isWide.value ? <PriceChart {...chart} isBrief /> : <ComingHours />)}
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
