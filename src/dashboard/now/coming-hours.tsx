/** Row of bars with the coming hours. The chart of the prices has more detail. */
import { HOUR_MS } from "../../core/time/interval.ts";
import { usePage } from "../page.ts";
import { barPlaces, comingHours, isDoubted, NO_PRICES } from "../timeline.ts";

/** Minimum height of a bar. Unit: percent. */
const MIN_RISE = 6;

export function ComingHours() {
  const { t, f, store } = usePage();
  const { points, currency, shown } = store.prices.value ?? NO_PRICES;
  const hours = comingHours(points, store.time.value, 24);
  const places = barPlaces(hours, MIN_RISE);
  return (
    <ol class="strip" aria-label={t("coming_hours")}>
      {hours.map(({ start, level, mean, estimate }, i) => {
        const isDoubtful = mean === null && isDoubted(shown, { start, end: start + HOUR_MS });
        const none = t(isDoubtful ? "doubtful" : "no_price");
        const place = isDoubtful ? { height: "100%", bottom: 0 } : (places[i] ?? {});
        const text = mean === null ? none : `${f.money(mean, currency)}, ${t(`level_${level ?? "unknown"}`)}`;
        return (
          <li key={start} class={i === 0 ? "present" : undefined}>
            <span class="unseen">{`${f.time(start)}: ${text}`}</span>
            <span class="rise" aria-hidden="true">
              <span class={`bar ${level ?? "unknown"}${estimate || isDoubtful ? " estimate" : ""}`} style={place} />
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
