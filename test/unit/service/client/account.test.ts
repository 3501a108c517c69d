import { describe, expect, test } from "vitest";
import type { Share } from "../../../../src/core/fetching/rate-limit.ts";
import { Problems } from "../../../../src/core/status/problem.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../src/core/time/interval.ts";
import { Outage } from "../../../../src/service/client/outage.ts";
import { takeBrokenPromises } from "../../../support/daemon/broken-promises.ts";
import { AskedAccount, HOME } from "../../../support/service/asked-account.ts";
import { CANARY_KEY } from "../../../support/service/asking-client.ts";

const nothingElse = { seriesId: null, range: null } as const;

async function opened(): Promise<AskedAccount> {
  const world = new AskedAccount();
  await world.open();
  return world;
}

function askForecast(world: AskedAccount, share: Share, addressId: string = HOME) {
  return world.account.ask({ operation: "forecastPrices", params: { addressId }, share, ...nothingElse });
}

function askPrices(world: AskedAccount, share: Share, day = 0) {
  const from = Date.UTC(2026, 5, 10) + day * DAY_MS;
  const params = { addressId: HOME, from, to: from + DAY_MS, resolution: "hour" } as const;
  return world.account.ask({ operation: "prices", params, share, ...nothingElse });
}

const forecast = {
  ...{ addressId: HOME, resolution: "hour", isEstimate: true, timeZone: "Europe/Copenhagen" },
  ...{ currency: "DKK", vatIncluded: true, data: [] },
};
const prices = { ...forecast, from: "2026-06-10T00:00:00Z", to: "2026-06-11T00:00:00Z" };
const error = (errorCode: string, reason = "because") => ({ error: true, reason, errorCode });

describe("single flight", () => {
  test("single flight sends one request for a hundred equal callers, who all get its response", async () => {
    const world = await opened();
    const asked = Array.from({ length: 100 }, (_, i) => askForecast(world, i % 2 ? "lan" : "poll"));
    expect(world.arrived).toHaveLength(1);
    world.arrived[0]?.answer(200, forecast);
    const replies = await Promise.all(asked);
    expect(new Set(replies.map((reply) => reply.kind))).toEqual(new Set(["ok"]));
    expect(world.spent).toEqual(["forecastPrices ok"]);
    expect(world.requestLog.recent("consumer", 10)).toHaveLength(2);
  });

  test("single flight sends separate requests for other ranges, addresses and operations", async () => {
    const world = await opened();
    for (const day of [0, 1]) void askPrices(world, "lan", day);
    for (const addressId of [HOME, HOME.replace("3f", "4f")]) void askForecast(world, "lan", addressId);
    expect(new Set(world.arrived.map(({ path }) => path)).size).toBe(4);
  });
});

describe("the shares", () => {
  test("the shares get an attempt back if no byte of it was sent, also after a restart", async () => {
    const world = await opened();
    const now = world.wallMs;
    const spent = () => world.requestLog.countSince("consumer", now - DAY_MS);
    expect(spent()).toBe(1);
    for (const minutes of [1, 2, 5, 5, 5, 5]) {
      const asked = askPrices(world, "prices");
      world.arrived.at(-1)?.refuse();
      expect(await asked).toMatchObject({ kind: "unreachable", isUnsent: true });
      expect(await askForecast(world, "poll")).toMatchObject({ until: world.wallMs + minutes * MINUTE_MS });
      world.advance(minutes * MINUTE_MS);
    }
    expect(spent()).toBe(1);
    const lost = askPrices(world, "prices");
    world.arrived.at(-1)?.lose("no answer");
    await lost;
    expect([spent(), world.requestLog.recent("consumer", 100).length]).toEqual([2, 2]);
    expect(world.requestLog.spentSince("consumer", now - DAY_MS)).toHaveLength(2);
  });
});

