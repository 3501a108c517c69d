import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { AllowedHosts } from "../../../src/http/guards/allowed-hosts.ts";
import { guardRequests } from "../../../src/http/guards/request-guard.ts";
import { listen } from "../../../src/http/listener.ts";
import type { RouteContext } from "../../../src/http/route.ts";
import { addRoute, createRouter } from "../../../src/http/router.ts";

const PANEL = "https://panel.example.org";

const context: RouteContext = {
  headers: {},
  admit: () => ({ kind: "admitted", caller: "kitchen" }),
  now: () => 0,
  newRequestId: () => "request-id",
  onCrash: (error) => expect.unreachable(String(error)),
};

async function serving() {
  const router = createRouter(context);
  const here = { scope: "open", summary: "" } as const;
  addRoute(
    router,
    { ...here, method: "GET", path: "/here", handle: ({ query }) => ({ kind: "json", body: [...query] }) },
    context,
  );
  addRoute(
    router,
    { ...here, method: "POST", path: "/set", handle: ({ body }) => ({ kind: "json", body: body ?? null }) },
    context,
  );
  const hosts = new AllowedHosts("Pi-Cellar", ["elbro.example.org", "*.home.example.org"]);
  const listener = await listen(guardRequests(router, { hosts, cors: new Set([PANEL]) }, context), "127.0.0.1", 0);
  return {
    /** Sends raw request lines and returns the complete response. */
    async send(...lines: string[]): Promise<{ status: number; head: string; body: string }> {
      const socket = connect(listener.port, "127.0.0.1");
      let got = "";
      socket.on("data", (data) => {
        got += data;
      });
      socket.write(`${[...lines.slice(0, -1), "Connection: close", "", lines.at(-1)].join("\r\n")}`);
      await new Promise((resolve) => socket.once("close", resolve));
      const [head = "", body = ""] = got.split("\r\n\r\n");
      return { status: Number(head.split(" ")[1]), head, body };
    },
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

const GET = "GET /here HTTP/1.1";
const HOST = "Host: 127.0.0.1";

describe("the Host header", () => {
  const hosts = new AllowedHosts("Pi-Cellar", ["elbro.example.org", "*.home.example.org"]);

  test.each([
    ...["127.0.0.1", "127.0.0.1:8080", "192.168.1.20:8080", "[::1]:8080", "[fd00::20]", "localhost:8080", "LOCALHOST"],
    ...[
      "pi-cellar",
      "Pi-Cellar:8080",
      "elbro",
      "a0d7b954-elbro:8080",
      "raspberrypi.local",
      "elbro.lan:80",
      "x.localhost",
    ],
    ...["elbro.home.arpa", "elbro.internal", "elbro.local.", "elbro.example.org:443", "a.home.example.org"],
  ])("the Host header is accepted: %s", (host) => {
    expect([hosts.allows(host), hosts.allows(host)]).toEqual([true, true]);
  });

  test.each([
    ...["example.org", "evil.example.org", "elbro.example.org.evil.test", "home.example.org", "local.evil.test"],
    ...[
      "127.0.0.1.nip.io",
      "1.2.3.4.evil.test:8080",
      "fritz.box",
      "xn--elbro-.test",
      "[::1",
      "[127.0.0.1]",
      "[evil.test]",
    ],
    ...[
      "",
      ":8080",
      "a b.local",
      "elbro.local:port",
      "user@elbro.local",
      "elbro.local/..",
      "a".repeat(400),
      "0x7f.1.evil",
    ],
  ])("the Host header is rejected: %s", (host) => {
    expect(hosts.allows(host)).toBe(false);
  });

  test("with an unknown name is rejected with a remedy", async () => {
    await using server = await serving();
    const answer = await server.send(GET, "Host: rebound.evil.test", "");
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      421,
      {
        error: true,
        errorCode: "wrong_host",
        reason: `"rebound.evil.test" is not a known name of this machine; use its IP address, or add the name to api.hosts`,
        key: "refused.wrong_host",
        facts: { host: '"rebound.evil.test"' },
      },
    ]);
  });

  test("with an invalid name is not repeated in the error, because it may contain a key", async () => {
    await using server = await serving();
    const answer = await server.send(GET, "Host: 127.0.0.1 Authorization: Bearer a-key", "");
    expect([answer.status, answer.body.includes("a-key")]).toEqual([421, false]);
  });

  test("the Host header may have any name from Home Assistant's ingress, but only from its address", async () => {
    await using server = await serving();
    const forged = await server.send(GET, "Host: house.duckdns.org", "X-Ingress-Path: /api/hassio_ingress/x", "");
    expect(forged.status).toBe(421);
    const router = createRouter(context);
    const rules = { hosts: new AllowedHosts("pi", []), cors: new Set<string>() };
    let passed = 0;
    const guarded = guardRequests({ ...router, lookup: () => void passed++ }, rules, context);
    const request = {
      ...{ method: "GET", url: "/", httpVersion: "1.1", rawHeaders: ["Host", "house.duckdns.org"] },
      headers: { host: "house.duckdns.org", "x-ingress-path": "/api/hassio_ingress/x" },
      socket: { remoteAddress: "::ffff:172.30.32.2" },
    };
    guarded.lookup(request as never, {} as never);
    expect(passed).toBe(1);
    // A proxy in front of Home Assistant may use another name than browsers do.
    const command = {
      ...request,
      method: "POST",
      headers: { ...request.headers, origin: "https://outer.example.org" },
    };
    guarded.lookup(command as never, {} as never);
    expect(passed).toBe(2);
  });

  test("the Host header must occur once, except in HTTP/1.0", async () => {
    await using server = await serving();
    expect((await server.send(GET, "")).status).toBe(400);
    expect((await server.send(GET, HOST, "Host: evil.test", "")).status).toBe(400);
    expect((await server.send("GET /here HTTP/1.0", "")).status).toBe(200);
  });
});

