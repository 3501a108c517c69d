import { describe, expect, test } from "vitest";
import type { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { askJson, startLocalApi } from "../../support/http/local-api.ts";

const START = Date.parse("2026-03-10T09:00:00Z");

const keysOf = async (daemon: TestDaemon) =>
  ((await askJson(daemon, "keys")) as { keys: Readonly<{ name: string; scopes: readonly string[]; fixed: boolean }>[] })
    .keys;

describe("keys over HTTP", () => {
  test("a new key works at once, is listed without its secret, and can be revoked", async () => {
    await using daemon = await startLocalApi({ start: START });
    const made = await daemon.post("/local/v1/keys", { name: "phone", control: true });
    const { key, ...rest } = (await made.json()) as { key: string };
    expect([made.status, rest]).toEqual([201, { name: "phone", scopes: ["read", "control"], urls: [] }]);
    const asked = () => fetch(`${daemon.url}/local/v1/system`, { headers: { authorization: `Bearer ${key}` } });
    await daemon.clock.runUntil(START + 1_000);
    expect((await asked()).status).toBe(200);
    const keys = await keysOf(daemon);
    expect(keys).toMatchObject([
      { name: "test", fixed: true, created: null, scopes: ["control"] },
      { name: "phone", fixed: false, created: "2026-03-10", scopes: ["read", "control"] },
    ]);
    expect(JSON.stringify(keys)).not.toContain(key);
    expect((await daemon.send("DELETE", "/local/v1/keys/PHONE")).status).toBe(200);
    await daemon.clock.runUntil(START + 2_000);
    expect((await asked()).status).toBe(401);
    expect((await keysOf(daemon)).map(({ name }) => name)).toEqual(["test"]);
    expect(daemon.log.filter(({ text }) => /^(keys changed|done over)/.test(text))).toMatchObject([
      {
        text: "done over the API",
        facts: { caller: "test", operation: "createKey", method: "POST", path: "/local/v1/keys" },
      },
      { text: "keys changed", facts: { created: ["phone"] } },
      { text: "done over the API", facts: { caller: "test", method: "DELETE", path: "/local/v1/keys/PHONE" } },
      { text: "keys changed", facts: { revoked: ["phone"] } },
    ]);
  });

  test("a member that no key has makes no key, and is named", async () => {
    await using daemon = await startLocalApi({ start: START });
    const asked = await daemon.post("/local/v1/keys", { name: "phone", scopes: ["read", "control"] });
    expect([asked.status, await asked.json()]).toMatchObject([
      400,
      { reason: expect.stringMatching(/^scopes: is not known here/), mistakes: [{ path: "scopes" }] },
    ]);
    expect((await keysOf(daemon)).map(({ name }) => name)).toEqual(["test"]);
  });

  test("a key may have a name as people write it, in every response that names it", async () => {
    await using daemon = await startLocalApi({ start: START });
    const name = "Åses telefon";
    const made = await daemon.post("/local/v1/keys", { name, control: true });
    const { key } = (await made.json()) as { key: string };
    await daemon.clock.runUntil(START + 1_000);
    const headers = { authorization: `Bearer ${key}`, "x-elbro-page": "1", "content-type": "application/json" };
    const login = await fetch(`${daemon.url}/local/v1/session`, {
      method: "POST",
      headers,
      body: JSON.stringify({ key }),
    });
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect([login.status, await login.json()]).toMatchObject([200, { key: name }]);
    const session = await fetch(`${daemon.url}/local/v1/session`, { headers: { cookie, "x-elbro-page": "1" } });
    expect(await session.json()).toMatchObject({ key: name, control: true });
    for (const path of ["/local/v1/system", "/metrics", "/local/v1/diagnostics", "/consumer/v1/me/addresses"])
      expect([path, (await fetch(daemon.url + path, { headers })).status]).toEqual([path, 200]);
    const path = `/local/v1/keys/${encodeURIComponent("åses TELEFON")}`;
    expect((await daemon.send("DELETE", path)).status).toBe(200);
    expect((await keysOf(daemon)).map((each) => each.name)).toEqual(["test"]);
  });

  test("invalid names and scopes are refused with a reason", async () => {
    await using daemon = await startLocalApi({ start: START });
    for (const [body, status, words] of [
      [{}, 400, "name: expected"],
      [{ name: "../x" }, 400, "name: expected"],
      [{ name: "phone", control: "yes" }, 400, "control: expected true or false"],
      [{ name: "TEST" }, 409, "a key named TEST exists already"],
    ] as const) {
      const answer = await daemon.post("/local/v1/keys", body);
      expect([body, answer.status, await answer.json()]).toMatchObject([
        body,
        status,
        { reason: expect.stringContaining(words) },
      ]);
    }
    expect((await daemon.send("DELETE", "/local/v1/keys/test")).status).toBe(409);
    expect((await daemon.send("DELETE", "/local/v1/keys/nobody")).status).toBe(404);
  });
});
