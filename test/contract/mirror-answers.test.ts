import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { HOUR_MS } from "../../src/core/time/interval.ts";
import { type OperationId, operationIds, operationOf } from "../../src/service/contract/operations.ts";
import type { FaultRule } from "../../src/simulator/fault-rules.ts";
import { MirrorService } from "../support/service/mirror-service.ts";
import { ask, askPath, pathOf } from "../support/service/service-caller.ts";
import { representative } from "./looked-at.ts";

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends exactly these headers and returns the body as received. */
function askRaw(
  mirror: MirrorService,
  operation: OperationId,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const key = operationOf(operation).interface === "consumer" ? mirror.consumerKey : mirror.thirdPartyToken;
  const url = mirror.url + pathOf(operation, representative(mirror, operation));
  return new Promise((resolve, reject) => {
    const asking = request(url, { headers: { authorization: `Bearer ${key}`, ...headers } }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    asking.on("error", reject).end();
  });
}

/** Headers with which clients request the same data. */
const VARIANTS: readonly Record<string, string>[] = [
  {},
  { "accept-encoding": "gzip" },
  { "accept-encoding": "br;q=1, gzip;q=0.5" },
  { "accept-encoding": "gzip, identity;q=0" },
  { "if-none-match": '"never"' },
  { "if-none-match": 'W/"never", "mistake.either"', "accept-encoding": "br" },
];

describe("any operation", () => {
  test.each(operationIds)(
    "%s: thirty clients with different headers cause one request and get one response",
    async (id) => {
      await using mirror = await MirrorService.start();
      // The data of the daemon's start is no longer fresh.
      mirror.daemon.clock.leap(mirror.now + 26 * HOUR_MS);
      const before = mirror.upstream;
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, i) => askRaw(mirror, id, VARIANTS[i % VARIANTS.length])),
      );
      expect(mirror.upstream - before).toBe(1);
      const plain = answers.map(({ headers, body }) => {
        const coding = headers["content-encoding"];
        return (coding === "gzip" ? gunzipSync(body) : coding === "br" ? brotliDecompressSync(body) : body).toString();
      });
      expect(new Set(plain).size).toBe(1);
      const said = new Set(answers.map(({ status, headers }) => `${status} ${headers["x-elbro-source"]}`));
      // A request after the response gets it from the store.
      expect([...said].filter((one) => one !== "200 shelf")).toEqual(["200 service"]);
      const later = await askRaw(mirror, id);
      expect([later.status, later.headers["x-elbro-source"], later.headers.age]).toEqual([200, "shelf", "0"]);
      expect(mirror.upstream - before).toBe(1);
      const { url, keys } = mirror.daemon.simulator;
      const service = { url, consumerKey: keys.consumerKey ?? "", thirdPartyToken: keys.thirdPartyToken };
      // The request count increases with each request.
      if (id === "requestCounts") return;
      expect(JSON.parse(plain[0] ?? "")).toEqual((await ask(service, id, representative(mirror, id))).json);
    },
  );

  test("any operation has an ETag for each encoding, and 304 for a client with a current one", async () => {
    await using mirror = await MirrorService.start();
    for (const id of operationIds) {
      mirror.rest();
      const tags = new Set<string>();
      for (const [takes, coding] of [
        ["gzip", "gzip"],
        ["br, gzip", "br"],
        ["identity", undefined],
      ] as const) {
        const wish = { "accept-encoding": `${takes}, *;q=0` };
        const whole = await askRaw(mirror, id, wish);
        const { etag } = whole.headers;
        const isCompressed = whole.headers["content-encoding"] !== undefined;
        expect([id, whole.status, whole.headers.vary]).toEqual([id, 200, "Accept-Encoding"]);
        if (coding !== "gzip") expect(whole.headers["content-encoding"]).toBe(isCompressed ? coding : undefined);
        expect(whole.headers["content-length"]).toBe(String(whole.body.length));
        expect(etag).toMatch(/^"[\w-]+"$/);
        tags.add(String(etag));
        for (const has of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
          const held = await askRaw(mirror, id, { ...wish, "if-none-match": String(has) });
          expect([held.status, held.body.length, held.headers.etag, held.headers.vary]).toEqual([
            304,
            0,
            etag,
            "Accept-Encoding",
          ]);
          expect(held.headers["content-type"]).toBeUndefined();
          expect(held.headers["cache-control"]).toBe("private, no-store");
          expect(held.headers["x-ratelimit-remaining-day"]).toMatch(/^\d+$/);
        }
        expect((await askRaw(mirror, id, { ...wish, "if-none-match": '"another"' })).status).toBe(200);
      }
      expect(tags.size).toBe(3);
    }
  });
});

