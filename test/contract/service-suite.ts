/** Tests every rule of the service's document that applies to any server of this contract: simulator and mirror. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../src/core/time/interval.ts";
import { headerTable } from "../../src/service/contract/headers.ts";
import { type OperationId, operationIds, operationOf } from "../../src/service/contract/operations.ts";
import { ask, askPath, pathOf, type ServiceAnswer } from "../support/service/service-caller.ts";
import { dataRules } from "./data-rules.ts";
import { NO_DIFFERENCES } from "./differences.ts";
import { representative } from "./looked-at.ts";
import { parameterRules, rangeRules } from "./range-rules.ts";
import { expectError, expectOpened, type ServiceUnderTest, SMALL_RANGE, STRANGER } from "./service-expectations.ts";

export type { ServiceUnderTest };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const HTTP_HEADERS = [
  "content-type",
  "content-length",
  "date",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "www-authenticate",
];
const QUOTA_HEADERS = ["limit", "remaining", "reset"].flatMap((what) =>
  ["minute", "day"].map((window) => `x-ratelimit-${what}-${window}`),
);
export interface SuiteOptions {
  /** Operations whose data is tested; all if absent. */
  readonly operations?: readonly OperationId[];
  /** Rules of this server only, tested last. */
  readonly more?: (get: () => ServiceUnderTest) => void;
}

/** Runs the complete suite. */
export function describeService(
  name: string,
  start: () => Promise<ServiceUnderTest>,
  { operations = operationIds, more }: SuiteOptions = {},
): void {
  describeWith(name, start, (get) => {
    for (const operation of operations) {
      if (!operationOf(operation).range) continue;
      describe(operation, () => {
        parameterRules(get, operation);
        rangeRules(get, operation);
      });
    }
    describe("data", () => dataRules(get, operations));
    if (more) describe("rules of this server", () => more(get));
  });
}

/** Runs the rules that apply to a server without data. */
export function describeServiceWithoutData(name: string, start: () => Promise<ServiceUnderTest>): void {
  describeWith(name, start, (get) => {
    for (const operation of operationIds)
      if (operationOf(operation).range) describe(operation, () => parameterRules(get, operation));
    test.each(operationIds)("%s has the response in place of data", async (operation) => {
      get().rest?.();
      expectOpened(get(), await ask(get(), operation, representative(get(), operation)));
    });
  });
}

function describeWith(
  name: string,
  start: () => Promise<ServiceUnderTest>,
  rules: (get: () => ServiceUnderTest) => void,
): void {
  describe(name, () => {
    let service: ServiceUnderTest;
    beforeAll(async () => {
      service = await start();
    });
    afterAll(() => service[Symbol.asyncDispose]());
    const get = () => service;
    describe("authentication", () => authenticationRules(get));
    describe("every response", () => answerRules(get));
    rules(get);
  });
}

function authenticationRules(get: () => ServiceUnderTest): void {
  const consumerPath = operationOf("addresses").path;
  test.each([
    ["no Authorization header", null],
    ["a key that is nobody's", "Bearer nobody"],
    ["an empty bearer token", "Bearer "],
    ["another scheme", "Basic bm9ib2R5Og=="],
  ])("%s is 401 invalid_token", async (_, authorization) => {
    get().rest?.();
    expectError(await askPath(get().url, consumerPath, authorization), 401, "invalid_token");
  });

  test("the authentication scheme is case-insensitive", async () => {
    const { url, consumerKey } = get();
    expectOpened(get(), await askPath(url, consumerPath, `bearer ${consumerKey}`));
  });

  test("a key in the URL is not accepted", async () => {
    const { url, consumerKey } = get();
    const answer = await askPath(url, `${consumerPath}?api_key=${consumerKey}&access_token=${consumerKey}`, null);
    expectError(answer, 401, "invalid_token");
  });

  test("the third-party interface rejects no token, a key alone, a forged token and a consumer key", async () => {
    const { url, consumerKey, thirdPartyToken, differences = NO_DIFFERENCES } = get();
    const path = pathOf("regionPrices", { region: "DK1" });
    const [apiKey = ""] = Buffer.from(thirdPartyToken, "base64").toString("utf8").split(":");
    const forged = Buffer.from(`${apiKey}:${"0".repeat(64)}`).toString("base64");
    const wrong = [null, `Bearer ${apiKey}`, `Bearer ${forged}`];
    if (!differences.oneKeyForBoth) wrong.push(`Bearer ${consumerKey}`);
    for (const authorization of wrong) {
      get().rest?.();
      expect((await askPath(url, path, authorization)).status).toBe(401);
    }
    get().rest?.();
    expectOpened(get(), await askPath(url, path, `Bearer ${thirdPartyToken}`));
  });

  test("a third-party token is rejected for consumer paths", async () => {
    const { url, thirdPartyToken } = get();
    get().rest?.();
    expectError(await askPath(url, consumerPath, `Bearer ${thirdPartyToken}`), 401, "invalid_token");
  });
}

