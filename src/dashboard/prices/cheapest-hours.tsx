/** Card with the cheapest consecutive hours. */
import { cheapestHours } from "../../core/prices/cheapest.ts";
import { usePage } from "../page.ts";
import type { Prices } from "../timeline.ts";

export function CheapestHours({ prices: { points, currency } }: { readonly prices: Prices }) {
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
