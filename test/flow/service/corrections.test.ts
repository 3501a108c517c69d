/** Data that arrives late or is corrected: readings for weeks, prices on the same day. */
import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/core/time/interval.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const START = Date.parse("2026-05-25T09:00:00Z");
const at = (text: string) => Date.parse(text);

/** Returns the rows of the service itself. */
async function rowsOfService(it: TestDaemon, rest: string): Promise<Record<string, number>[]> {
  const url = `${it.simulator.url}/consumer/v1/me/addresses/${it.simulator.addressIds.danish}/${rest}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${it.simulator.keys.consumerKey}` } });
  return ((await answer.json()) as { data: Record<string, number>[] }).data;
}

/** Stops the daemon, and starts it again at a later time. */
async function pauseUntil(it: TestDaemon, later: number): Promise<void> {
  await it.stop();
  it.clock.leap(later);
  await it.restart();
}

async function rowsOfMirror(it: TestDaemon, rest: string, headers: Record<string, string> = {}) {
  const path = `/consumer/v1/me/addresses/${it.simulator.addressIds.danish}/${rest}`;
  return ((await (await it.request(path, headers)).json()) as { data: Record<string, number>[] }).data;
}

test("readings that arrive or are corrected after three weeks are complete and right everywhere", async () => {
  await using it = await TestDaemon.start({
    start: START,
    config: { history: { months: 1 }, homes: [{ address_id: demoHomes.danish.address.id, id: "home" }] },
  });
  const late = { operation: "*", to: at("2026-06-18T00:00:00Z"), rowsTo: at("2026-05-30T22:00:00Z") } as const;
  it.simulator.setFaults([
    { ...late, operation: "consumption", fault: "lateRows", rowsFrom: at("2026-05-27T22:00:00Z") },
    { ...late, operation: "consumptionCosts", fault: "lateRows", rowsFrom: at("2026-05-28T03:00:00Z") },
    { ...late, operation: "solarExport", fault: "wrongRows", factor: 0.5, rowsFrom: at("2026-05-20T22:00:00Z") },
    { ...late, operation: "solarExportRevenue", fault: "wrongRows", factor: 2, rowsFrom: at("2026-05-20T22:00:00Z") },
  ]);
  const may = "from=2026-04-30T22:00:00Z&to=2026-05-31T22:00:00Z";
  await it.clock.runUntil(at("2026-06-01T12:00:00Z"));
  await pauseUntil(it, at("2026-06-10T09:00:00Z"));
  await it.clock.runUntil(at("2026-06-10T12:00:00Z"));
  const days = `consumption?${may}&aggregation=day`;
  await rowsOfMirror(it, days);
  await pauseUntil(it, at("2026-06-20T09:00:00Z"));
  await it.clock.runUntil(at("2026-06-21T12:00:00Z"));
  for (const [topic, path, field] of [
    ["consumption", "consumption", "energyKWh"],
    ["costs", "consumption-costs", "totalCost"],
    ["export", "solar-export", "energyKWh"],
    ["revenue", "solar-export-revenue", "netRevenue"],
  ] as const) {
    const expected = await rowsOfService(it, `${path}?${may}&aggregation=hour`);
    const sum = expected.reduce((all, row) => all + (row[field] ?? 0), 0);
    const shown = it.watcher.json(`elbro/home/${topic}`) as { previous_month: { value: number } };
    expect([topic, shown.previous_month.value]).toEqual([topic, expect.closeTo(sum, 2)]);
    expect(await rowsOfMirror(it, `${path}?${may}&aggregation=hour`)).toEqual(expected);
  }
  expect(await rowsOfMirror(it, days)).toEqual(await rowsOfService(it, days));
});

test("days of a month that a client requested early are filled after a pause of three weeks", async () => {
  await using it = await TestDaemon.start({
    start: START,
    config: { history: { months: 1 }, homes: [{ address_id: demoHomes.danish.address.id, id: "home" }] },
  });
  await it.clock.runUntil(START + HOUR_MS);
  const month = "from=2026-05-31T22:00:00Z&to=2026-06-30T22:00:00Z";
  const hours = `consumption?${month}&aggregation=hour`;
  const prices = `prices?${month}&resolution=fifteenMinutes`;
  for (const path of [hours, prices]) await rowsOfMirror(it, path);
  await pauseUntil(it, START + 33 * DAY_MS);
  await it.clock.runUntil(START + 33 * DAY_MS + 8 * HOUR_MS);
  const known = await it.request(`/consumer/v1/me/addresses/${it.simulator.addressIds.danish}/${hours}`, {
    "cache-control": "max-stale",
  });
  const rows = ((await known.json()) as { data: unknown[] }).data;
  expect(rows.length).toBe((await rowsOfService(it, hours)).length);
  expect((await rowsOfMirror(it, prices, { "cache-control": "max-stale" })).length).toBe(
    (await rowsOfService(it, prices)).length,
  );
});

