import type { AdminResponses } from "../../api/admin/admin-api.ts";
import type { Given } from "../arguments.ts";
import { withAdminConnection } from "../connect.ts";
import { type ChartStyle, priceChart, priceSummary, scaleOf } from "./price-chart.ts";

export const line = {
  usage: "prices [HOME]",
  about:
    "Prints the prices of a home (by default the first) today, and tomorrow once they are known. An hour is the mean of\nits quarters. Prices that are not stored yet are requested from the service: one request.",
  words: [0, 1] as const,
  options: {
    quarters: { type: "boolean", about: "print every price instead of hourly means" },
  } as const,
};

const USUAL_WIDTH = 80;

/** `elbro prices` */
export async function main(given: Given): Promise<number> {
  const [home = null] = given.words;
  const { homes, known, trouble } = await withAdminConnection(given, (admin) => admin.ask({ ask: "prices", home }));
  if (homes.length === 0) {
    const why = trouble === null ? "" : `: ${trouble}`;
    const others = known.length > 0 ? `unknown home "${home}"; expected one of ${known.join(", ")}` : null;
    process.stderr.write(`elbro: ${others ?? `no home is known yet${why}`}\n`);
    return 1;
  }
  const style = styleOf(given.values.quarters === true);
  process.stdout.write(`${homes.map((each) => homeText(each, style)).join("\n\n")}\n`);
  const others = known.filter((id) => homes.every((each) => each.id !== id));
  if (home === null && others.length > 0) process.stdout.write(`\nother homes: ${others.join(", ")}\n`);
  return homes.some(({ days }) => days[0]?.prices.length === 0) ? 1 : 0;
}

/** Returns true on a terminal without NO_COLOR. Source: https://no-color.org */
function styleOf(quarters: boolean): Omit<ChartStyle, "scale"> {
  const { isTTY, columns } = process.stdout;
  return {
    width: columns ?? USUAL_WIDTH,
    colors: isTTY && !process.env.NO_COLOR && process.env.TERM !== "dumb" ? "ansi" : "none",
    rows: quarters ? "interval" : "hour",
  };
}

function homeText(
  { id, name, currency, days, now, trouble }: AdminResponses["prices"]["homes"][number],
  look: Omit<ChartStyle, "scale">,
): string {
  const style = { ...look, scale: scaleOf(days) };
  const shown = days.flatMap((day) => {
    if (day.prices.length === 0) return [];
    return [`${day.date}${currency === null ? "" : `, ${currency} per kWh`}`, ...priceChart(day, now, style)];
  });
  const troubles = trouble === null ? [] : [trouble];
  const missing = shown.length === 0 ? ["today's prices are not known"] : [];
  const summary = priceSummary(days, now);
  return [`${name} (${id})`, ...(summary === "" ? [] : [summary]), ...shown, ...missing, ...troubles].join("\n");
}
