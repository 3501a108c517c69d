/** A usual day of a key with a small quota. */
import { formatInstant, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import type { OperationId } from "../../../src/service/contract/operations.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { TestDaemon } from "../daemon/test-daemon.ts";

const QUESTIONS = 10;
/** Requested when the consumption of yesterday is complete. */
const USAGE = ["consumptionCosts", "solarExport", "solarExportRevenue"] as const;
const calendar = serviceCalendar();
const day = calendar.day(Date.parse("2026-03-12T12:00:00Z"));
const daysBefore = (count: number) => calendar.add("day", day.start, -count);

/**
 * Runs a daemon with stored history through the day. Prices are published at 13:04. The LAN asks ten questions for data
 * that only the service has at 14:15, and what was deferred again at 19:00. Unit: local hours, 24 for not that day.
 */
export async function usualDay(limit: number, homes: number) {
  const limits = { minute: 60, day: 2_000 };
  await using it = await TestDaemon.start({
    start: daysBefore(2),
    simulator: { homes: Array<"danish">(homes).fill("danish"), limits, publicationDelayMinutes: () => 4 },
  });
  const { clock, simulator } = it;
  await clock.runUntil(daysBefore(1));
  limits.day = limit;
  await clock.runUntil(day.start);
  const now = (await (await it.request("/local/v1/now")).json()) as { homes: { price: number | null }[] };
  const early = await answeredBy(it, 14.25, 0);
  const lan = await answeredBy(it, 19, early);
  await clock.runUntil(day.end - MINUTE_MS);
  const answers = simulator.answered().filter(({ at }) => at >= day.start);
  const when = (operation: OperationId, after: number) => {
    const hours = answers.filter((each) => each.operation === operation).map(({ at }) => (at - day.start) / HOUR_MS);
    return hours.filter((hour) => hour >= after)[homes - 1] ?? 24;
  };
  return {
    today: now.homes.filter(({ price }) => price !== null).length,
    tomorrow: when("prices", 13),
    forecast: when("forecastPrices", 13),
    usage: Math.max(...USAGE.map((operation) => when(operation, 0))),
    lanEarly: early,
    lan,
    requests: answers.length,
    denied: answers.filter(({ status }) => status === 429).length,
  };
}

/** Asks the questions from number `from` on at an hour of the day. Returns the number of those that are answered. */
async function answeredBy(it: TestDaemon, hour: number, from: number): Promise<number> {
  await it.clock.runUntil(calendar.timeOnDay(day.start, hour * 60));
  for (let answered = from; answered < QUESTIONS; answered++) {
    const range = `from=${formatInstant(daysBefore(200 + answered))}&to=${formatInstant(daysBefore(199 + answered))}`;
    const path = `/consumer/v1/me/addresses/${it.simulator.addressIds.danish}/consumption?${range}&aggregation=hour`;
    if (!(await it.request(path)).ok) return answered;
  }
  return QUESTIONS;
}