describe("failures", () => {
  test("of LAN requests pause polling too", async () => {
    const world = await opened();
    expect(
      await world.answered(askPrices(world, "lan"), 429, error("rate_limited"), { "retry-after": "600" }),
    ).toMatchObject({ kind: "refused", retryAfterMs: 600 * SECOND_MS });
    expect(await askForecast(world, "poll")).toMatchObject({ kind: "deferred", until: world.wallMs + 10 * MINUTE_MS });
    expect(world.arrived).toHaveLength(1);
  });

  test("postpone the back-fill, which says whether the service or the quota is the reason", async () => {
    const world = await opened();
    const { account, wallMs } = world;
    expect([account.backfillPause(wallMs), account.rest(null, wallMs)]).toEqual([null, Number.POSITIVE_INFINITY]);
    for (let day = 0; day < 10; day++) void askPrices(world, "backfill", day);
    expect(account.backfillPause(wallMs)).toEqual({ until: wallMs + 92 * SECOND_MS, why: "quota" });
    await world.answered(askForecast(world, "poll"), 429, error("rate_limited"), { "retry-after": "600" });
    const until = world.wallMs + 10 * MINUTE_MS;
    expect(account.backfillPause(world.wallMs)).toEqual({ until, why: "service_trouble" });
    expect(account.rest(null, world.wallMs)).toBe(until);
    const codes = () => world.problemChanges.map(({ problem, state }) => `${problem.code} ${state}`);
    expect(codes()).toEqual(["rate_limited started"]);
    world.advance(10 * MINUTE_MS);
    expect(account.rest(null, world.wallMs)).toBe(Number.POSITIVE_INFINITY);
    expect(codes()).toEqual(["rate_limited started", "rate_limited ended"]);
  });

  test("failures do not include requests that the shutdown ended", async () => {
    const world = await opened();
    const asked = askForecast(world, "poll");
    world.stop.abort();
    expect(await asked).toMatchObject({ kind: "unreachable" });
    expect(world.problemChanges).toEqual([]);
    expect(world.keptTexts.has("silence/consumer")).toBe(false);
  });
});

