import { describe, expect, test } from "vitest";
import { WHOLE } from "../../../src/core/series/series.ts";
import {
  DAY_MS,
  type EpochMs,
  formatInstant,
  HOUR_MS,
  type Interval,
  MINUTE_MS,
} from "../../../src/core/time/interval.ts";
import type { Dropped, ParamsOf } from "../../../src/service/contract/operations.ts";
import { seriesOf } from "../../../src/service/contract/series-mapping.ts";
import { SeriesRepository } from "../../../src/state/series-repository.ts";
import type { Found } from "../../../src/state/stored-answer.ts";
import { ADDRESS_ID as addressId, answers } from "../../fixtures/answers.ts";
import { spendOf } from "../../support/storage/spend.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk } from "../../support/storage/store-on-disk.ts";

const account = "consumer";

/** Repository on its own file, with a clock that the test sets. */
class Shelved implements Disposable {
  readonly #store = new StoreOnDisk();
  now: EpochMs = dayOf("2026-06-10").start;
  repository: SeriesRepository = this.#open();

  #open(): SeriesRepository {
    return new SeriesRepository(this.#store.database, calendar, () => this.now);
  }

  restart(): void {
    this.repository.close();
    this.#store.reopen();
    this.repository = this.#open();
  }

  /** Records a request and stores its response, as daemon and LAN do. */
  async answered<Id extends "prices" | "consumption">(
    operation: Id,
    params: ParamsOf<Id> & { readonly from: EpochMs; readonly to: EpochMs },
    body: object,
    dropped: Dropped | null = null,
  ): Promise<boolean | null> {
    const range = { start: params.from, end: params.to };
    const seriesId = this.repository.store.idOf(seriesOf(account, operation, params));
    const id = this.repository.requestLog.spend(spendOf({ at: this.now, seriesId, range }));
    this.repository.requestLog.settle(id, 200, "request", this.now);
    return this.repository.keepAnswer(account, operation, params, { body: body as never, at: this.now, dropped });
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }
}

function pricesOf(range: Interval): ParamsOf<"prices"> {
  return { addressId, from: range.start, to: range.end, resolution: "hour" };
}

function bodyOf(range: Interval, rows: readonly object[] = rowsOf("hour", range)): object {
  return {
    addressId,
    from: formatInstant(range.start),
    to: formatInstant(range.end),
    timeZone: "Europe/Copenhagen",
    resolution: "hour",
    currency: "DKK",
    vatIncluded: true,
    data: rows,
  };
}

function textOf(found: Found | null): string | null {
  return found?.read().toString() ?? null;
}

describe("a stored response", () => {
  test("a stored response equals the service's response byte for byte, also after a restart", async () => {
    using shelved = new Shelved();
    const range = { start: dayOf("2026-03-28").start, end: dayOf("2026-03-31").end };
    expect(await shelved.answered("prices", pricesOf(range), bodyOf(range))).toBe(true);
    expect(await shelved.answered("prices", pricesOf(range), bodyOf(range))).toBe(false);
    shelved.restart();
    const found = shelved.repository.find(account, "prices", pricesOf(range), shelved);
    expect(textOf(found)).toBe(JSON.stringify(bodyOf(range)));
  });

  test("a stored response contains the requested part, in whole days or not", async () => {
    using shelved = new Shelved();
    const range = { start: dayOf("2026-03-28").start, end: dayOf("2026-03-31").end };
    await shelved.answered("prices", pricesOf(range), bodyOf(range));
    for (const part of [
      dayOf("2026-03-29"),
      { start: range.start + 5 * HOUR_MS, end: range.end - 30 * HOUR_MS },
      { start: range.start + 5 * HOUR_MS, end: range.start + 6 * HOUR_MS },
    ]) {
      const found = shelved.repository.find(account, "prices", pricesOf(part), shelved);
      expect(JSON.parse(textOf(found) ?? "")).toEqual(bodyOf(part));
    }
  });

  test("without rows is empty, and null if it was never requested", async () => {
    using shelved = new Shelved();
    const day = dayOf("2026-03-28");
    expect(shelved.repository.find(account, "prices", pricesOf(day), shelved)).toBeNull();
    await shelved.answered("prices", pricesOf(day), bodyOf(day, []));
    expect(textOf(shelved.repository.find(account, "prices", pricesOf(day), shelved))).toContain('"data":[]');
    expect(shelved.repository.find(account, "prices", pricesOf(dayOf("2026-03-29")), shelved)).toBeNull();
  });

  test.each([
    ["addresses", {}],
    ["forecastPrices", { addressId }],
    ["regionPrices", { region: "DK1" }],
    ["charges", { latitude: 56, longitude: 10, date: 0 }],
    ["requestCounts", {}],
  ] as const)("of %s is returned complete and unchanged", async (operation, params) => {
    using shelved = new Shelved();
    const { repository, now } = shelved;
    await repository.keepAnswer(account, operation, params as never, { body: answers[operation] as never, at: now });
    const found = repository.find(account, operation, params as never, { now });
    expect(JSON.parse(textOf(found) ?? "")).toEqual(answers[operation]);
  });
});

