/** Tests the access to every path that the LAN API's own document contains. */
import { expect, test } from "vitest";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

/** Paths without a key. They contain nothing about the home, or check a session themselves. */
const OPEN = [
  "get /",
  "get /assets/{digest}/{name}",
  "get /docs",
  "get /docs/assets/{digest}/{name}",
  "get /healthz",
  "get /help",
  "get /help/assets/{digest}/{name}",
  "get /help/{page}",
  "get /livez",
  // Its token is in the path. A wrong one is 404.
  "get /local/v1/calendar/{home}/{token}/elbro.ics",
  "get /local/v1/session",
  "get /openapi.json",
  "post /local/v1/session",
  "post /local/v1/session/end",
];
/** With a key that only reads, the assistants' endpoint has only the tools that read. */
const ONLY_READ = ["post /local/v1/plan-preview", "post /mcp"];
const ADMIN_KEY = "a-key-that-may-do-everything";

async function open() {
  const keys = [
    { name: "test", key: LAN_KEY },
    { name: "admin", key: ADMIN_KEY, scopes: ["read", "control", "admin"] as ("read" | "control" | "admin")[] },
  ];
  const api = { host: "127.0.0.1", port: 0, keys, requests_per_minute: 10_000, requests_per_day: 10_000 };
  const daemon = await TestDaemon.start({ start: Date.parse("2026-03-10T09:00:00Z"), config: { api } });
  const document = (await (await daemon.request("/openapi.json")).json()) as { paths: Record<string, object> };
  const doors = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method, path })))
    .map((door) => ({ ...door, name: `${door.method} ${door.path}` }));
  const statusWith = async ({ method, path }: (typeof doors)[number], key: string | null) => {
    const gone = new AbortController();
    const answer = await fetch(`${daemon.url}${path.replaceAll(/\{\w+\}/g, "x")}`, {
      ...{ method: method.toUpperCase(), signal: gone.signal },
      headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
      ...(method === "post" ? { body: "{}" } : {}),
    });
    gone.abort();
    return answer.status;
  };
  return { daemon, doors, statusWith };
}

test("without a key only the listed paths are accepted; a read-only key changes nothing", async () => {
  const { daemon, doors, statusWith } = await open();
  await using _ends = daemon;
  expect(doors.length).toBeGreaterThan(25);
  const isSetup = ({ path }: { readonly path: string }) => path.startsWith("/local/v1/setup");
  // The set-up of a configured home is refused to every client. GET returns this state.
  for (const door of doors.filter(isSetup))
    expect([door.name, await statusWith(door, null)]).toEqual([door.name, door.method === "get" ? 200 : 409]);
  const others = doors.filter((door) => !isSetup(door));
  const opened: string[] = [];
  for (const door of others) if ((await statusWith(door, null)) !== 401) opened.push(door.name);
  expect(opened.sort()).toEqual(OPEN);
  const locked = others.filter(({ name }) => !OPEN.includes(name));
  for (const door of locked) {
    const status = await statusWith(door, LAN_KEY);
    const onlyReads = door.method === "get" || ONLY_READ.includes(door.name);
    if (onlyReads) expect(status, door.name).not.toBe(401);
    else expect([door.name, status]).toEqual([door.name, 403]);
    if (!onlyReads) expect(await statusWith(door, ADMIN_KEY), door.name).not.toBe(403);
  }
  expect(new Set(doors.map(({ method }) => method))).toEqual(new Set(["get", "post", "put", "delete"]));
});

test("every response has Vary: Origin if CORS is configured, also compressed ones and errors", async () => {
  const panel = "https://panel.example.org";
  const keys = [{ name: "test", key: LAN_KEY }];
  const api = { host: "127.0.0.1", port: 0, keys, requests_per_minute: 1_000, cors: [panel] };
  await using daemon = await TestDaemon.start({ start: Date.parse("2026-03-10T15:00:00Z"), config: { api } });
  await daemon.clock.runUntil(Date.parse("2026-03-10T15:05:00Z"));
  const prices = "/local/v1/prices?home=home";
  const addresses = (await (await daemon.request("/consumer/v1/me/addresses")).json()) as { data: { id: string }[] };
  const mirrored = `/consumer/v1/me/addresses/${addresses.data[0]?.id}/prices?from=2026-03-10T00:00:00Z&to=2026-03-11T00:00:00Z&resolution=hour`;
  for (const path of [prices, mirrored]) {
    const tag = (await daemon.request(path)).headers.get("etag") ?? "";
    for (const origin of [{}, { origin: panel }, { origin: "https://other.example.org" }])
      for (const wish of [{}, { "accept-encoding": "gzip" }, { "if-none-match": tag }]) {
        const { status, headers } = await daemon.request(path, { ...origin, ...wish });
        expect([path, status]).toEqual([path, "if-none-match" in wish ? 304 : 200]);
        expect(headers.get("vary")?.split(", ").sort(), JSON.stringify([origin, wish])).toEqual([
          "Accept-Encoding",
          "Origin",
        ]);
        expect(headers.get("access-control-allow-origin")).toBe(
          "origin" in origin && origin.origin === panel ? panel : null,
        );
      }
  }
  for (const path of ["/local/v1/plans/nobody", "/nowhere", "/healthz", "/consumer/v1/nowhere"])
    expect((await daemon.request(path)).headers.get("vary"), path).toBe("Origin");
});
