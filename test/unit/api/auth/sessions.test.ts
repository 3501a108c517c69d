import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import { keyDigest } from "../../../../src/api/auth/api-keys.ts";
import { MAX_SESSIONS, SESSION_MS, type SessionKey, Sessions } from "../../../../src/api/auth/sessions.ts";
import { TestMemory } from "../../../support/storage/test-memory.ts";

const NOW = Date.UTC(2026, 2, 1, 12);
const DAY = 86_400_000;

class World {
  readonly memory = new TestMemory();
  keys: SessionKey[] = [
    { name: "kitchen", sha256: keyDigest("key of the kitchen"), control: true },
    { name: "hall", sha256: keyDigest("key of the hall") },
  ];

  /** Returns the sessions of a restarted daemon. */
  sessions(): Sessions {
    return new Sessions(this.memory, () => this.keys);
  }

  key(name: string): SessionKey {
    const found = this.keys.find((key) => key.name === name);
    if (!found) throw new Error(name);
    return found;
  }
}

const AT = { host: "192.168.1.5:8080" };

/** Returns the headers of a request that sends the cookie of a Set-Cookie. */
function sent(setCookie: string, others: IncomingHttpHeaders = AT): IncomingHttpHeaders & { readonly cookie: string } {
  return { ...others, cookie: setCookie.split(";")[0] ?? "" };
}