describe("the age of a response", () => {
  test("of complete days without estimates stays fresh; of others it is fresh for 15 min", async () => {
    using shelved = new Shelved();
    const [whole, short] = [dayOf("2026-03-27"), dayOf("2026-03-28")];
    await shelved.answered("prices", pricesOf(whole), bodyOf(whole));
    await shelved.answered("prices", pricesOf(short), bodyOf(short, rowsOf("hour", short).slice(1)));
    const asked = shelved.now;
    const freshAt = (range: Interval, now: EpochMs) =>
      shelved.repository.find(account, "prices", pricesOf(range), { now });
    expect(freshAt(whole, asked + 50 * DAY_MS)).toMatchObject({ fresh: true, answeredAt: asked });
    expect(freshAt(short, asked + 15 * MINUTE_MS)).toMatchObject({ fresh: true, answeredAt: asked });
    expect(freshAt(short, asked + 15 * MINUTE_MS + 1)).toMatchObject({ fresh: false, answeredAt: asked });
    const both = { start: whole.start, end: short.end };
    const stale = shelved.repository.staleRange(account, "prices", pricesOf(both), { now: asked + HOUR_MS });
    expect(stale).toEqual(short);
    const soon = { now: asked + MINUTE_MS, askedSince: asked };
    expect(shelved.repository.staleRange(account, "prices", pricesOf(both), soon)).toBeNull();
    const since = { ...soon, askedSince: asked + 1 };
    expect(shelved.repository.staleRange(account, "prices", pricesOf(both), since)).toEqual(short);
  });

  test("of a day with a row that cannot be read is fresh for 15 min, although the row of before is kept", async () => {
    using shelved = new Shelved();
    const day = dayOf("2026-03-27");
    await shelved.answered("prices", pricesOf(day), bodyOf(day));
    const found = () => shelved.repository.find(account, "prices", pricesOf(day), { now: shelved.now + HOUR_MS });
    expect(found()?.fresh).toBe(true);
    const dropped = { count: 1, ids: [], why: "row 0: totalPricePerKWh: expected number" };
    await shelved.answered("prices", pricesOf(day), bodyOf(day, rowsOf("hour", day).slice(1)), dropped);
    expect(found()?.fresh).toBe(false);
    expect(JSON.parse(textOf(found()) ?? "")).toEqual(bodyOf(day));
  });

  test("of a range that was only partly requested is that of the known part, which is never fresh", async () => {
    using shelved = new Shelved();
    const [first, last] = [dayOf("2026-03-27"), dayOf("2026-03-29")];
    const whole = pricesOf({ start: first.start, end: last.end });
    expect(shelved.repository.findPart(account, "prices", whole, shelved.now)).toBeNull();
    await shelved.answered("prices", pricesOf(first), bodyOf(first));
    const asked = shelved.now;
    shelved.now += HOUR_MS;
    await shelved.answered("prices", pricesOf(last), bodyOf(last));
    expect(shelved.repository.find(account, "prices", whole, shelved)).toBeNull();
    const part = shelved.repository.findPart(account, "prices", whole, shelved.now);
    expect(part).toMatchObject({ fresh: false, answeredAt: asked });
    const rows = [...rowsOf("hour", first), ...rowsOf("hour", last)];
    expect(JSON.parse(textOf(part) ?? "")).toEqual(bodyOf({ start: whole.from, end: whole.to }, rows));
    const other = pricesOf(dayOf("2026-03-28"));
    expect(shelved.repository.findPart(account, "prices", other, shelved.now)).toBeNull();
  });

  test("the age of a response is that of its oldest day; a day missing in the request log is as old as the log", async () => {
    using shelved = new Shelved();
    const [first, second] = [dayOf("2026-03-27"), dayOf("2026-03-28")];
    await shelved.answered("prices", pricesOf(first), bodyOf(first));
    const asked = shelved.now;
    shelved.now += HOUR_MS;
    await shelved.answered("prices", pricesOf(second), bodyOf(second));
    const both = pricesOf({ start: first.start, end: second.end });
    expect(shelved.repository.find(account, "prices", both, shelved)?.answeredAt).toBe(asked);
    shelved.repository.requestLog.deleteBefore(shelved.now, 100);
    shelved.restart();
    const found = shelved.repository.find(account, "prices", both, shelved);
    expect(found).toMatchObject({ fresh: true, answeredAt: shelved.now - 90 * DAY_MS });
  });

  test("the age of a response counts as never requested if its time is ahead of the clock", async () => {
    using shelved = new Shelved();
    const day = dayOf("2026-06-10");
    const series = seriesOf(account, "prices", pricesOf(day));
    await shelved.answered("prices", pricesOf(day), bodyOf(day, []));
    const asked = shelved.now;
    for (const restart of [false, true]) {
      if (restart) shelved.restart();
      shelved.now = asked;
      expect(shelved.repository.stateOf(series).answeredAt).toBe(asked);
      shelved.now = asked - 1;
      expect(shelved.repository.stateOf(series).answeredAt).toBeNull();
      expect(shelved.repository.find(account, "prices", pricesOf(day), shelved)?.fresh).toBe(false);
    }
  });

  test("counts with a corrected clock, even if the request log contains a time in the future", async () => {
    using shelved = new Shelved();
    const day = dayOf("2026-06-10");
    const right = shelved.now;
    shelved.now = Date.UTC(2069, 0, 1);
    await shelved.answered("prices", pricesOf(day), bodyOf(day, []));
    shelved.now = right;
    await shelved.answered("prices", pricesOf(day), bodyOf(day, []));
    shelved.restart();
    expect(shelved.repository.stateOf(seriesOf(account, "prices", pricesOf(day))).answeredAt).toBe(right);
    expect(shelved.repository.find(account, "prices", pricesOf(day), { now: right })?.fresh).toBe(true);
  });
});

