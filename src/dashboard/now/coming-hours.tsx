/** Row of bars with the coming hours. The chart of the prices has more detail. */
import { usePage } from "../page.ts";
import { barPlaces, comingHours, NO_PRICES } from "../timeline.ts";

/** Minimum height of a bar. Unit: percent. */
const MIN_RISE = 6;

export function ComingHours() {
  const { t, f, store } = usePage();
  const { points, currency } = store.prices.value ?? NO_PRICES;
  const hours = comingHours(points, store.time.value, 24);
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