function answerRules(get: () => ServiceUnderTest): void {
  test("has a unique request id, no-store and JSON, with success and with errors", async () => {
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

  test("has the quota of both windows with success and with errors, and errors count", async () => {
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
    const { limits } = get().differences ?? NO_DIFFERENCES;
    if (limits) expect([ok.minute.limit, ok.day.limit]).toEqual([limits.minute, limits.day]);
    expect(ok.minute.reset * 1_000).toBe((Math.floor(get().now / MINUTE_MS) + 1) * MINUTE_MS);
    expect(ok.day.reset * 1_000).toBe((Math.floor(get().now / DAY_MS) + 1) * DAY_MS);
  });

  test("has only headers of the document, of HTTP or in the list of differences", async () => {
    const { differences = NO_DIFFERENCES } = get();
    const named = new Set([...Object.keys(headerTable).map((name) => name.toLowerCase()), ...HTTP_HEADERS]);
    const answers = [
      await ask(get(), "addresses"),
      await askPath(get().url, operationOf("addresses").path, null),
      await ask(get(), "prices", { addressId: "7" }),
    ];
    const others = answers.flatMap(({ headers }) => [...headers.keys()].filter((name) => !named.has(name)));
    expect(others.filter((name) => !differences.headers.includes(name))).toEqual([]);
  });

  test("has all quota headers, or none if the quota was not checked", async () => {
    get().rest?.();
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
  ])("an unknown path is an error in the service's format: %s", async (path) => {
    const { consumerKey, thirdPartyToken, url } = get();
    const key = path.startsWith("/thirdParty") ? thirdPartyToken : consumerKey;
    expectError(await askPath(url, path, `Bearer ${key}`), 404, "resource_not_found");
    expectError(await askPath(url, path, null), 401, "invalid_token");
  });

  test("an unknown path counts as a request", async () => {
    get().rest?.();
    const { headers } = await askPath(get().url, "/consumer/v1/nothing", `Bearer ${get().consumerKey}`);
    expect(QUOTA_HEADERS.filter((header) => !headers.has(header))).toEqual([]);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "HEAD"])("%s is rejected, and counts as a request", async (method) => {
    const { url, consumerKey, differences = NO_DIFFERENCES } = get();
    const [status, errorCode] = differences.wrongMethod;
    const send = (headers: Record<string, string>) =>
      fetch(`${url}${operationOf("addresses").path}`, { method, headers });
    const response = await send({ authorization: `Bearer ${consumerKey}` });
    expect([response.status, response.headers.get("allow")]).toEqual([status, status === 405 ? "GET" : null]);
    expect(response.headers.has("x-ratelimit-remaining-day")).toBe(true);
    const text = await response.text();
    if (method === "HEAD") expect(text).toBe("");
    else expect(JSON.parse(text)).toMatchObject({ error: true, errorCode });
    expect((await send({})).status).toBe(401);
  });

  test("unknown query parameters are ignored", async () => {
    expectOpened(get(), await ask(get(), "addresses", { colour: "blue" }));
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
