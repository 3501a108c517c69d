/** `npm run lab -- year`: simulates a year of a home in minutes, with faults and both clock changes. */
import { runDays } from "../../support/clock/year-in-fast-forward.ts";

const FROM = Date.parse("2025-09-01T00:00:00Z");
const DAYS = 365;

const began = performance.now();
const figures = await runDays(FROM, DAYS, (month) => {
  console.log(`month ${month} after ${((performance.now() - began) / 1_000).toFixed(0)} s`);
});
for (const day of figures.busiest) console.log(`busiest: ${day}`);
for (const what of figures.different.slice(0, 20)) console.log(`different: ${what}`);
for (const day of figures.late) console.log(`late: ${day}`);
const rss = (month: number) => (figures.rssMb[month - 1] ?? Number.NaN).toFixed(1);
console.log(
  `year: denied=${figures.denied} different=${figures.different.length} of ${figures.compared} on_time=${figures.onTime.toFixed(3)} requests_median=${figures.requestsMedian} ` +
    `requests_max=${figures.requestsMax} rss_month2_mb=${rss(2)} rss_month12_mb=${rss(12)}`,
);
