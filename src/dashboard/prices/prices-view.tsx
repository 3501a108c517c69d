/** Part with the chart of prices, and the cheapest hours. */
import { useState } from "preact/hooks";
import { Choice, EmptyView, Part } from "../elements.tsx";
import { usePage } from "../page.ts";
import { NO_PRICES } from "../timeline.ts";
import { CheapestHours } from "./cheapest-hours.tsx";
import { PriceChart } from "./price-chart.tsx";
import { PRICE_RANGES, type PriceRange } from "./price-words.ts";

export function PricesView() {
  const { t, store } = usePage();
  const [range, setRange] = useState<PriceRange>("both");
  const home = store.home.value;
  const prices = store.prices.value ?? NO_PRICES;
  if (!home) return <EmptyView id="prices" text={t("no_home")} />;
  return (
    <Part id="prices" card={false}>
      <div class="prices-grid">
        <div class="card">
          <div class="head">
            <h2 id="prices-title">{t("prices")}</h2>
            <Choice
              label={t("range")}
              name="price-range"
              options={PRICE_RANGES.map((value) => ({ value, text: t(`range_${value}`) }))}
              chosen={range}
              onChoose={setRange}
            />
          </div>
          <PriceChart home={home.name} {...{ prices, range }} plans={store.homePlans.value} />
        </div>
        <CheapestHours prices={prices} />
      </div>
    </Part>
  );
}