type Fault = FaultRule extends infer Rule ? (Rule extends FaultRule ? Omit<Rule, "operation"> : never) : never;

describe("with an empty store the service's response decides:", () => {
  const table: readonly (readonly [string, Fault, number, string])[] = [
    ["400", { fault: "status", status: 400, errorCode: "invalid_range" }, 400, "invalid_range"],
    [
      "401 of an unknown key",
      { fault: "status", status: 401, errorCode: "invalid_token" },
      503,
      "entitlement_unavailable",
    ],
    [
      "401 of an expired key",
      { fault: "status", status: 401, errorCode: "credential_expired" },
      503,
      "entitlement_unavailable",
    ],
    ["403 of a subscription", { fault: "status", status: 403, errorCode: "plus_required" }, 403, "plus_required"],
    ["403", { fault: "status", status: 403, errorCode: "forbidden" }, 403, "forbidden"],
    ["404", { fault: "status", status: 404, errorCode: "resource_not_found" }, 404, "resource_not_found"],
    ["422", { fault: "status", status: 422, errorCode: "feature_unavailable" }, 422, "feature_unavailable"],
    ["429", { fault: "status", status: 429, errorCode: "rate_limited", retryAfterSec: 3_600 }, 429, "rate_limited"],
    ["500", { fault: "status", status: 500, errorCode: "internal_error" }, 502, "upstream_unavailable"],
    ["502", { fault: "status", status: 502, errorCode: "upstream_unavailable" }, 502, "upstream_unavailable"],
    ["503", { fault: "status", status: 503, errorCode: "entitlement_unavailable" }, 503, "entitlement_unavailable"],
    ["a redirection", { fault: "redirect", location: "https://elsewhere.example/" }, 502, "upstream_unavailable"],
    ["no connection", { fault: "lostConnection" }, 502, "upstream_unavailable"],
    ["half an answer", { fault: "cutOff" }, 502, "upstream_unavailable"],
    ["an answer that does not fit", { fault: "brokenJson" }, 502, "upstream_unavailable"],
  ];

  test.each(table)("%s, for every operation", async (_name, fault, status, errorCode) => {
    await using mirror = await MirrorService.start();
    mirror.daemon.simulator.setFaults([{ operation: "*", ...fault }]);
    for (const id of operationIds) {
      // The daemon requests these two itself at its start.
      if (id === "addresses" || id === "requestCounts") continue;
      mirror.rest();
      const answer = await ask(mirror, id, representative(mirror, id));
      expect([id, answer.status, answer.json]).toEqual([
        id,
        status,
        expect.objectContaining({ error: true, errorCode, reason: expect.any(String) }),
      ]);
      expect(answer.headers.has("retry-after")).toBe(status === 429);
      expect(answer.headers.get("x-elbro-stale")).toBeNull();
    }
  });
});

test("the service's quota and request ids are not sent to the LAN", async () => {
  await using mirror = await MirrorService.start();
  const path = pathOf("forecastPrices", representative(mirror, "forecastPrices"));
  const [first, second] = [
    await askPath(mirror.url, path, `Bearer ${mirror.consumerKey}`),
    await askPath(mirror.url, path, `Bearer ${mirror.consumerKey}`),
  ];
  expect(first.headers.get("x-elbro-source")).toBe("service");
  expect(first.headers.get("x-ratelimit-limit-minute")).toBe("9000");
  expect(first.headers.get("x-request-id")).not.toBe(second.headers.get("x-request-id"));
});
