import { describe, expect, test } from "vitest";
import { type ApiKey, ApiKeys, keyDigest } from "../../../src/api/auth/api-keys.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { addressGroup } from "../../../src/http/guards/address-group.ts";
import type { AuthResult } from "../../../src/http/route.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const ROUTER = "192.168.1.1";

function doorOf(key: Partial<ApiKey> = {}) {
  const lanKeys = new ApiKeys([{ name: "kitchen", sha256: keyDigest("right"), ...key }], {
    minute: 1_000_000,
    day: 1_000_000,
  });
  return (token: string, now = NOON, remoteAddress = ROUTER): AuthResult =>
    lanKeys.admit({ permission: "consumer", authorization: `Bearer ${token}`, remoteAddress, now });
}

function statusOf(admission: AuthResult): string {
  if (admission.kind === "admitted") return "in";
  const { code, retryAfterSec } = admission.error;
  return code === "invalid_token" ? "401" : `429 for ${retryAfterSec} s`;
}

describe("wrong keys from an address", () => {
  test("wrong keys from an address have no delay five times; then the delay doubles up to 15 min", () => {
    const ask = doorOf();
    const seen: string[] = [];
    let now = NOON;
    for (let i = 0; i < 18; i++) {
      seen.push(statusOf(ask("wrong", now)));
      const next = ask("wrong", now);
      if (i >= 4 && next.kind === "refused") {
        seen.push(statusOf(next));
        now += (next.error.retryAfterSec ?? 0) * 1_000;
      } else i++;
    }
    expect(seen.join(", ")).toBe(
      "401, 401, 401, 429 for 1 s, 401, 429 for 2 s, 401, 429 for 4 s, 401, 429 for 8 s, 401, 429 for 16 s, " +
        "401, 429 for 32 s, 401, 429 for 64 s, 401, 429 for 128 s, 401, 429 for 256 s, 401, 429 for 512 s, " +
        "401, 429 for 900 s, 401, 429 for 900 s, 401, 429 for 900 s, 401, 429 for 900 s",
    );
  });

  function lockedOut(ask: ReturnType<typeof doorOf>, remoteAddress = ROUTER) {
    for (let i = 0; i < 6; i++) ask("wrong", NOON, remoteAddress);
    expect(statusOf(ask("wrong", NOON, remoteAddress))).toBe("429 for 1 s");
  }

  test("delay only that address", () => {
    const ask = doorOf();
    lockedOut(ask);
    expect(statusOf(ask("wrong", NOON, "192.168.1.2"))).toBe("401");
    expect(statusOf(ask("right", NOON, "192.168.1.2"))).toBe("in");
  });

  test("wrong keys from an address do not delay a valid random key, so that one device cannot lock out a home behind the same address", () => {
    const ask = doorOf({ isRandom: true });
    lockedOut(ask);
    expect(statusOf(ask("right"))).toBe("in");
    expect(statusOf(ask("wrong"))).toBe("429 for 1 s");
  });

  test("delay a valid key that the owner chose, unless it was used from there before", () => {
    const stranger = doorOf();
    lockedOut(stranger);
    expect(statusOf(stranger("right"))).toBe("429 for 1 s");
    expect(statusOf(stranger("right", NOON + 1_000))).toBe("in");

    const known = doorOf();
    expect(statusOf(known("right"))).toBe("in");
    lockedOut(known);
    expect(statusOf(known("right"))).toBe("in");
    lockedOut(known, "192.168.1.9");
    expect(statusOf(known("right", NOON, "192.168.1.9"))).toBe("429 for 1 s");
  });

  test("wrong keys from an address are forgotten after an hour without one", () => {
    const ask = doorOf();
    lockedOut(ask);
    for (let i = 0; i < 4; i++) expect(statusOf(ask("wrong", NOON + HOUR_MS + MINUTE_MS))).toBe("401");
  });

  test("wrong keys from an address do not lock out longer because the clock was set back", () => {
    const ask = doorOf();
    lockedOut(ask);
    expect(statusOf(ask("right", NOON - HOUR_MS))).toBe("in");
  });

  test("wrong keys from an address do not include requests without a key", () => {
    const keys = new ApiKeys([], { minute: 1, day: 1 });
    const arrival = { permission: "consumer", authorization: undefined, remoteAddress: ROUTER, now: NOON } as const;
    for (let i = 0; i < 20; i++) expect(statusOf(keys.admit(arrival))).toBe("401");
  });

  test("wrong keys from an address are remembered for 1,000 addresses; the one that was idle longest is forgotten first", () => {
    const ask = doorOf();
    lockedOut(ask);
    for (let i = 0; i < 999; i++) ask("wrong", NOON, `10.0.${i >> 8}.${i & 255}`);
    expect(statusOf(ask("wrong"))).toBe("429 for 1 s");
    ask("wrong", NOON, "10.1.0.0");
    expect(statusOf(ask("wrong"))).toBe("401");
  });
});

describe("addresses are grouped:", () => {
  test.each([
    ["192.168.1.20", "192.168.1.20"],
    ["::ffff:192.168.1.20", "192.168.1.20"],
    ["127.0.0.1", "127.0.0.1"],
    ["::1", "0:0:0:0::/64"],
    ["2001:db8:0:1:aaaa:bbbb:cccc:dddd", "2001:db8:0:1::/64"],
    ["2001:db8:0:1::5", "2001:db8:0:1::/64"],
    ["2001:db8::5", "2001:db8:0:0::/64"],
    ["2001:0db8:0000:0001:0:0:0:1", "2001:db8:0:1::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["", ""],
  ])("%s: %s", (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
