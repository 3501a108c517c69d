import { expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import { SeriesRepository } from "../../../../src/state/series-repository.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk } from "../../../support/storage/store-on-disk.ts";

const SERIES = { account: "consumer", place: "a", operation: "prices", unit: "hour" } as const;
const TODAY = dayOf("2026-03-10");
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
      [...repository.doubtful.of(SERIES).values()],
      repository.stateOf(SERIES).chunk(TODAY.start)?.complete,
      change?.changed,
    ];
  };
  const history = rowsOf("hour", HISTORY, () => 1);
  await repository.keep(SERIES, HISTORY, { rows: history, envelope: {}, at: TODAY.start });
  expect(await answer(0, 1840)).toEqual([[1840], false, true]);
  expect([...repository.doubtful.of(SERIES).keys()]).toEqual([TODAY.start + 17 * HOUR_MS]);
  expect(await answer(14, 1840)).toEqual([[1840], false, false]);
  expect(await answer(20, 1900)).toEqual([[1900], false, true]);
  expect(await answer(34, 1900)).toEqual([[1900], false, false]);
  expect(await answer(35, 1900)).toEqual([[], true, true]);
  expect(await answer(50, 1900)).toEqual([[], true, false]);
  expect(await answer(60, 1840)).toEqual([[1840], false, true]);
  expect(await answer(61, 1)).toEqual([[], true, true]);
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