describe("problems", () => {
  test("problems are reported once at start and once at end, with advice and the service's request id", async () => {
    const world = await opened();
    for (let i = 0; i < 4; i++) {
      await world.answered(askForecast(world, "poll"), 403, error("plus_required", "no active Plus"), {
        "x-request-id": `request-${i}`,
      });
      world.advance(DAY_MS);
    }
    expect(world.problemChanges).toMatchObject([
      {
        state: "started",
        problem: {
          ...{ code: "plus_required", subject: "consumer", requestId: "request-0" },
          detail: "403 plus_required: no active Plus; next attempt 2026-10-25T13:00:00Z",
          advice: expect.stringMatching(/renew Plus/),
        },
      },
    ]);
    await world.answered(askForecast(world, "poll"), 200, forecast);
    expect(world.problemChanges.map(({ state, problem }) => `${problem.code} ${state}`)).toEqual([
      "plus_required started",
      "plus_required ended",
    ]);
  });

  test("of a series are separate from those of the account, and end with a response for that series", async () => {
    const world = await opened();
    await world.answered(askForecast(world, "poll"), 403, error("forbidden"));
    await world.answered(askPrices(world, "poll"), 200, prices);
    expect(world.problemChanges.map(({ state, problem }) => `${problem.subject} ${state}`)).toEqual([
      `consumer forecastPrices ${HOME} started`,
    ]);
  });

  test("include an address that the service no longer knows", async () => {
    const world = await opened();
    for (let i = 0; i < 3; i++) {
      await world.answered(askForecast(world, "poll"), 404, error("resource_not_found"));
      world.advance(3 * HOUR_MS);
    }
    expect(world.problemChanges.map(({ problem }) => problem)).toMatchObject([
      { code: "address_gone", subject: `consumer forecastPrices ${HOME}`, address: HOME },
      { code: "address_gone", subject: `consumer ${HOME}`, address: HOME },
    ]);
    expect(await askPrices(world, "poll")).toMatchObject({ kind: "deferred" });
  });

  test.each([
    [400, "bad_request"],
    [404, "resource_not_found"],
  ])("problems do not include a %i caused by a LAN client, which stops no polling", async (status, code) => {
    const world = await opened();
    for (let i = 0; i < 4; i++) {
      await world.answered(askPrices(world, "lan"), status, error(code));
      expect(await askPrices(world, "lan")).toMatchObject({ kind: "deferred", after: { status, reason: "because" } });
      world.advance(25 * HOUR_MS);
    }
    expect(world.problemChanges).toEqual([]);
    void askPrices(world, "poll");
    void askForecast(world, "poll");
    expect(world.arrived).toHaveLength(6);
  });

  test("include an outage once for any number of series, until the last of them succeeds", async () => {
    const world = await opened();
    const other = HOME.replace("3f", "4f");
    const asks = [
      () => askForecast(world, "poll"),
      () => askForecast(world, "poll", other),
      () => askPrices(world, "poll"),
    ];
    const answerAll = async (status: number, body: readonly unknown[]) => {
      for (const [i, ask] of asks.entries()) {
        world.advance(2 * HOUR_MS);
        await world.answered(ask(), status, body[i]);
      }
    };
    await answerAll(502, Array(asks.length).fill(error("upstream_unavailable")));
    expect(world.problemChanges.map(({ problem, state }) => [problem.code, problem.subject, state])).toEqual([
      ["service_trouble", "consumer data", "started"],
    ]);
    expect(world.problemChanges[0]?.problem.detail).toBe(
      `consumer forecastPrices ${HOME}: 502 upstream_unavailable: because`,
    );
    expect(world.account.trouble).toBe(null);
    await answerAll(200, [forecast, forecast, prices]);
    expect(world.problemChanges.map(({ state }) => state)).toEqual(["started", "ended"]);
  });

  test("include one outage for two accounts, which any response ends", () => {
    const problemChanges: string[] = [];
    const outage = new Outage(
      new Problems(({ subject, code }, state) => problemChanges.push(`${subject} ${code} ${state}`)),
    );
    const trouble = { since: 1, detail: "-", requestId: null, series: null, isGuests: false };
    for (const account of ["consumer", "third_party"]) outage.start({ ...trouble, code: "unreachable", account });
    expect([outage.codeOf("consumer"), outage.codeOf("third_party")]).toEqual(["unreachable", "unreachable"]);
    outage.answered("third_party", ["third_party"], 2);
    expect(problemChanges).toEqual(["consumer unreachable started", "consumer unreachable ended"]);
    expect(outage.codeOf("consumer")).toBe(null);
  });

  test.each([
    ["429", () => [429, error("rate_limited"), { "retry-after": "3600" }] as const, "rate_limited", "consumer"],
    ["401", () => [401, error("credential_expired"), {}] as const, "credential_expired", "consumer"],
    ["403", () => [403, error("forbidden"), {}] as const, "forbidden", `consumer forecastPrices ${HOME}`],
    [
      "503",
      () => [503, error("entitlement_unavailable"), { "retry-after": "3600" }] as const,
      "service_trouble",
      "consumer",
    ],
    ["422", () => [422, error("feature_unavailable"), {}] as const, null, ""],
    ["400", () => [400, error("invalid_range"), {}] as const, null, ""],
  ])("problems are reported again after a restart within a pause after a %s", async (_, answer, code, subject) => {
    const world = await opened();
    const [status, body, headers] = answer();
    await world.answered(askForecast(world, "poll"), status, body, headers);
    world.problemChanges.length = 0;
    for (const { subject: old } of world.problems.list()) world.problems.end(old);
    world.problemChanges.length = 0;
    world.restart();
    expect(world.problemChanges.map(({ problem }) => [problem.code, problem.subject])).toEqual(
      code ? [[code, subject]] : [],
    );
  });

  test.each([["poll" as const], ["lan" as const]])(
    "prices that are forbidden (%s) are requested again after an hour, other operations after a day",
    async (share) => {
      const world = await opened();
      for (const ask of [askPrices, askForecast]) await world.answered(ask(world, share), 403, error("forbidden"));
      world.advance(HOUR_MS);
      expect(await askForecast(world, "poll")).toMatchObject({ kind: "deferred" });
      void askPrices(world, "prices");
      expect(world.arrived).toHaveLength(3);
    },
  );

  test("include a quota that is too small, with the required quota, until it is raised", async () => {
    const world = await opened();
    const answered = async (limit: number) => {
      const headers = { "x-ratelimit-limit-day": String(limit), "x-ratelimit-remaining-day": String(limit - 2) };
      await world.answered(askForecast(world, "poll"), 200, forecast, headers);
      world.account.rest(null, world.wallMs);
    };
    await answered(40);
    expect(world.problemChanges).toEqual([]);
    await answered(40);
    const problem = { code: "quota_too_small", advice: expect.stringContaining("higher quota") };
    expect(world.problemChanges).toMatchObject([{ state: "started", problem }]);
    expect(world.problemChanges[0]?.problem.subject).toBe("consumer quota");
    expect(world.problemChanges[0]?.problem.detail).toBe("40 requests per day; a day with retries may need 45");
    world.advance(26 * HOUR_MS);
    await answered(2_000);
    expect(world.problemChanges).toHaveLength(1);
    world.advance(26 * HOUR_MS);
    world.account.rest(null, world.wallMs);
    expect(world.problemChanges.map(({ state }) => state)).toEqual(["started", "ended"]);
  });

  test.each([
    [401, error("invalid_token", `${CANARY_KEY} is unknown`)],
    [500, error(CANARY_KEY, `Authorization: Bearer ${CANARY_KEY}`)],
    [503, CANARY_KEY],
  ])("problems do not contain the key that a %i quotes", async (status, body) => {
    const world = await opened();
    const answered = await world.answered(askForecast(world, "poll"), status, body, { "x-request-id": CANARY_KEY });
    expect(world.problemChanges).toHaveLength(1);
    expect(JSON.stringify([world.problemChanges, answered, [...world.keptTexts]])).not.toContain(CANARY_KEY);
  });
});

