import { describe, expect, test } from "vitest";
import { SetupAccess } from "../../../../src/api/setup/setup-access.ts";
import type { LocalRequest } from "../../../../src/http/route.ts";

const PAGE = { "x-elbro-page": "1", host: "127.0.0.1:8080" };

function request(remoteAddress: string, headers: LocalRequest["headers"] = PAGE, now = 0): LocalRequest {
  return { remoteAddress, headers, now } as LocalRequest;
}

function doorAndCodes() {
  const codes: string[] = [];
  return { door: new SetupAccess((code) => codes.push(code)), codes };
}

describe("access to the set-up", () => {
  test.each(["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"])(
    "access to the set-up needs no code from %s, an address of this machine",
    (address) => {
      expect(doorAndCodes().door.refusal(request(address))).toBeNull();
    },
  );

  test.each([
    ["another machine", "192.168.1.20", PAGE],
    ["a proxy on this machine", "127.0.0.1", { ...PAGE, "x-forwarded-for": "192.168.1.20" }],
    ["a proxy with another header", "127.0.0.1", { ...PAGE, forwarded: "for=192.168.1.20" }],
    ["another host name of this machine", "127.0.0.1", { ...PAGE, host: "elbro.example.org" }],
    ["an address like this machine's", "128.0.0.1", PAGE],
  ])("access to the set-up needs the code for %s", (_, address, headers) => {
    expect(doorAndCodes().door.refusal(request(address, headers))).toMatchObject({ code: "invalid_token" });
  });

  test.each([
    ["without the page's header", { host: PAGE.host }],
    ["from another site", { ...PAGE, "sec-fetch-site": "cross-site" }],
    ["from another port of this machine", { ...PAGE, "sec-fetch-site": "same-site" }],
  ])("access to the set-up is refused to this machine %s", (_, headers) => {
    expect(doorAndCodes().door.refusal(request("127.0.0.1", headers))).toMatchObject({ code: "forbidden" });
  });

  test("access to the set-up is granted to the browser that sent the code, which is then replaced by a new one", () => {
    const { door, codes } = doorAndCodes();
    const cookie = door.enter(codes[0]?.toLowerCase().replace("-", " "), request("192.168.1.20"));
    expect(cookie).toMatch(/^elbro_setup_8080=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(codes).toHaveLength(2);
    expect(codes[0]).not.toBe(codes[1]);
    const [token = ""] = String(cookie).split(";");
    expect(door.refusal(request("192.168.1.20", { ...PAGE, cookie: `a=b; ${token}` }))).toBeNull();
    expect(door.refusal(request("192.168.1.20", { ...PAGE, cookie: "elbro_setup_8080=guess" }))).not.toBeNull();
    expect(door.enter(codes[0], request("192.168.1.21"))).toMatchObject({ code: "invalid_token" });
    door.enter(codes[1], request("192.168.1.21"));
    expect(door.refusal(request("192.168.1.20", { ...PAGE, cookie: token }))).not.toBeNull();
  });

  test("access to the set-up is throttled after wrong codes; the code is not checked during the wait", () => {
    const { door, codes } = doorAndCodes();
    for (let i = 0; i < 5; i++)
      expect(door.enter("AAAA-AAAA", request("192.168.1.20"))).toMatchObject({ code: "invalid_token" });
    expect(door.enter(codes[0], request("192.168.1.20", PAGE, 500))).toMatchObject({
      code: "rate_limited",
      retryAfterSec: 1,
    });
    expect(door.enter(codes[0], request("192.168.1.20", PAGE, 1_000))).toMatch(/^elbro_setup_8080=/);
  });

  test("access to the set-up has codes of eight unambiguous letters and digits", () => {
    const { codes } = doorAndCodes();
    expect(codes[0]).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
  });
});
