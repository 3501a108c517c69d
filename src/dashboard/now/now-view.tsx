/** The overview: the price, what it costs, what runs next, and what is wrong. */
import { Part } from "../elements.tsx";
import { usePage } from "../page.ts";
import { CheapestHours } from "../prices/cheapest-hours.tsx";
import { ProblemLine } from "../problems/problem-card.tsx";
import { presentProblems } from "../problems/problem-groups.ts";
import { SetupCard } from "../setup-button.tsx";
import { NO_PRICES } from "../timeline.ts";
import { MoneyCard } from "./money-card.tsx";
import { NextRuns } from "./next-runs.tsx";
import { PriceNow } from "./price-now.tsx";

export function NowView() {
  const { t, store } = usePage();
  const home = store.home.value;
  const problems = presentProblems(store.system.value);
  return (
    <Part id="now" card={false}>
      <h2 id="now-title" class="unseen">
        {t("now")}
      </h2>
      <SetupCard />
      {home ? (
        <>
          <ProblemLine problems={problems} />
          <div class="now-grid">
            <PriceNow prices={store.prices.value ?? NO_PRICES} />
            <div class="now-side">
              <NextRuns />
              <MoneyCard key={home.id} home={home} />
              <CheapestHours prices={store.prices.value ?? NO_PRICES} />
            </div>
          </div>
        </>
      ) : (
        <div class="card hero unknown home-unknown">
          <h3 class="home-unknown-title">{t("no_home")}</h3>
          <p>{t(problems.length > 0 ? "no_home_problem" : "no_home_advice")}</p>
          <ProblemLine problems={problems} />
        </div>
      )}
    </Part>
  );
}