describe("the target of a request", () => {
  test.each([
    ["a path", "/here?a=1", 200, '[["a","1"]]'],
    ["a whole URL", "http://elbro.local/here?a=1", 200, '[["a","1"]]'],
    ["a whole URL of another host", "http://evil.test/here", 421, "evil.test"],
    ["a whole URL without a path", "http://elbro.local?a=1", 404, "unknown path"],
    ["a whole URL with a user", "http://user@elbro.local/here", 400, "must begin with /"],
    ["another scheme", "ftp://elbro.local/here", 400, "must begin with /"],
    ["a star", "*", 404, "target * is not supported"],
  ])("the target of a request may be %s", async (_name, target, status, said) => {
    await using server = await serving();
    const answer = await server.send(`${target === "*" ? "OPTIONS" : "GET"} ${target} HTTP/1.1`, HOST, "");
    expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(said)]);
  });

  test.each(["key", "api_key", "apikey", "api-secret", "access_token", "token", "Authorization", "SECRET"])(
    "the target of a request may not contain a key: %s",
    async (name) => {
      await using server = await serving();
      for (const target of [`/here?${name}=x`, `/here?a=1&${name}=x`]) {
        const answer = await server.send(`GET ${target} HTTP/1.1`, HOST, "");
        expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
          401,
          { reason: expect.stringContaining("send it as Authorization: Bearer <key>") },
        ]);
      }
    },
  );

  test("the target of a request may contain similar names", async () => {
    await using server = await serving();
    expect((await server.send("GET /here?monkey=1&tokens=2&keyword=3 HTTP/1.1", HOST, "")).status).toBe(200);
  });
});

describe("a body of a GET request", () => {
  test("a body of a GET request is ignored if it is short, and rejected if it is long or of unknown length", async () => {
    await using server = await serving();
    expect((await server.send(GET, HOST, "Content-Length: 2", "{}")).status).toBe(200);
    expect((await server.send(GET, HOST, "Content-Length: 99999999", "{}")).status).toBe(413);
    expect((await server.send(GET, HOST, "Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n")).status).toBe(413);
  });
});

