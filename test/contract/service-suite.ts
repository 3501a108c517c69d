/**
 * Every rule of the service's document that holds for any server of this contract. It runs on the simulator and on the
 * mirror alike.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OperationId, operationIds, operationOf } from "../../src/contract/operations.ts";
import { DAY_MS, MINUTE_MS } from "../../src/core/interval.ts";
import { ask, askPath, pathOf, type ServiceAnswer } from "../support/service-caller.ts";
import { dataRules } from "./data-rules.ts";
import { rangeRules } from "./range-rules.ts";
import { expectError, type ServiceUnderTest, SMALL_RANGE, STRANGER } from "./service-expectations.ts";

export type { ServiceUnderTest };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const QUOTA_HEADERS = ["limit", "remaining", "reset"].flatMap((what) =>
  ["minute", "day"].map((window) => `x-ratelimit-${what}-${window}`),
);
/** Runs the suite. `operations` selects whose data is looked at; the rules of the whole interface always run. */
export function describeService(
  name: string,
  start: () => Promise<ServiceUnderTest>,
  operations: readonly OperationId[] = operationIds,
): void {
  describe(name, () => {
    let service: ServiceUnderTest;
    beforeAll(async () => {
      service = await start();
    });
    afterAll(() => service[Symbol.asyncDispose]());
    const get = () => service;
    describe("authentication", () => authenticationRules(get, operations));
    describe("every answer", () => answerRules(get));
    for (const operation of operations) {
      if (operationOf(operation).range) describe(operation, () => rangeRules(get, operation));
    }
    describe("data", () => dataRules(get, operations));
  });
}

function authenticationRules(get: () => ServiceUnderTest, operations: readonly OperationId[]): void {
  const consumerPath = operationOf("addresses").path;
  test.each([
    ["no Authorization header", null],
    ["a key that is nobody's", "Bearer nobody"],
    ["an empty bearer token", "Bearer "],
    ["another scheme", "Basic bm9ib2R5Og=="],
  ])("%s is 401 invalid_token", async (_, authorization) => {
    expectError(await askPath(get().url, consumerPath, authorization), 401, "invalid_token");
  });

  test("the scheme is read in any case", async () => {
    const { url, consumerKey } = get();
    expect((await askPath(url, consumerPath, `bearer ${consumerKey}`)).status).toBe(200);
  });

  test("a key in the URL opens nothing", async () => {
    const { url, consumerKey } = get();
    const answer = await askPath(url, `${consumerPath}?api_key=${consumerKey}&access_token=${consumerKey}`, null);
    expectError(answer, 401, "invalid_token");
  });

  const [partnerOperation] = operations.filter((id) => operationOf(id).interface === "thirdParty");
  if (partnerOperation) {
    test("the third-party interface refuses no token, a key alone and a consumer key", async () => {
      const { url, consumerKey, thirdPartyToken } = get();
      const path = pathOf("regionPrices", { region: "DK1" });
      const [apiKey = ""] = Buffer.from(thirdPartyToken, "base64").toString("utf8").split(":");
      const forged = Buffer.from(`${apiKey}:${"0".repeat(64)}`).toString("base64");
      for (const wrong of [null, `Bearer ${apiKey}`, `Bearer ${consumerKey}`, `Bearer ${forged}`]) {
        expect((await askPath(url, path, wrong)).status).toBe(401);
      }
      expect((await askPath(url, path, `Bearer ${thirdPartyToken}`)).status).toBe(200);
    });
  }

  test("a third-party token opens no consumer path", async () => {
    const { url, thirdPartyToken } = get();
    expectError(await askPath(url, consumerPath, `Bearer ${thirdPartyToken}`), 401, "invalid_token");
  });
}

function answerRules(get: () => ServiceUnderTest): void {
  test("carries a request id of its own, no-store and JSON, on success and on error", async () => {
    const answers = [
      await ask(get(), "addresses"),
      await askPath(get().url, operationOf("addresses").path, null),
      await ask(get(), "prices", { addressId: "7" }),
    ];
    for (const { headers } of answers) {
      expect(headers.get("x-request-id")).toMatch(UUID);
      expect(headers.get("cache-control")).toBe("private, no-store");
      expect(headers.get("content-type")).toMatch(/^application\/json/);
      expect(headers.get("retry-after")).toBeNull();
    }
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(answers.length);
  });

  test("tells the standing in both windows on success and on error, and errors count", async () => {
    const ok = quotaOf(await ask(get(), "addresses"));
    const refused = quotaOf(await ask(get(), "prices", { addressId: get().danishAddressId }));
    const missing = quotaOf(
      await ask(get(), "prices", {
        addressId: STRANGER,
        ...SMALL_RANGE,
        resolution: "hour",
      }),
    );
    for (const window of ["minute", "day"] as const) {
      expect(ok[window].limit).toBeGreaterThanOrEqual(1);
      expect(ok[window].remaining).toBeLessThan(ok[window].limit);
      expect(refused[window].remaining).toBe(ok[window].remaining - 1);
      expect(missing[window].remaining).toBe(ok[window].remaining - 2);
    }
    expect(ok.minute.reset * 1_000).toBe((Math.floor(get().now / MINUTE_MS) + 1) * MINUTE_MS);
    expect(ok.day.reset * 1_000).toBe((Math.floor(get().now / DAY_MS) + 1) * DAY_MS);
  });

  test("has the quota headers all, or none where quota was not evaluated", async () => {
    const { headers } = await askPath(get().url, operationOf("addresses").path, "Bearer nobody");
    expect([0, QUOTA_HEADERS.length]).toContain(QUOTA_HEADERS.filter((header) => headers.has(header)).length);
  });

  test.each([
    "/consumer",
    "/consumer/v1",
    "/consumer/v1/me/address",
    "/consumer/v2/me/addresses",
    "/thirdParty",
    "/consumer/v1/me/addresses/%",
  ])("an unknown path is an error in the service's shape: %s", async (path) => {
    expectError(await askPath(get().url, path, `Bearer ${get().consumerKey}`), 404, "resource_not_found");
  });

  test("nothing can be written", async () => {
    const response = await fetch(`${get().url}${operationOf("addresses").path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${get().consumerKey}` },
    });
    expect(response.status).toBeGreaterThanOrEqual(404);
    expect(response.status).toBeLessThan(500);
    expect(((await response.json()) as { error: unknown }).error).toBe(true);
  });

  test("names it does not know in the query are passed over", async () => {
    expect((await ask(get(), "addresses", { colour: "blue" })).status).toBe(200);
  });
}

function quotaOf({ headers }: ServiceAnswer) {
  const read = (what: string, window: string) => {
    const text = headers.get(`x-ratelimit-${what}-${window}`) ?? "";
    expect(text).toMatch(/^\d+$/);
    return Number(text);
  };
  const standing = (window: string) => ({
    limit: read("limit", window),
    remaining: read("remaining", window),
    reset: read("reset", window),
  });
  return { minute: standing("minute"), day: standing("day") };
}