test("requests that wait for the quota longer than ten minutes are a problem until they may be sent", async () => {
  const world = await opened();
  const { account } = world;
  const codes = () => world.problems.list().map(({ code }) => code);
  const heldUntil = () => world.wallMs + HOUR_MS;
  account.rest(heldUntil(), world.wallMs);
  expect(codes()).toEqual([]);
  await world.answered(askForecast(world, "poll"), 200, forecast, { "x-ratelimit-remaining-day": "0" });
  account.rest(world.wallMs + 10 * MINUTE_MS, world.wallMs);
  expect(codes()).toEqual([]);
  account.rest(heldUntil(), world.wallMs);
  expect(codes()).toEqual(["waiting_for_quota"]);
  const detail = "other programs have used the quota of this key; next request 2026-10-25T13:00:00Z";
  expect(world.problems.list()[0]?.detail).toEqual(detail);
  // One wait after another is one problem, and one line in the log.
  for (const minutes of [8, 60, 9]) account.rest(world.wallMs + minutes * MINUTE_MS, world.wallMs);
  expect(codes()).toEqual(["waiting_for_quota"]);
  expect(world.problemChanges.filter((change) => JSON.stringify(change).includes("waiting_for_quota"))).toHaveLength(1);
  account.rest(null, world.wallMs);
  expect(codes()).toEqual([]);
});

test("a wait for the quota is no problem while the key is rejected", async () => {
  const world = await opened();
  await world.answered(askForecast(world, "poll"), 401, error("invalid_token"), { "x-ratelimit-remaining-day": "0" });
  world.account.rest(world.wallMs + HOUR_MS, world.wallMs);
  expect(world.problems.list().map(({ code }) => code)).toEqual(["invalid_token"]);
});

test("a request whose permit belongs to another account is not sent, and is a problem", async () => {
  const asked = new AskedAccount("another");
  const request = { operation: "addresses", params: {}, share: "poll", seriesId: null, range: null } as const;
  expect(await asked.account.ask(request)).toMatchObject({ kind: "unreachable" });
  expect(asked.arrived).toEqual([]);
  const detail = "invariant: a request has a permit of its own account (account consumer, elbro 1.0.0)";
  expect(asked.problems.list()).toContainEqual(expect.objectContaining({ code: "promise_broken", detail }));
  expect(takeBrokenPromises()).toEqual([detail]);
});

test("parts of a response that are left out are one problem, until a response of the series fits", async () => {
  const world = await opened();
  const hour = { start: "2026-06-10T00:00:00Z", end: "2026-06-10T01:00:00Z", totalPricePerKWh: 1 };
  expect(
    await world.answered(askPrices(world, "poll"), 200, {
      ...prices,
      data: [{}, hour, { ...hour, totalPricePerKWh: null }],
    }),
  ).toMatchObject({ kind: "ok", body: { data: [hour] } });
  expect(world.problems.list()).toMatchObject([
    { code: "parts_dropped", detail: expect.stringMatching(/prices .* 2 left out; row 0: start: expected string$/) },
  ]);
  await world.answered(askPrices(world, "poll", 1), 200, { ...prices, data: [hour] });
  expect(world.problems.list()).toEqual([]);
});
