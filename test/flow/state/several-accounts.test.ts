import { describe, expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");

test("two consumer accounts have two quotas, and each has its own problems", async () => {
  await using daemon = await TestDaemon.start({
    start: MORNING,
    simulator: { homes: ["danish"] },
    config: {
      consumer: [
        { name: "mine", api_key: "demo-consumer-key-of-an-invented-household" },
        { name: "parents", api_key: "a-key-that-nobody-has" },
      ],
    },
  });
  await daemon.clock.runUntil(MORNING + HOUR_MS);
  const { watcher } = daemon;
  await watcher.until(() => watcher.payload("elbro/home/price") !== null, "the price of the account that works");
  const { problems, interfaces } = watcher.json("elbro/info") as {
    problems: { code: string; subject: string; request_id: string; advice: string }[];
    interfaces: Record<string, { state: string }>;
  };
  expect(problems).toMatchObject([{ code: "invalid_token", subject: "parents" }]);
  expect(problems[0]?.advice).toContain("create a new key");
  expect(problems[0]?.request_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(interfaces).toMatchObject({ mine: { state: "ok" }, parents: { state: "invalid_token" } });
  const refused = daemon.simulator.answered().filter(({ status }) => status === 401);
  expect(refused).toHaveLength(2);
});

describe("the list of addresses of the mirror", () => {
  const KEY = "demo-consumer-key-of-an-invented-household";
  const config = (...keys: string[]) => ({
    consumer: keys.map((api_key, i) => ({ name: `account${i + 1}`, api_key })),
  });
  const listOf = async (daemon: TestDaemon, headers: Record<string, string> = {}) => {
    const answer = await daemon.request("/consumer/v1/me/addresses", headers);
    const { data } = (await answer.json()) as { data: { id: string; label: string }[] };
    return {
      status: answer.status,
      stale: answer.headers.get("x-elbro-stale"),
      labels: data.map(({ label }) => label),
    };
  };

  test("the list of addresses of the mirror has the addresses of every account, and each once", async () => {
    await using daemon = await TestDaemon.start({
      start: MORNING,
      simulator: { homes: ["danish"], accounts: 3 },
      config: config(KEY, `${KEY}-2`, `${KEY}-3`, `${KEY}-2`),
    });
    await daemon.untilPriced();
    expect(await listOf(daemon)).toEqual({ status: 200, stale: null, labels: ["Home", "Home 2", "Home 3"] });
    await daemon.clock.runUntil(daemon.clock.now() + 2 * MINUTE_MS);
    expect((await listOf(daemon, { "cache-control": "no-cache" })).labels).toEqual(["Home", "Home 2", "Home 3"]);
    const answer = await daemon.request("/consumer/v1/me/addresses");
    const tag = String(answer.headers.get("etag"));
    expect((await daemon.request("/consumer/v1/me/addresses", { "if-none-match": tag })).status).toBe(304);
  });

  test("the list of addresses of the mirror is stale while an account cannot be read, and names what is known", async () => {
    await using daemon = await TestDaemon.start({
      start: MORNING,
      simulator: { homes: ["danish"], accounts: 2 },
      config: config("a-key-that-nobody-has", `${KEY}-2`),
    });
    await daemon.untilPriced();
    expect(await listOf(daemon)).toEqual({ status: 200, stale: "true", labels: ["Home 2"] });
    // An address that may belong to the account without a list is not an unknown one.
    const unknown = `/consumer/v1/me/addresses/${daemon.simulator.addressIds.swedish}/forecast-prices`;
    expect((await daemon.request(unknown)).status).toBe(503);
  });
});
