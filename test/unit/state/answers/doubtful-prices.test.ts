import { expect, test } from "vitest";
import { WHOLE } from "../../../../src/core/series/series.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import { SeriesRepository } from "../../../../src/state/series-repository.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk } from "../../../support/storage/store-on-disk.ts";

const SERIES = { account: "consumer", place: "a", operation: "prices", unit: "hour" } as const;
const TODAY = dayOf("2026-03-10");
const hourAt = (hour: number) => ({ start: TODAY.start + hour * HOUR_MS, end: TODAY.start + (hour + 1) * HOUR_MS });
const HISTORY = { start: dayOf("2026-01-20").start, end: TODAY.start };

test("a price is doubtful until a second response, 15 minutes later, states it; its day is incomplete, also after a restart", async () => {
  using disk = new StoreOnDisk();
  let repository = new SeriesRepository(disk.database, calendar, () => TODAY.end);
  const answer = async (afterMinutes: number, price: number) => {
    repository = new SeriesRepository(disk.database, calendar, () => TODAY.end);
    const rows = rowsOf("hour", TODAY, (start) => (start === TODAY.start + 17 * HOUR_MS ? price : 1));
    const change = await repository.keep(SERIES, TODAY, {
      ...{ rows, envelope: {}, at: TODAY.start + afterMinutes * MINUTE_MS },
    });
    return [
      repository.doubtful.of(SERIES).map((each) => each.price),
      repository.stateOf(SERIES).chunk(TODAY.start)?.complete,
      change?.changed,
    ];
  };
  const history = rowsOf("hour", HISTORY, () => 1);
  await repository.keep(SERIES, HISTORY, { rows: history, envelope: {}, at: TODAY.start });
  expect(await answer(0, 1840)).toEqual([[1840], false, true]);
  expect(repository.doubtful.of(SERIES)[0]).toMatchObject(hourAt(17));
  expect(await answer(14, 1840)).toEqual([[1840], false, false]);
  expect(await answer(20, 1900)).toEqual([[1900], false, true]);
  expect(await answer(34, 1900)).toEqual([[1900], false, false]);
  expect(await answer(35, 1900)).toEqual([[], true, true]);
  expect(await answer(50, 1900)).toEqual([[], true, false]);
  expect(await answer(60, 1840)).toEqual([[1840], false, true]);
  expect(await answer(61, 1)).toEqual([[], true, true]);
});

test("prices that an earlier version stored are compared with at once", async () => {
  using disk = new StoreOnDisk();
  const repository = new SeriesRepository(disk.database, calendar, () => TODAY.end);
  const history = { rows: rowsOf("hour", HISTORY, () => 1), envelope: {}, now: TODAY.start };
  for (const _ of repository.store.storing(SERIES, HISTORY, history, () => undefined));
  const forecast = { ...SERIES, operation: "forecastPrices", unit: "latest" } as const;
  const rows = rowsOf("hour", TODAY, (start) => (start === TODAY.start + 17 * HOUR_MS ? 1840 : 1));
  for (const series of [forecast, SERIES])
    await repository.keep(series, TODAY, { rows, envelope: {}, at: TODAY.start });
  expect(repository.doubtful.of(SERIES)).toMatchObject([{ ...hourAt(17), price: 1840 }]);
});

test("a refused row makes its day incomplete until a response has all of it, and the others stay in use", async () => {
  using disk = new StoreOnDisk();
  const repository = new SeriesRepository(disk.database, calendar, () => TODAY.end);
  const answer = async (count: number, isWhole: boolean) => {
    const rows = rowsOf("hour", TODAY, () => 1).slice(0, count);
    await repository.keep(SERIES, TODAY, { rows, envelope: {}, at: TODAY.end, isWhole });
    return [repository.stateOf(SERIES).chunk(TODAY.start)?.complete, repository.store.rows(SERIES, TODAY).length];
  };
  expect(await answer(24, true)).toEqual([true, 24]);
  expect(await answer(23, false)).toEqual([false, 24]);
  expect(await answer(24, true)).toEqual([true, 24]);
});

test("prices that a place's responses lack from now on are kept for three days, also after a restart, but no doubtful ones", async () => {
  using disk = new StoreOnDisk();
  const region = {
    account: "third_party",
    place: '{"region":"DK1"}',
    operation: "regionPrices",
    unit: "latest",
  } as const;
  /** Stores a response with the hours of two days from `from` on, and returns the prices since three days before it. */
  const answer = async (day: string, fromHour: number, priceOf: (start: number) => number = () => 1) => {
    const repository = new SeriesRepository(disk.database, calendar, () => TODAY.end);
    const { start } = dayOf(day);
    const at = start + fromHour * HOUR_MS;
    const rows = rowsOf("hour", { start: at, end: start + 48 * HOUR_MS }, priceOf);
    const prices = rows.map(({ start: date, totalPricePerKWh: price }) => ({ date, price }));
    await repository.keep(region, WHOLE, { rows: prices, envelope: {}, at });
    return repository.doubtful.placePricesIn(region, repository.store.latest(region) ?? [], start - 3 * DAY_MS);
  };
  expect((await answer("2026-02-01", 12)).length).toBe(36);
  const next = await answer("2026-02-02", 20);
  expect(next.map(({ start }) => start)).toEqual(next.map((_, i) => dayOf("2026-02-01").start + (12 + i) * HOUR_MS));
  expect((await answer("2026-02-05", 0)).at(0)?.start).toBe(dayOf("2026-02-02").start);
  for (let day = 10; day < 25; day++) await answer(`2026-02-${day}`, 0);
  const wrongAt = dayOf("2026-02-26").start + HOUR_MS;
  const withWrong = await answer("2026-02-25", 0, (start) => (start === wrongAt ? 1840 : 1));
  expect(withWrong.some(({ start }) => start === wrongAt)).toBe(false);
  expect((await answer("2026-02-26", 12)).some(({ price }) => price > 1)).toBe(false);
});
