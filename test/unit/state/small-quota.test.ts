import fc from "fast-check";
import { expect, test } from "vitest";
import { priceNeed } from "../../../src/core/fetching/fetch-schedule.ts";
import type { CollectTarget } from "../../../src/core/fetching/fetch-types.ts";
import { consumerRateLimits, type RateLimit, type Share } from "../../../src/core/fetching/rate-limit.ts";
import { RateWindow } from "../../../src/core/fetching/rate-window.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { MAX_OFFSET_MS, slots } from "../../../src/core/time/schedule-slots.ts";
import { shareOf } from "../../../src/state/collector.ts";
import {
  calendar,
  FetchScheduleModel,
  local,
  type Service,
  targetOf,
} from "../../support/service/fetch-schedule-model.ts";

const PUBLISHED_DAYS = ["2026-03-10", "2026-03-11", "2026-03-12"];

interface Setup {
  readonly limit: number;
  readonly addresses: number;
  readonly publishedMinute: number;
  readonly offsetMs: number;
  /** True if LAN devices use all permits as soon as they are granted. */
  readonly isLanBusy: boolean;
}

/** Addresses with history to fill, and a service that publishes tomorrow's prices at a given minute. */
function collecting({ limit, addresses, publishedMinute, offsetMs, isLanBusy }: Setup) {
  const targets = Array.from({ length: addresses }, (_, i): CollectTarget => {
    const target = targetOf();
    const addressId = `${i}${target.addressId.slice(1)}`;
    const series = target.series.map((each) => ({ ...each, series: { ...each.series, place: addressId } }));
    return { ...target, addressId, series };
  });
  const service: Service = (operation, day, now) => {
    const from = calendar.timeOnDay(calendar.add("day", day, -1), publishedMinute);
    return operation === "prices" && now < from ? "none" : "whole";
  };
  const spending = new RateWindow();
  let noted = 0;
  let known: { readonly at: string; readonly limits: readonly RateLimit[] } | null = null;
  const budget = () => {
    const at = `${model.now} ${model.log.length}`;
    if (known?.at === at) return known.limits;
    const prices = targets.flatMap(({ series }) => series.filter(({ poll }) => poll === "prices"));
    const states = prices.map((each) => model.store.stateOf(each.series, model.now));
    const need = priceNeed({ now: model.now, calendar, offsetMs: MAX_OFFSET_MS }, states);
    known = { at, limits: consumerRateLimits({ minute: 60, day: limit }, addresses, need) };
    return known.limits;
  };
  const earliest = (share: Share) => {
    const kept = share === "prices" ? 0 : spending.keptUntil(budget(), model.now);
    return Math.max(kept, spending.earliest(share, budget(), model.now));
  };
  const model: FetchScheduleModel = new FetchScheduleModel({
    start: local("2026-03-10 00:01"),
    ...{ service, targets, offsetMs, historyDays: 60 },
    notBefore({ priority }) {
      for (const { at, step } of model.log.slice(noted))
        spending.add({ at, share: shareOf(step.priority), serverMs: at });
      noted = model.log.length;
      while (isLanBusy && earliest("lan") <= model.now)
        spending.add({ at: model.now, share: "lan", serverMs: model.now });
      return earliest(shareOf(priority));
    },
  });
  return model;
}

test("tomorrow's prices are stored 20 min after publication with any limit of at least one request per slot", () => {
  const anySchedule = fc.record({
    addresses: fc.integer({ min: 1, max: 10 }),
    // Limit above one request per address and slot, mostly small, so that priorities matter.
    spare: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 60 }) }, fc.integer({ min: 0, max: 1_700 })),
    publishedMinute: fc.integer({ min: 13 * 60 + 10, max: 17 * 60 }),
    offsetMs: fc.integer({ min: 0, max: 8 * MINUTE_MS }),
    isLanBusy: fc.boolean(),
  });
  fc.assert(
    fc.property(anySchedule, ({ spare, ...setup }) => {
      const { addresses, publishedMinute } = setup;
      const model = collecting({ ...setup, limit: addresses * slots.today.length + spare });
      for (const day of PUBLISHED_DAYS) {
        const published = calendar.timeOnDay(local(`${day} 12:00`), publishedMinute);
        model.run(published + 21 * MINUTE_MS);
        const tomorrow = calendar.day(calendar.day(published).end).start;
        for (const { series } of model.targets) {
          const prices = series.find(({ poll }) => poll === "prices");
          const state = prices && model.store.stateOf(prices.series, model.now);
          expect([day, state?.chunk(tomorrow)?.complete]).toEqual([day, true]);
        }
      }
    }),
    { numRuns: 12 },
  );
});

test.each([10, 20, 27, 40, 60, 90, 120])("a busy LAN leaves enough of %i requests per day for prices", (limit) => {
  const model = collecting({ limit, addresses: 1, publishedMinute: 17 * 60, offsetMs: 0, isLanBusy: true });
  for (const day of PUBLISHED_DAYS) {
    const published = local(`${day} 17:00`);
    // With fewer requests than slots, the next day fetches the missing data.
    model.run(published + (limit >= slots.today.length ? 21 * MINUTE_MS : 22 * HOUR_MS));
    const prices = model.targets[0]?.series.find(({ poll }) => poll === "prices");
    const tomorrow = calendar.day(calendar.day(published).end).start;
    expect([day, prices && model.store.stateOf(prices.series, model.now)?.chunk(tomorrow)?.complete]).toEqual([
      day,
      true,
    ]);
  }
});