describe("a session", () => {
  test("a session belongs to its key, also after a restart", () => {
    const world = new World();
    const cookie = sent(world.sessions().begin(world.key("kitchen"), AT, NOW));
    expect(world.sessions().keyOf(cookie, NOW + DAY)?.name).toBe("kitchen");
  });

  test("a session has the rights of its own key, also if another key has its name", () => {
    const world = new World();
    const own = { name: "hall", sha256: keyDigest("another key of the hall"), admin: true };
    world.keys.unshift(own);
    const sessions = world.sessions();
    const [plain, admin] = [world.keys.at(-1) ?? own, own].map((key) => sent(sessions.begin(key, AT, NOW)));
    expect([plain, admin].map((cookie) => sessions.keyOf(cookie, NOW)?.admin ?? false)).toEqual([false, true]);
  });

  test("a session is found among other cookies", () => {
    const world = new World();
    const sessions = world.sessions();
    const cookie = sent(sessions.begin(world.key("hall"), AT, NOW));
    expect(sessions.keyOf({ ...AT, cookie: `theme=dark; ${cookie.cookie}; other=1` }, NOW)?.name).toBe("hall");
  });

  test("a session is HttpOnly, Strict, for every path, and expires", () => {
    const world = new World();
    const parts = world.sessions().begin(world.key("kitchen"), AT, NOW).split("; ");
    expect(parts.slice(1)).toEqual(["HttpOnly", "SameSite=Strict", "Path=/", `Max-Age=${SESSION_MS / 1_000}`]);
  });

  test("a session has the port of the browser's address in its name, so that another elbro on this host has its own", () => {
    const world = new World();
    const sessions = world.sessions();
    const cookie = sessions.begin(world.key("kitchen"), AT, NOW);
    expect(cookie).toMatch(/^elbro_session_8080=/);
    expect(sessions.keyOf(sent(cookie, { host: "192.168.1.5:8081" }), NOW)).toBeNull();
    expect(sessions.begin(world.key("kitchen"), { host: "elbro.example.org" }, NOW)).toMatch(/^elbro_session=/);
    expect(sessions.begin(world.key("kitchen"), { host: "[fd00::5]:8080" }, NOW)).toMatch(/^elbro_session_8080=/);
  });

  test.each([
    [{ ...AT, origin: "https://elbro.lan" }, true],
    [{ ...AT, "x-forwarded-proto": "https" }, true],
    [{ ...AT, "x-forwarded-proto": "https,http" }, true],
    [{ ...AT, origin: "http://192.168.1.5:8080", "x-forwarded-proto": "https" }, false],
    [{ ...AT, "x-forwarded-proto": "http" }, false],
    [AT, false],
  ])("of a browser that sends %j is Secure: %j, also when it is extended and ended", (headers, isSecure) => {
    const world = new World();
    const sessions = world.sessions();
    const begun = sessions.begin(world.key("kitchen"), headers, NOW);
    const later = sent(begun);
    for (const cookie of [begun, sessions.renew(later, NOW + DAY) ?? "", sessions.end(later)]) {
      expect(cookie.startsWith("__Host-elbro_session_8080=")).toBe(isSecure);
      expect(cookie.endsWith("; Secure")).toBe(isSecure);
    }
  });

  test("a session ends at its expiry", () => {
    const world = new World();
    const cookie = sent(world.sessions().begin(world.key("kitchen"), AT, NOW));
    expect(world.sessions().keyOf(cookie, NOW + SESSION_MS - 1)?.name).toBe("kitchen");
    expect(world.sessions().keyOf(cookie, NOW + SESSION_MS)).toBeNull();
  });

  test("a session ends when its key is revoked or replaced under the same name", () => {
    const world = new World();
    const cookie = sent(world.sessions().begin(world.key("kitchen"), AT, NOW));
    world.keys = [{ name: "kitchen", sha256: keyDigest("another key") }];
    expect(world.sessions().keyOf(cookie, NOW)).toBeNull();
    world.keys = [];
    expect(world.sessions().keyOf(cookie, NOW)).toBeNull();
  });

  test("ends with the logout, also for a copied cookie", () => {
    const world = new World();
    const sessions = world.sessions();
    const cookie = sent(sessions.begin(world.key("kitchen"), AT, NOW));
    expect(sessions.end(cookie)).toContain("Max-Age=0");
    expect(sessions.keyOf(cookie, NOW)).toBeNull();
    expect(world.sessions().keyOf(cookie, NOW)).toBeNull();
  });

  test("a session is extended while in use, with one write per day", () => {
    const world = new World();
    const sessions = world.sessions();
    const cookie = sent(sessions.begin(world.key("kitchen"), AT, NOW));
    const before = world.memory.writes;
    expect(sessions.renew(cookie, NOW + DAY / 2)).toBeNull();
    expect(sent(sessions.renew(cookie, NOW + DAY) ?? "")).toEqual(cookie);
    expect(sessions.renew(cookie, NOW + DAY + 1)).toBeNull();
    expect(world.memory.writes - before).toBe(1);
    expect(sessions.keyOf(cookie, NOW + SESSION_MS + DAY / 2)?.name).toBe("kitchen");
  });

  test("that has expired is not extended", () => {
    const world = new World();
    const cookie = sent(world.sessions().begin(world.key("kitchen"), AT, NOW));
    expect(world.sessions().renew(cookie, NOW + SESSION_MS)).toBeNull();
  });

  test("a session does not exist for unknown cookies", () => {
    const world = new World();
    const sessions = world.sessions();
    sessions.begin(world.key("kitchen"), AT, NOW);
    for (const cookie of [undefined, "", "elbro_session_8080=", `elbro_session_8080=${"A".repeat(43)}`, "=%00;;=;"])
      expect(sessions.keyOf({ ...AT, cookie }, NOW)).toBeNull();
  });

  test("a session cannot be forged from stored data, which contains neither cookie nor key", () => {
    const world = new World();
    const cookie = sent(world.sessions().begin(world.key("kitchen"), AT, NOW)).cookie.split("=")[1] ?? "";
    const kept = [...world.memory.texts.values()].join();
    expect(kept).not.toContain(cookie);
    expect(kept).not.toContain(Buffer.from(world.key("kitchen").sha256).toString("hex"));
  });
});

test("a session that was idle longest is removed when there are more than the maximum", () => {
  const world = new World();
  const sessions = world.sessions();
  const first = sent(sessions.begin(world.key("kitchen"), AT, NOW));
  const second = sent(sessions.begin(world.key("hall"), AT, NOW + 1));
  for (let i = 0; i < MAX_SESSIONS - 1; i++) sessions.begin(world.key("kitchen"), AT, NOW + 2 + i);
  expect(sessions.keyOf(first, NOW + 100)).toBeNull();
  expect(sessions.keyOf(second, NOW + 100)?.name).toBe("hall");
  expect(JSON.parse(world.memory.texts.get("dashboard_sessions") ?? "[]")).toHaveLength(MAX_SESSIONS);
});
