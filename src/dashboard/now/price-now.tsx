/** Card with the current price, its level, the outlook and the coming hours. */
import { pointAt, pointsIn } from "../../core/prices/timeline.ts";
import { LevelMark } from "../elements.tsx";
import { type PageTools, usePage } from "../page.ts";
import { barPlaces, comingHours, figuresOf, outlook, type Prices } from "../timeline.ts";

/** Shown hours. */
const COMING_HOURS = 24;
/** Minimum height of a bar of the coming hours. Unit: percent. */
const MIN_RISE = 6;
/** Maximum number of characters of a price in full size. Longer ones are smaller. */
const MAX_FULL_SIZE = 4;

export function PriceNow({ prices }: { readonly prices: Prices }) {
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

/** Row of bars with the coming hours. The chart of the prices has more detail. */
function ComingHours({ prices: { points, currency } }: { readonly prices: Prices }) {
  const { t, f, store } = usePage();
  const hours = comingHours(points, store.time.value, COMING_HOURS);
  const places = barPlaces(hours, MIN_RISE);
  return (
    <ol class="strip" aria-label={t("coming_hours")}>
      {hours.map(({ start, level, mean, estimate }, i) => {
        const text = mean === null ? t("no_price") : `${f.money(mean, currency)}, ${t(`level_${level ?? "unknown"}`)}`;
        return (
          <li key={start} class={i === 0 ? "present" : undefined}>
            <span class="unseen">{`${f.time(start)}: ${text}`}</span>
            <span class="rise" aria-hidden="true">
              <span class={`bar ${level ?? "unknown"}${estimate ? " estimate" : ""}`} style={places[i] ?? {}} />
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
