import { describe, expect, test } from "vitest";
import { type ApiKey, ApiKeys, keyDigest } from "../../../../src/api/auth/api-keys.ts";
import { DAY_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import type { AuthResult } from "../../../../src/http/route.ts";
import { foundAt, startMirror } from "../../../support/service/mirror-server.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const LIMITS = { minute: 3, day: 5 };

function keysOf(limits = LIMITS) {
  const keys = new ApiKeys(
    ["kitchen", "garage"].map((name) => ({ name, sha256: keyDigest(`${name}-key`) })),
    limits,
  );
  return (now: number, authorization: string | undefined = "Bearer kitchen-key"): AuthResult =>
    keys.admit({ permission: "consumer", authorization, remoteAddress: "127.0.0.1", now });
}

/** Returns the result of the last of `count` attempts at a time. */
function attempts(count: number, now = NOON, admit = keysOf()): AuthResult {
  let admission = admit(now);
  for (let i = 1; i < count; i++) admission = admit(now);
  return admission;
}

describe("a key", () => {
  test.each(["Bearer kitchen-key", "bearer kitchen-key", "BEARER   garage-key"])(
    "a key is accepted: %s",
    (authorization) => {
      expect(keysOf()(NOON, authorization).kind).toBe("admitted");
    },
  );

  test.each([
    ["Bearer ", "unknown API key"],
    ["Bearer kitchen-ke", "unknown API key"],
    ["Bearer kitchen-keyy", "unknown API key"],
    ["Bearer KITCHEN-KEY", "unknown API key"],
    ["Bearer kitchen-key garage-key", "unknown API key"],
    ["kitchen-key", "unknown API key"],
    ["Basic a2l0Y2hlbi1rZXk=", "unknown API key"],
    ["", "unknown API key"],
    [`Bearer ${"a".repeat(10_000)}`, "unknown API key"],
  ])("that is unknown is rejected: %s", (authorization, reason) => {
    const admission = keysOf()(NOON, authorization);
    expect(admission).toMatchObject({ kind: "refused", error: { kind: "error", code: "invalid_token", reason } });
  });

  test("that is missing is requested", () => {
    const keys = new ApiKeys([], LIMITS);
    const arrival = { permission: "consumer", authorization: undefined, remoteAddress: "::1", now: NOON } as const;
    expect(keys.admit(arrival)).toMatchObject({ error: { reason: "send Authorization: Bearer <key>" } });
  });

  test("a key is rejected after it is revoked or replaced", () => {
    const kitchen = { name: "kitchen", sha256: keyDigest("kitchen-key") };
    let list: readonly ApiKey[] = [kitchen];
    const keys = new ApiKeys(() => list, { minute: 100, day: 100 });
    const caller = () => {
      const message = { authorization: "Bearer kitchen-key", remoteAddress: "::1", now: NOON };
      const admission = keys.admit({ permission: "consumer", ...message });
      return admission.kind === "admitted" ? admission.caller : null;
    };
    expect(caller()).toBe("kitchen");
    list = [];
    expect(caller()).toBeNull();
    list = [{ ...kitchen, name: "hall" }];
    expect(caller()).toBe("hall");
  });

  test("a key is stored as a digest of constant length, for comparison in constant time", () => {
    const digests = ["a", "kitchen-key", "k".repeat(5_000)].map(keyDigest);
    expect(digests.map(({ length }) => length)).toEqual([32, 32, 32]);
    expect(Buffer.from(keyDigest("a")).toString("hex")).toMatch(/^ca978112/);
  });
});

describe("a quota", () => {
  test("a quota counts in fixed UTC minutes and days", () => {
    expect(attempts(1)).toEqual({
      kind: "admitted",
      caller: "kitchen",
      quota: {
        minute: { limit: 3, remaining: 2, resetSec: NOON / 1_000 + 60 },
        day: { limit: 5, remaining: 4, resetSec: Date.parse("2026-03-11T00:00:00Z") / 1_000 },
      },
    });
  });

  test("a quota accepts exactly its limit", () => {
    expect([attempts(3).kind, attempts(4).kind]).toEqual(["admitted", "refused"]);
  });

  test("that is used up says when it is reset", () => {
    expect(attempts(4, NOON + 59_400)).toMatchObject({
      error: { code: "rate_limited", retryAfterSec: 1 },
      quota: { minute: { remaining: 0, resetSec: NOON / 1_000 + 60 } },
    });
    expect(attempts(4, NOON + 10_000)).toMatchObject({ error: { retryAfterSec: 50 } });
  });

  test("of the day has a Retry-After too, and the longer wait counts", () => {
    const admit = keysOf({ minute: 2, day: 2 });
    expect(attempts(3, NOON, admit)).toMatchObject({
      error: { retryAfterSec: 12 * 3_600 },
      quota: { day: { remaining: 0 } },
    });
  });

  test("a quota counts denied requests", () => {
    const admit = keysOf();
    attempts(4, NOON, admit);
    expect(admit(NOON + MINUTE_MS)).toMatchObject({ kind: "admitted", quota: { day: { remaining: 0 } } });
    expect(admit(NOON + 2 * MINUTE_MS).kind).toBe("refused");
  });

  test("a quota is reset at the exact start of its window", () => {
    const admit = keysOf({ minute: 1, day: 100 });
    expect([NOON, NOON + 59_999, NOON + 60_000].map((at) => admit(at).kind)).toEqual([
      "admitted",
      "refused",
      "admitted",
    ]);
    const daily = keysOf({ minute: 100, day: 1 });
    const midnight = Date.parse("2026-03-11T00:00:00Z");
    expect([midnight - 1, midnight, midnight + DAY_MS].map((at) => daily(at).kind)).toEqual(Array(3).fill("admitted"));
  });

  test("a quota is separate for each key; a wrong key uses no quota", () => {
    const admit = keysOf();
    attempts(4, NOON, admit);
    for (let i = 0; i < 4; i++) admit(NOON, "Bearer guess");
    expect(admit(NOON, "Bearer garage-key")).toMatchObject({ kind: "admitted", quota: { minute: { remaining: 2 } } });
  });
});

describe("a client gets", () => {
  const names = ["limit", "remaining", "reset"].flatMap((what) => [
    `x-ratelimit-${what}-minute`,
    `x-ratelimit-${what}-day`,
  ]);

  test("all six quota headers with a success, an error and a used-up quota", async () => {
    await using mirror = await startMirror({ find: () => foundAt(0, true) }, { minute: 2, day: 9 });
    const answers = [await mirror.ask(), await mirror.ask("/consumer/v1/me/addresses?nonsense=1"), await mirror.ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, expect.any(Number), 429]);
    const reset = [
      String(Date.parse("2026-03-10T09:01:00Z") / 1_000),
      String(Date.parse("2026-03-11T00:00:00Z") / 1_000),
    ];
    const remaining = [
      ["1", "8"],
      ["0", "7"],
      ["0", "6"],
    ];
    for (const [i, { headers }] of answers.entries())
      expect(names.map((name) => headers.get(name))).toEqual(["2", "9", ...(remaining[i] ?? []), ...reset]);
    expect(answers[2]?.headers.get("retry-after")).toBe("30");
  });

  test("no quota headers without a key, and an error in the service's format", async () => {
    await using mirror = await startMirror({});
    for (const key of [null, "guess"]) {
      const answer = await mirror.ask(undefined, key);
      expect([answer.status, answer.body.errorCode]).toEqual([401, "invalid_token"]);
      expect(names.filter((name) => answer.headers.has(name))).toEqual([]);
    }
  });
});
