/** `npm run lab -- week`: prints the runs of three appliances over a week of real prices, compared with an immediate start. */
import { haveRealPrices } from "../../support/plans/real-prices.ts";
import { runWeek, weekTable } from "../../support/plans/week-of-plans.ts";

const FROM = Date.parse("2026-01-12T12:00:00Z");
const DAYS = 7;

if (haveRealPrices) for (const line of weekTable(await runWeek(FROM, DAYS))) console.log(line);
else console.log("week: no real prices next to the repository (../shared/data), so there is nothing to run");
