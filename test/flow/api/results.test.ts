import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import type { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { askJson, startLocalApi } from "../../support/http/local-api.ts";
import { planEntry, untilPlan } from "../../support/plans/plan-topics.ts";

const START = Date.parse("2026-03-10T09:00:00Z");
const washer = planEntry({ kind: "window", hours: 3, from: "20:00", ready_by: "07:00", kwh: 1.2 });
const dryer = planEntry({ kind: "slots", name: "=Dryer", id: "dryer", hours: 2, from: "20:00", ready_by: "07:00" });
const water = planEntry({ kind: "below", name: "Water", id: "water", cheap_below: "cheap" });

interface Run {
  readonly plan: string;
  readonly start: string;
  readonly end: string;
  readonly mean_price: number;
  readonly window_start_price: number;
  readonly window_price: number;
  readonly kwh: number | null;
  readonly cost: number | null;
  readonly against_window_start: number | null;
}

describe("results", () => {
  let daemon: TestDaemon;

  beforeAll(async () => {
    daemon = await startLocalApi({ start: START, config: { plans: [washer, dryer, water] } });
    await daemon.clock.runUntil(START + 8 * HOUR_MS);
    await untilPlan(daemon, ({ state }) => state === "scheduled", "the plan");
    await daemon.clock.runUntil(START + 25 * HOUR_MS);
  });
  afterAll(() => daemon?.[Symbol.asyncDispose]());

  const csv = async (path: string, accept?: string) => {
    const answer = await daemon.request(`/local/v1/${path}`, accept === undefined ? {} : { accept });
    expect([path, answer.status]).toEqual([path, 200]);
    return { text: await answer.text(), headers: answer.headers };
  };

  test("a run has its price, and those of both baselines", async () => {
    const { runs, more } = (await askJson(daemon, "runs?plan=washer")) as { runs: Run[]; more: boolean };
    expect(more).toBe(false);
    expect(runs).toHaveLength(1);
    const [run] = runs as [Run];
    expect(run).toMatchObject({ plan: "washer", name: "Washer", home: "home", currency: "DKK", kwh: 1.2 });
    const { prices } = (await askJson(daemon, "prices?from=2026-03-10T19:00:00Z&to=2026-03-11T06:00:00Z")) as {
      prices: { start: string; end: string; price: number }[];
    };
    const mean = (from: number, to: number) => {
      const inside = prices.filter(({ start, end }) => Date.parse(start) >= from && Date.parse(end) <= to);
      return inside.reduce((sum, { price }) => sum + price, 0) / inside.length;
    };
    const opened = Date.parse("2026-03-10T19:00:00Z");
    expect(run.mean_price).toBeCloseTo(mean(Date.parse(run.start), Date.parse(run.end)), 5);
    expect(run.window_start_price).toBeCloseTo(mean(opened, opened + 3 * HOUR_MS), 5);
    expect(run.window_price).toBeCloseTo(mean(opened, Date.parse("2026-03-11T06:00:00Z")), 5);
    expect(run.against_window_start).toBeCloseTo((run.window_start_price - run.mean_price) * 1.2, 5);
  });

  test("results savings add up the runs by plan and month; a plan without energy has runs and no money", async () => {
    const { runs } = (await askJson(daemon, "runs?plan=washer")) as { runs: Run[] };
    const { months } = (await askJson(daemon, "savings?home=home")) as { months: Record<string, unknown>[] };
    expect(months.find(({ plan }) => plan === "washer")).toMatchObject({
      start: "2026-02-28T23:00:00Z",
      runs: 1,
      hours: 3,
      cost: runs[0]?.cost,
      against_window_start: runs[0]?.against_window_start,
    });
    expect(months.find(({ plan }) => plan === "dryer")).toMatchObject({ cost: null, against_window_start: null });
    expect(await askJson(daemon, "savings?plan=nobody")).toMatchObject({ months: [] });
  });

  test("usage by day is the sum of the hours of the mirror", async () => {
    const [from, to] = ["2026-03-05T23:00:00Z", "2026-03-07T23:00:00Z"];
    const { rows, unit } = (await askJson(daemon, `usage?from=${from}&to=${to}`)) as {
      rows: { value: number; hours: number }[];
      unit: string;
    };
    expect(unit).toBe("kWh");
    const path = "/consumer/v1/me/addresses/5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d01/consumption";
    const answer = await daemon.request(`${path}?from=${from}&to=${to}&aggregation=hour`);
    const { data } = (await answer.json()) as { data: { energyKWh: number }[] };
    expect(rows).toHaveLength(2);
    expect(rows.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(
      data.reduce((sum, row) => sum + row.energyKWh, 0),
      3,
    );
    expect(rows.reduce((sum, { hours }) => sum + hours, 0)).toBe(data.length);
    expect((await daemon.request(`/local/v1/usage?from=${to}&to=${from}`)).status).toBe(400);
    expect((await daemon.request("/local/v1/usage?from=2010-01-01T00:00:00Z")).status).toBe(400);
  });

  test.each([
    [
      "prices",
      /^start,end,price \(DKK\/kWh\),estimate,level,rank,rank_of,percentile \(%\),parts_spot \(DKK\/kWh\),parts_charges \(DKK\/kWh\),parts_vat \(DKK\/kWh\)\r\n2026-03-11T00:00:00\+01:00,/,
    ],
    ["plans", /^id,name,home,kind,.*mean_price \(DKK\/kWh\).*\r\nwasher,Washer,home,window,/],
    ["plugs", /^id,name,family,plans,/],
    ["runs", /^plan,name,home,start,end,basis,kwh \(kWh\),currency,mean_price \(DKK\/kWh\),/],
    ["savings", /^start,plan,name,home,runs,hours \(h\),currency,cost \(DKK\),.*\r\n2026-03-01T00:00:00\+01:00,/],
    ["usage?measure=costs", /^start,end,value \(DKK\),hours,estimate\r\n2026-03-01T00:00:00\+01:00,/],
  ])("%s returns CSV for the path .csv and for Accept: text/csv", async (path, pattern) => {
    const accepted = await csv(path, "text/csv");
    expect(accepted.text).toMatch(pattern);
    expect(accepted.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(accepted.headers.get("content-disposition")).toMatch(/^attachment; filename="elbro-[a-z]+\.csv"$/);
    const [name, query] = path.split("?");
    const named = await csv(query === undefined ? `${name}.csv` : `${name}.csv?${query}`);
    expect(named.text).toBe(accepted.text);
  });

  test("CSV escapes a name that would be a formula, and has semicolons with a decimal comma", async () => {
    const { text } = await csv("runs.csv?plan=dryer");
    expect(text).toMatch(/\r\ndryer,'=Dryer,home,/);
    const comma = await csv("prices.csv?decimal=comma");
    expect(comma.text).toMatch(/^\uFEFF?start;end;price \(DKK\/kWh\);/);
    expect(comma.text).toMatch(/;\d,\d+;/);
  });
});

test("a new year with other charges is marked wherever amounts are compared across it", async () => {
  const start = Date.parse("2026-01-03T09:00:00Z");
  const half = planEntry({ kind: "below", name: "Water", id: "water", cheap_below: "50%" });
  await using daemon = await startLocalApi({ start, config: { plans: [half] } });
  await daemon.clock.runUntil(start + 25 * HOUR_MS);
  const date = "2026-01-01";
  const { months, tariff_changes } = (await askJson(daemon, "savings?home=home")) as Record<string, unknown[]>;
  expect([months?.length, tariff_changes]).toEqual([1, [{ home: "home", date }]]);
  expect(await askJson(daemon, "month?home=home")).toMatchObject({ tariff_changes: [{ date }] });
  expect(await askJson(daemon, "now")).toMatchObject({ homes: [{ tariff_changed_on: date }] });
});
