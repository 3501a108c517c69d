import type { AddressesAnswer } from "../../api/house/addresses.ts";
import type { NowAnswer, PriceRowAnswer, TimelineAnswer } from "../../api/house/prices.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import { serviceCalendar } from "../../service/service-calendar.ts";
import { type Arguments, jsonOption } from "../arguments.ts";
import { bodyOf, type Connection, withConnection } from "../connect.ts";
import { failed, print, printJson } from "../output.ts";
import { type DayPrices, priceLines, priceSummary } from "./price-lines.ts";

export const line = {
  usage: "prices [HOME]",
  about:
    "Prints the prices of a home (by default the first) today, and tomorrow once they are known. An hour is the mean of\nits quarters. Prices that are not stored yet are requested from the service: one request.",
  words: [0, 1] as const,
  options: {
    quarters: { type: "boolean", about: "print every price instead of hourly means" },
    ...jsonOption,
  } as const,
};

type Found =
  | {
      readonly kind: "found";
      readonly now: EpochMs;
      readonly home: TimelineAnswer;
      readonly known: readonly string[];
      /** Why missing prices could not be requested; null if they were, or if none are missing. */
      readonly trouble: string | null;
    }
  | { readonly kind: "unknown"; readonly why: string };

export async function main(given: Arguments): Promise<number> {
  const [wanted = null] = given.words;
  const found = await withConnection(given, ({ ask }) => pricesOf(ask, wanted));
  if (found.kind === "unknown") {
    return failed(found.why);
  }
  const { home, known, now, trouble } = found;
  const days = daysOf(home.prices, now, serviceCalendar());
  if (given.values.json === true) printJson(home);
  else {
    print(homeText({ ...home, days, now, trouble }, given.values.quarters === true ? "interval" : "hour"));
    const others = known.filter((id) => id !== home.id);
    if (wanted === null && others.length > 0) print(`\nother homes: ${others.join(", ")}`);
  }
  return days[0]?.prices.length === 0 ? 1 : 0;
}

async function pricesOf(ask: Connection["ask"], wanted: string | null): Promise<Found> {
  const addresses = async () => bodyOf(await ask<AddressesAnswer>("/local/v1/addresses")).accounts;
  const { now, homes, why } = await homesIn(ask, addresses);
  if (homes.length === 0) return { kind: "unknown", why: `no home is known yet${why === null ? "" : `: ${why}`}` };
  const known = homes.map(({ id }) => id);
  const chosen = wanted === null ? homes[0] : homes.find(({ id }) => id === wanted);
  if (!chosen) return { kind: "unknown", why: `unknown home "${wanted}"; expected one of ${known.join(", ")}` };
  const { id, resolution } = chosen;
  const stored = async () => bodyOf(await ask<TimelineAnswer>(`/local/v1/prices?home=${id}`));
  const home = await stored();
  if (home.prices.some(({ end, estimate }) => Date.parse(end) > now && !estimate))
    return { kind: "found", now, home, known, trouble: null };
  const address = (await addresses()).flatMap((each) => each.addresses).find((each) => each.home === id);
  const calendar = serviceCalendar();
  const today = calendar.startOf("day", now);
  const [from, to] = [today, calendar.add("day", today, 2)].map(formatInstant);
  const answer = await ask<object>(
    `/consumer/v1/me/addresses/${address?.id}/prices?from=${from}&to=${to}&resolution=${resolution}`,
  );
  return { kind: "found", now, home: await stored(), known, trouble: answer.kind === "error" ? answer.reason : null };
}

/** Returns the homes. If none is known, the addresses are requested; `why` is the reason if that fails. */
async function homesIn(ask: Connection["ask"], addresses: () => Promise<AddressesAnswer["accounts"]>) {
  const read = async () => {
    const { now, homes } = bodyOf(await ask<NowAnswer>("/local/v1/now"));
    return { now: Date.parse(now), homes: homes.filter(({ kind }) => kind === "home"), why: null };
  };
  const found = await read();
  if (found.homes.length > 0) return found;
  const why = (await addresses()).flatMap(({ trouble }) => trouble ?? [])[0] ?? null;
  return { ...(await read()), why };
}

function daysOf(prices: readonly PriceRowAnswer[], now: EpochMs, calendar: Calendar): DayPrices[] {
  const today = calendar.startOf("day", now);
  return calendar.intervals("day", { start: today, end: calendar.add("day", today, 2) }).map((day) => ({
    ...day,
    date: calendar.dateOf(day.start),
    prices: prices.flatMap(({ start: begin, end, price, level, estimate }) => {
      const start = Date.parse(begin);
      if (start < day.start || start >= day.end) return [];
      return [{ start, end: Date.parse(end), price, level, estimate, minuteOfDay: calendar.minuteOfDay(start) }];
    }),
  }));
}

interface Shown extends Pick<TimelineAnswer, "id" | "name" | "currency"> {
  readonly now: EpochMs;
  readonly trouble: string | null;
  readonly days: readonly DayPrices[];
}

function homeText({ id, name, currency, days, now, trouble }: Shown, rows: "hour" | "interval"): string {
  const lines = days.flatMap((day) => {
    if (day.prices.length === 0) return [];
    return [`${day.date}${currency === null ? "" : `, ${currency} per kWh`}`, ...priceLines(day.prices, now, rows)];
  });
  const troubles = trouble === null ? [] : [trouble];
  const missing = lines.length === 0 ? ["today's prices are not known"] : [];
  const summary = priceSummary(days, now);
  return [`${name} (${id})`, ...(summary === "" ? [] : [summary]), ...lines, ...missing, ...troubles].join("\n");
}