test("prices that are corrected after their publication arrive in the evening, and at once with no-cache", async () => {
  await using it = await TestDaemon.start({
    start: START,
    config: { history: { months: 1 }, homes: [{ address_id: demoHomes.danish.address.id, id: "home" }] },
  });
  const wrong = { operation: "prices", fault: "wrongRows", factor: 3 } as const;
  const rows = { rowsFrom: at("2026-05-25T22:00:00Z"), rowsTo: at("2026-05-26T22:00:00Z") };
  it.simulator.setFaults([{ ...wrong, ...rows, to: at("2026-05-25T15:00:00Z") }]);
  await it.clock.runUntil(at("2026-05-25T14:00:00Z"));
  const prices = "prices?from=2026-05-25T22:00:00Z&to=2026-05-26T22:00:00Z&resolution=fifteenMinutes";
  const shown = (day: "raw_today" | "raw_tomorrow") => {
    const lists = it.watcher.json("elbro/home/prices") as Record<typeof day, { value: number }[]>;
    return lists[day].map(({ value }) => value);
  };
  const priceOf = (row: Record<string, number>) => expect.closeTo(row.totalPricePerKWh ?? 0, 4);
  await it.clock.runUntil(at("2026-05-25T16:00:00Z"));
  const right = (await rowsOfService(it, prices)).map(priceOf);
  expect(shown("raw_tomorrow")).not.toEqual(right);
  expect((await rowsOfMirror(it, prices)).map((row) => row.totalPricePerKWh)).not.toEqual(right);
  const newest = await rowsOfMirror(it, prices, { "cache-control": "no-cache" });
  expect(newest.map((row) => row.totalPricePerKWh)).toEqual(right);
  it.simulator.setFaults([{ ...wrong, ...rows, to: at("2026-05-26T15:00:00Z") }]);
  await it.clock.runUntil(at("2026-05-25T21:00:00Z"));
  expect(shown("raw_tomorrow")).not.toEqual(right);
  await it.clock.runUntil(at("2026-05-26T21:00:00Z"));
  expect(shown("raw_today")).toEqual(right);
});

test("nothing acts on a price that cannot be right before a second answer states it too, and a problem names it", async () => {
  await using it = await TestDaemon.start({
    start: at("2026-05-25T03:00:00Z"),
    config: {
      history: { months: 3 },
      homes: [{ address_id: demoHomes.danish.address.id, id: "home" }],
      plans: [{ id: "always", name: "Always", home: "home", kind: "below", cheap_below: 25 }],
    },
  });
  const codes = () =>
    (it.watcher.json("elbro/info") as { problems: { code: string }[] }).problems.map(({ code }) => code);
  const tomorrow = () => it.watcher.json("elbro/home/prices") as { tomorrow_valid: boolean };
  const wrong = { operation: "prices", fault: "wrongRows" } as const;
  it.simulator.setFaults([
    // The recheck in the morning, at 08:40, has a wrong hour from 10:00.
    { ...wrong, factor: 1_000, rowsFrom: at("2026-05-25T08:00:00Z"), rowsTo: at("2026-05-25T09:00:00Z") },
    // Tomorrow comes in the hundredth of the currency, and is corrected at 13:10.
    {
      ...wrong,
      factor: 100,
      rowsFrom: at("2026-05-25T22:00:00Z"),
      rowsTo: at("2026-05-26T22:00:00Z"),
      to: at("2026-05-25T11:10:00Z"),
    },
  ]);
  await it.clock.runUntil(at("2026-05-25T07:50:00Z"));
  expect(codes()).toContain("implausible_price");
  expect(it.watcher.payload("elbro/home/plan/always")).toBe("ON");
  const { doubtful } = (await (await it.request("/local/v1/prices?home=home")).json()) as { doubtful: object[] };
  expect([doubtful.length, doubtful[0]]).toEqual([4, expect.objectContaining({ start: "2026-05-25T08:00:00Z" })]);
  await it.clock.runUntil(at("2026-05-25T08:05:00Z"));
  expect([it.watcher.payload("elbro/home/price"), it.watcher.payload("elbro/home/cheap")]).toEqual([null, "OFF"]);
  expect(it.watcher.payload("elbro/home/plan/always")).toBe("OFF");
  await it.clock.runUntil(at("2026-05-25T09:05:00Z"));
  expect(it.watcher.payload("elbro/home/plan/always")).toBe("ON");
  // The short day was requested again at 12:35 with the same answer.
  await it.clock.runUntil(at("2026-05-25T10:50:00Z"));
  expect(codes()).not.toContain("implausible_price");
  await it.clock.runUntil(at("2026-05-25T11:09:00Z"));
  expect([codes().includes("implausible_price"), tomorrow().tomorrow_valid]).toEqual([true, false]);
  await it.clock.runUntil(at("2026-05-25T11:14:00Z"));
  expect([codes().includes("implausible_price"), tomorrow().tomorrow_valid]).toEqual([false, true]);
});
