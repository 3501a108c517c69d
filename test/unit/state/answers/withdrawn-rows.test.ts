import { expect, test } from "vitest";
import { HOUR_MS } from "../../../../src/core/time/interval.ts";
import { SeriesRepository } from "../../../../src/state/series-repository.ts";
import { calendar, StoreOnDisk } from "../../../support/storage/store-on-disk.ts";

const DAY = calendar.day(Date.UTC(2026, 2, 10, 12));
const SERIES = { account: "consumer", place: "a", operation: "consumption", unit: "hour" } as const;
const row = (hour: number) => ({
  start: new Date(DAY.start + hour * HOUR_MS).toISOString(),
  end: new Date(DAY.start + (hour + 1) * HOUR_MS).toISOString(),
  energyKWh: 1,
});

test("a row goes with the second whole response that lacks it, hours later, also after a restart", async () => {
  using disk = new StoreOnDisk();
  const answer = async (afterHours: number, hours: readonly number[], isWhole = true) => {
    const repository = new SeriesRepository(disk.database, calendar, () => DAY.end);
    const response = { rows: hours.map(row), envelope: {}, at: DAY.end + afterHours * HOUR_MS, isWhole };
    await repository.keep(SERIES, DAY, response);
    return repository.store.rows(SERIES, DAY).length;
  };
  expect(await answer(0, [0, 1, 2, 3])).toBe(4);
  expect(await answer(1, [0, 1])).toBe(4);
  expect(await answer(2, [0, 1])).toBe(4);
  expect(await answer(8, [])).toBe(4);
  expect(await answer(9, [0, 1], false)).toBe(4);
  // Hour 2 was there in between.
  expect(await answer(10, [0, 1, 2])).toBe(3);
  expect(await answer(11, [0, 1])).toBe(3);
  expect(await answer(12, [0, 1, 2])).toBe(3);
  expect(await answer(13, [0, 1])).toBe(3);
  expect(await answer(20, [0, 1])).toBe(2);
});
