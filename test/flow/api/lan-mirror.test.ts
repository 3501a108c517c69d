import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");

/** Configuration without history, so that older data is not stored. */
function daemon(): Promise<TestDaemon> {
  return TestDaemon.start({ start: MORNING, config: { history: { months: 0 } } });
}

const pathOf = (it: TestDaemon, rest: string) => `/consumer/v1/me/addresses/${it.simulator.addressIds.danish}/${rest}`;
const LAST_YEAR = "prices?from=2025-03-01T00:00:00Z&to=2025-03-08T00:00:00Z&resolution=hour";

const said = (answer: Response) => ["x-elbro-source", "age", "x-elbro-stale"].map((name) => answer.headers.get(name));

test("without the service, older data is returned with its age, and data never requested is an error", async () => {
  await using it = await daemon();
  await it.clock.runUntil(MORNING + HOUR_MS);
  it.simulator.setFaults([{ operation: "*", fault: "status", status: 502 }]);
  await it.clock.runUntil(MORNING + DAY_MS);
  const forecast = await it.request(pathOf(it, "forecast-prices"));
  const [source, age, stale] = said(forecast);
  expect([forecast.status, source, stale]).toEqual([200, "shelf", "true"]);
  expect(Number(age)).toBeGreaterThan(20 * 3_600);
  const { data } = (await forecast.json()) as { data: { start: string }[] };
  expect(data[0]?.start).toBe("2026-03-11T09:00:00Z");
  const range = "from=2026-03-10T00:00:00Z&to=2026-03-14T00:00:00Z";
  for (const headers of [{}, { "cache-control": "max-stale" }]) {
    const part = await it.request(pathOf(it, `prices?${range}&resolution=fifteenMinutes`), headers);
    expect([part.status, part.headers.get("x-elbro-stale")]).toEqual([200, "true"]);
    const { data: rows } = (await part.json()) as { data: { start: string }[] };
    expect([rows[0]?.start, rows.length]).toEqual(["2026-03-10T00:00:00Z", 92]);
  }
  const never = await it.request(pathOf(it, LAST_YEAR));
  expect(never.status).toBeGreaterThanOrEqual(429);
  expect(await never.json()).toMatchObject({ error: true });
});

test("an unknown address is 404 and a missing capability is 422, without a request", async () => {
  await using it = await daemon();
  await it.clock.settle();
  const before = it.simulator.answered().length;
  const unknown = await it.request("/consumer/v1/me/addresses/3f2504e0-4f89-41d3-9a0c-0305e82c3399/forecast-prices");
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { errorCode: "resource_not_found" }]);
  const { swedish } = it.simulator.addressIds;
  const query = "from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z&aggregation=hour";
  const unable = await it.request(`/consumer/v1/me/addresses/${swedish}/solar-export?${query}`);
  expect([unable.status, await unable.json()]).toMatchObject([422, { errorCode: "feature_unavailable" }]);
  expect(it.simulator.answered().length).toBe(before);
});

test("a LAN request joins the schedule's request in flight for other ranges of the same data", async () => {
  await using it = await daemon();
  await it.clock.settle();
  it.simulator.setFaults([{ operation: "prices", fault: "delay", delayMs: 1_500, times: 1 }]);
  await it.restart({
    history: { months: 0 },
    data_dir: it.dir.file("fresh"),
    homes: [{ address_id: it.simulator.addressIds.danish }],
  });
  const prices = () => it.simulator.answered().filter(({ operation }) => operation === "prices").length;
  const before = prices();
  // The schedule requests three days ago to tomorrow after it has the list of addresses.
  const inFlight = async () => {
    const { interfaces } = (await (await it.request("/local/v1/system")).json()) as {
      interfaces: { today: { by_outcome: Record<string, number> } }[];
    };
    return interfaces[0]?.today.by_outcome;
  };
  await expect.poll(inFlight).toMatchObject({ 200: 1, open: 1 });
  const range = "from=2026-03-09T23:00:00Z&to=2026-03-10T23:00:00Z";
  const answer = await it.request(pathOf(it, `prices?${range}&resolution=fifteenMinutes`));
  expect([answer.status, answer.headers.get("x-elbro-source"), answer.headers.get("age")]).toEqual([
    200,
    "service",
    "0",
  ]);
  expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(96);
  expect(prices() - before).toBe(1);
});
