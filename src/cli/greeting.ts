/** Text of a start on a terminal: address of the dashboard, then prices and next runs. */
import { localTimeText } from "../core/planning/model/local-time.ts";
import { VERSION } from "../core/status/version.ts";
import { printable } from "../core/text/printable.ts";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { HouseOverview } from "../plans/house-overview.ts";

const NAME_WIDTH = 12;

export function greeting(dashboard: string, broker: string): string {
  return `elbro ${VERSION}\n${line("dashboard", dashboard)}${line("MQTT", broker)}`;
}

export function houseText({ prices, runs }: HouseOverview, calendar: Calendar, now: EpochMs): string {
  const clock = (at: EpochMs) => localTimeText(calendar.minuteOfDay(at));
  const day = (at: EpochMs) => (calendar.dateOf(at) === calendar.dateOf(now) ? "" : `${calendar.dateOf(at)} `);
  const costs = prices.map(({ name, price, currency, until, level, estimate }) => {
    if (price === null || until === null) return line(name, "current price not known");
    const unit = currency === null ? "" : ` ${currency}/kWh`;
    const judged = level === null ? "" : `, ${level.replace("_", " ")}`;
    return line(name, `${price.toFixed(2)}${unit} until ${clock(until)}${judged}${estimate ? ", an estimate" : ""}`);
  });
  const planned = runs.map(({ plan, start, end }) =>
    line(plan, start <= now ? `runs until ${clock(end)}` : `runs ${day(start)}${clock(start)}-${clock(end)}`),
  );
  return [...costs, ...planned].join("");
}

function line(name: string, text: string): string {
  return `  ${printable(name).padEnd(NAME_WIDTH)} ${text}\n`;
}
