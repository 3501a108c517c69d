import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import { AddressLists } from "../../../../src/state/answers/address-lists.ts";

const series = { account: "consumer", place: "", operation: "addresses", unit: "latest" } as const;
const NOON = Date.UTC(2026, 2, 10, 12);

test("a list is requested again at once or ten minutes after the last, and at most six times a day", () => {
  const lists = new AddressLists();
  let asked = 0;
  let answeredAt = NOON - HOUR_MS;
  for (let at = NOON; at < NOON + DAY_MS - MINUTE_MS; at += MINUTE_MS) {
    lists.want(series, at, answeredAt);
    const wantedAt = lists.wantedAt(series) ?? Number.POSITIVE_INFINITY;
    if (wantedAt > at) continue;
    expect(at - answeredAt).toBeGreaterThanOrEqual(10 * MINUTE_MS);
    lists.rowsOf(series, [{ id: "a" }], [{ id: "a" }], { isWhole: true, at });
    answeredAt = at;
    asked++;
  }
  expect(asked).toBe(6);
});