describe("the same request repeated", () => {
  const day = dayOf("2026-06-10");
  const params = pricesOf(day);
  const short = rowsOf("hour", day).slice(1);

  test("the same request repeated detects a change of its rows, of its envelope, and their deletion", async () => {
    using shelved = new Shelved();
    const find = () => shelved.repository.find(account, "prices", params, shelved);
    const seen: (number | string | undefined)[] = [];
    for (const body of [bodyOf(day, short), bodyOf(day), { ...bodyOf(day), currency: "SEK" }]) {
      await shelved.answered("prices", params, body);
      expect(textOf(find())).toBe(JSON.stringify(body));
      seen.push(find()?.version);
    }
    expect(new Set(seen).size).toBe(3);
    shelved.repository.store.deleteBefore(day.end, 10);
    expect(find()).toBeNull();
  });

  test("for another account returns null", async () => {
    using shelved = new Shelved();
    await shelved.answered("prices", params, bodyOf(day));
    expect(shelved.repository.find(account, "prices", params, shelved)).not.toBeNull();
    expect(shelved.repository.find("another", "prices", params, shelved)).toBeNull();
  });
});

describe("storing", () => {
  const range = { start: dayOf("2026-01-01").start, end: dayOf("2026-03-31").end };

  test("a large response pauses between slices, and reads in between return stored slices", async () => {
    using shelved = new Shelved();
    const { repository } = shelved;
    const series = { ...seriesOf(account, "prices", pricesOf(range)), unit: "fifteenMinutes" as const };
    const kept = repository.keep(series, range, {
      rows: rowsOf("fifteenMinutes", range),
      envelope: {},
      at: shelved.now,
    });
    const seen = new Set<number>();
    let over = false;
    const look = () => {
      if (over) return;
      seen.add(repository.store.rowsByChunk(series, range).length);
      setImmediate(look);
    };
    setImmediate(look);
    expect(await kept).toEqual({ changed: true, strayRows: 0 });
    over = true;
    expect(seen.size).toBeGreaterThan(10);
    expect(repository.stateOf(series).answeredAt).toBe(shelved.now);
  });

  test("storing keeps both of two simultaneous responses for one series", async () => {
    using shelved = new Shelved();
    const { repository } = shelved;
    const series = { ...seriesOf(account, "prices", pricesOf(range)), unit: "fifteenMinutes" as const };
    const rows = rowsOf("fifteenMinutes", range);
    const even = rows.filter((_, i) => i % 2 === 0);
    const odd = rows.filter((_, i) => i % 2 === 1);
    await Promise.all(
      [even, odd].map((half) => repository.keep(series, range, { rows: half, envelope: {}, at: shelved.now })),
    );
    expect(repository.store.rows(series, range)).toEqual(rows);
  });

  test("a series without a range stores it for all of time", async () => {
    using shelved = new Shelved();
    const series = { account, place: addressId, operation: "forecastPrices", unit: "latest" } as const;
    const seriesId = shelved.repository.store.idOf(series);
    shelved.repository.requestLog.spend(spendOf({ seriesId }));
    await shelved.repository.keep(series, WHOLE, { rows: [], envelope: {}, at: shelved.now });
    shelved.restart();
    expect(shelved.repository.stateOf(series).answeredAt).toBe(shelved.now);
    expect(shelved.repository.find(account, "forecastPrices", { addressId }, shelved)?.fresh).toBe(true);
  });
});

test("rows never get another currency: the old ones are not read any more, and history is requested again", async () => {
  using shelved = new Shelved();
  const [first, second] = [dayOf("2026-06-08"), dayOf("2026-06-09")];
  await shelved.answered("prices", pricesOf(first), bodyOf(first));
  await shelved.answered("prices", pricesOf(second), { ...bodyOf(second), currency: "SEK" });
  const series = seriesOf(account, "prices", pricesOf(first));
  for (const restart of [() => undefined, () => shelved.restart()]) {
    restart();
    const { store } = shelved.repository;
    expect(store.envelope(series)?.currency).toBe("SEK");
    expect([store.rows(series, first).length, store.rows(series, second).length]).toEqual([0, 24]);
    expect(shelved.repository.stateOf(series).chunk(first.start)).toBe(null);
  }
});