describe("a page of another origin", () => {
  const preflight = (origin: string, target = "/set") => [
    `OPTIONS ${target} HTTP/1.1`,
    ...[
      HOST,
      `Origin: ${origin}`,
      "Access-Control-Request-Method: POST",
      "Access-Control-Request-Headers: authorization",
    ],
    "",
  ];

  test("that is not in api.cors may not read or control", async () => {
    await using server = await serving();
    for (const origin of ["https://evil.test", "null", "http://panel.example.org", `${PANEL}.evil.test`]) {
      const read = await server.send(GET, HOST, `Origin: ${origin}`, "");
      expect([read.status, /access-control/i.test(read.head)]).toEqual([200, false]);
      const asked = await server.send(...preflight(origin));
      expect([asked.status, /access-control/i.test(asked.head)]).toEqual([403, false]);
      const done = await server.send("POST /set HTTP/1.1", HOST, `Origin: ${origin}`, "Content-Length: 0", "");
      expect(done.status).toBe(403);
      expect(JSON.parse(done.body).reason).toMatch(`pages of "${origin}" may not send this request`);
    }
  });

  test.each([
    [
      "https://evil.test:8443",
      /: if it is a proxy for this API, add "evil.test" to api.hosts; if it is a page .* api.cors$/,
    ],
    ["null", /; see api.cors$/],
  ])("%s gets an error that names the setting", async (origin, words) => {
    await using server = await serving();
    const { body } = await server.send("POST /set HTTP/1.1", HOST, `Origin: ${origin}`, "Content-Length: 0", "");
    expect(JSON.parse(body).reason).toMatch(words);
  });

  test("that is in api.cors may send preflights and read", async () => {
    await using server = await serving();
    const asked = await server.send(...preflight(PANEL));
    expect(asked.status).toBe(204);
    expect(asked.head).toContain(`Access-Control-Allow-Origin: ${PANEL}\r\n`);
    expect(asked.head).toContain("Access-Control-Allow-Methods: POST\r\n");
    expect(asked.head).toMatch(/Access-Control-Allow-Headers: Authorization, /);
    expect((await server.send(...preflight(PANEL, "/nowhere"))).status).toBe(404);
    const read = await server.send(GET, HOST, `Origin: ${PANEL}`, "");
    expect(read.status).toBe(200);
    expect(read.head).toContain(`Access-Control-Allow-Origin: ${PANEL}\r\n`);
    expect(read.head).toMatch(/Access-Control-Expose-Headers: .*X-RateLimit-Remaining-Day.*, ETag/);
    expect(read.head).not.toMatch(/allow-credentials/i);
  });

  test("a page of another origin is one with another host: own pages are not restricted", async () => {
    await using server = await serving();
    for (const own of ["http://127.0.0.1", "https://elbro.example.org"])
      expect((await server.send("POST /set HTTP/1.1", HOST, `Origin: ${own}`, "Content-Length: 0", "")).status).toBe(
        200,
      );
  });

  test("a page of another origin gets only the allowed methods of a path without a preflight", async () => {
    await using server = await serving();
    const answer = await server.send("OPTIONS /set HTTP/1.1", HOST, "");
    expect([answer.status, /Allow: POST\r\n/.test(answer.head), /access-control/i.test(answer.head)]).toEqual([
      405,
      true,
      false,
    ]);
  });
});

test.each(["TRACE", "PUT", "DELETE", "PATCH", "PROPFIND", "M-SEARCH", "QUERY", "LINK"])(
  "%s is not allowed for any path",
  async (method) => {
    await using server = await serving();
    const answer = await server.send(`${method} /here HTTP/1.1`, HOST, "Cookie: secret=1", "");
    expect([answer.status, /Allow: GET, HEAD\r\n/.test(answer.head), answer.body.includes("secret")]).toEqual([
      405,
      true,
      false,
    ]);
  },
);

test("a request for a protocol upgrade is ignored", async () => {
  await using server = await serving();
  const answer = await server.send(GET, HOST, "Upgrade: websocket", "Sec-WebSocket-Version: 13", "");
  expect(answer.status).toBe(200);
});
