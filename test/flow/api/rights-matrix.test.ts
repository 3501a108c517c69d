/**
 * Compares the verdict of a daemon on every route of its OpenAPI document, with every kind of credential in every
 * kind of request, with an independent model of docs/security.md. A new endpoint takes part by itself.
 */
import http from "node:http";
import { expect, test } from "vitest";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { thirdPartyToken } from "../../../src/service/third-party-token.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { thirdPartyWith } from "../../support/http/local-api.ts";
import {
  type Context,
  type Credential,
  type Door,
  expectedVerdict,
  isTooOpen,
} from "../../support/http/rights-model.ts";

const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const QUOTA = 100_000_000;
const PAIR = { name: "inverter", api_key: "inverter", api_secret: "secret-of-the-pair" } as const;
/** Requests from one address before the next one is used: below the limits of wrong keys and of pages. */
const WRONG_OF_ADDRESS = 4;
const PAGES_OF_ADDRESS = 500;
const PAGES_PER_MINUTE = 2_500;
const REFUSALS: readonly number[] = [401, 403, 405, 421];
/** Has no member that a body may have, so that no request changes anything. */
const BODY = JSON.stringify({ "no such member": 1 });
/** Too long for the service, which is asked nothing. */
const LONG = "-".repeat(900);
/** Doors that try all contexts with all credentials in `npm test`: one of each scope and method. */
const TRIED = [
  "GET /",
  "GET /healthz",
  "GET /local/v1/plans",
  "GET /local/v1/keys",
  "POST /mcp",
  "POST /local/v1/plans",
  "PUT /local/v1/plugs/{plug}",
  "DELETE /local/v1/keys/{key}",
  "POST /local/v1/settings/{connection}/test",
  "POST /local/v1/session/end",
  "GET /consumer/v1/me/addresses",
  "GET /thirdParty/prices/location",
];

const contexts: readonly Context[] = [
  { name: "loopback address" },
  { name: "localhost", host: "localhost" },
  { name: "name of the LAN", host: "elbro.local" },
  { name: "address of the LAN", host: "192.168.1.20" },
  { name: "IPv6 address", host: "[fd00::20]" },
  { name: "configured name", host: "home.example.org", headers: { origin: "https://home.example.org" } },
  { name: "foreign host", host: "evil.example.org", isForeignHost: true },
  {
    name: "foreign host as origin",
    host: "evil.example.org",
    headers: { origin: "http://{host}" },
    isForeignHost: true,
  },
  { name: "own origin", headers: { origin: "http://{host}" } },
  { name: "foreign origin", headers: { origin: "https://evil.example.org" }, isForeignOrigin: true },
  { name: "origin null", headers: { origin: "null" }, isForeignOrigin: true },
  { name: "another site's page", headers: { "sec-fetch-site": "cross-site" } },
  { name: "page of the same site", headers: { "sec-fetch-site": "same-site" } },
  { name: "own page", headers: { "sec-fetch-site": "same-origin" } },
  { name: "no header of the page", headers: { "x-elbro-page": undefined } },
  {
    name: "headers of a proxy",
    headers: { "x-forwarded-for": "127.0.0.1", "x-forwarded-host": "localhost", "x-real-ip": "127.0.0.1" },
  },
  {
    name: "proxy, foreign host",
    host: "evil.example.org",
    headers: { "x-forwarded-host": "localhost" },
    isForeignHost: true,
  },
  { name: "ingress from elsewhere", headers: { "x-ingress-path": "/a", "x-remote-user-id": "admin" } },
  { name: "ingress, foreign host", host: "evil.example.org", headers: { "x-ingress-path": "/a" }, isForeignHost: true },
  { name: "another method by a header", headers: { "x-http-method-override": "GET" } },
  { name: "HEAD", method: "HEAD" },
  { name: "OPTIONS", method: "OPTIONS" },
  { name: "a method that no path has", method: "PATCH" },
];

test("no route is open to more callers than promised, and each answers every caller as its scope says", async () => {
  await using house = await openHouse();
  const { doors, credentials } = house;
  expect(doors.length).toBeGreaterThanOrEqual(90);
  expect(doors.filter(isTooOpen)).toEqual([]);
  const wrong: string[] = [];
  let cells = 0;
  for (const door of doors)
    for (const context of contexts) {
      const [first] = contexts;
      if (!NIGHTLY && context !== first && !TRIED.includes(`${door.method} ${door.path}`)) continue;
      for (const credential of credentials) {
        const { expected, status, challenge } = await house.ask(door, credential, context);
        const verdict = REFUSALS.includes(status) ? status : "in";
        cells++;
        const lacksScope = context === first && status === 403 && ["control", "admin"].includes(door.scope);
        if (lacksScope && !/error="insufficient_scope", scope="(control|admin)"$/.test(challenge))
          wrong.push(`${door.method} ${door.path}, ${credential.name}: 403 names no scope`);
        const isHidden = (status === 0 || status === 429) && door.path !== "/events";
        if (verdict !== expected || isHidden)
          wrong.push(`${door.method} ${door.path}, ${credential.name}, ${context.name}: ${status}, not ${expected}`);
      }
    }
  console.info(
    `${doors.length} routes, ${credentials.length} credentials, ${contexts.length} contexts: ${cells} cells`,
  );
  expect(wrong).toEqual([]);
});

type Scope = "read" | "control" | "admin";
const SCOPES: readonly Scope[] = ["read", "control", "admin"];

/** Starts a daemon with keys and sessions of every kind. */
async function openHouse() {
  const keys = SCOPES.map((scope) => ({ name: scope, key: keyOf(scope), scopes: scopesTo(scope) }));
  const limits = { requests_per_minute: QUOTA, requests_per_day: QUOTA, hosts: ["home.example.org"] };
  const api = { host: "127.0.0.1", port: 0, keys, third_party_keys: [PAIR], ...limits };
  const daemon = await TestDaemon.start({
    start: Date.parse("2026-03-10T09:00:00Z"),
    simulator: { homes: ["danish"] },
    config: { api, ...thirdPartyWith([]) },
  });
  const admin = { authorization: `Bearer ${keyOf("admin")}` };
  const post = async (path: string, body: unknown) =>
    (await daemon.send("POST", path, body, { ...admin, "x-elbro-page": "1" })) as Response;
  await daemon.clock.runUntil(daemon.clock.now() + MINUTE_MS);
  const { path: feed } = (await (await post("/local/v1/calendar?home=home", undefined)).json()) as { path: string };
  const token = feed.split("/").at(-2) ?? "";
  const { paths } = (await (await daemon.request("/openapi.json")).json()) as { paths: Paths };
  const sender = new Sender(daemon);
  return {
    doors: [
      ...doorsIn(paths),
      ...["/docs/", "/help/"].map((path) => ({ method: "GET", path, scope: "open" as const })),
    ],
    credentials: await credentialsOf(daemon, post, token),
    async ask(door: Door, credential: Credential, context: Context) {
      const { method = door.method, host = "127.0.0.1" } = context;
      const at = `${host}:${daemon.apiPort}`;
      const headers: http.OutgoingHttpHeaders = { ...credential.headers, host: at };
      for (const [name, text] of Object.entries(context.headers ?? {}))
        if (text === undefined) delete headers[name];
        else headers[name] = text.replace("{host}", at);
      const site = headers["sec-fetch-site"] ?? "same-origin";
      const sent = {
        ...{ method, path: door.path, hasAuthorization: "authorization" in headers },
        isFromPage: headers["x-elbro-page"] !== undefined && site === "same-origin",
      };
      // The home does not exist, so that a request without a body changes nothing.
      const query = `?home=no-such${credential.query ?? ""}`;
      const known: Readonly<Record<string, string>> = { token, home: "home", query: LONG, addressId: LONG };
      const path = door.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? "no-such") + query;
      const answer = await sender.send({ method, path, headers }, credential);
      return { ...answer, expected: expectedVerdict(this.doors, credential, context, sent) };
    },
    async [Symbol.asyncDispose]() {
      sender.close();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

function keyOf(scope: Scope): string {
  return `configured-${scope}`;
}

function scopesTo(scope: Scope): Scope[] {
  return SCOPES.slice(0, SCOPES.indexOf(scope) + 1);
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
type Operation = { readonly security: readonly object[]; readonly description?: string };

function doorsIn(paths: Paths): readonly Door[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      scope: scopeOf(path, operation),
    })),
  );
}

function scopeOf(path: string, { security, description = "" }: Operation): Door["scope"] {
  const [, ofService] = /^\/(consumer|thirdParty)\//.exec(path) ?? [];
  if (ofService) return ofService as Door["scope"];
  if (security.length === 0) return "open";
  if (security.some((each) => Object.keys(each).length === 0)) return "optional";
  return (/the scope `(control|admin)`/.exec(description)?.[1] ?? "read") as Door["scope"];
}

type Post = (path: string, body: unknown) => Promise<Response>;

async function credentialsOf(daemon: TestDaemon, post: Post, calendar: string): Promise<readonly Credential[]> {
  const make = async (name: string, more: object = {}) =>
    (await (await post("/local/v1/keys", { name, ...more })).json()) as { key: string; token: string };
  const made = {
    read: await make("r"),
    control: await make("c", { control: true }),
    admin: await make("a", { admin: true }),
  };
  const pair = await make("pair", { third_party: true });
  const revoked = await make("revoked", { admin: true });
  await daemon.clock.runUntil(daemon.clock.now() + MINUTE_MS);
  const sessionOf = async (key: string) =>
    (await post("/local/v1/session", { key })).headers.get("set-cookie")?.split(";")[0] ?? "";
  const sessions = {
    read: await sessionOf(made.read.key),
    control: await sessionOf(keyOf("control")),
    admin: await sessionOf(made.admin.key),
  };
  const [ended, lost] = [await sessionOf(keyOf("admin")), await sessionOf(revoked.key)];
  const end = { cookie: ended, "x-elbro-page": "1" };
  expect((await daemon.send("POST", "/local/v1/session/end", {}, end)).status).toBe(200);
  const gone = await daemon.send("DELETE", "/local/v1/keys/revoked", undefined, bearer(keyOf("admin")));
  expect(gone.status).toBe(200);
  await daemon.clock.runUntil(daemon.clock.now() + MINUTE_MS);
  const wrong = (name: string, headers: Credential["headers"]): Credential => ({
    name,
    headers,
    kind: "wrong",
    may: "nothing",
  });
  const nothing = (name: string, headers: Credential["headers"]): Credential => ({
    name,
    headers,
    kind: "nothing",
    may: "nothing",
  });
  const basic = Buffer.from(`elbro:${keyOf("admin")}`).toString("base64");
  const page = { "x-elbro-page": "1" };
  return [
    nothing("nothing", {}),
    nothing("the page without a login", page),
    ...SCOPES.flatMap((may): Credential[] => [
      { name: `made key, ${may}`, headers: bearer(made[may].key), kind: "key", may },
      { name: `configured key, ${may}`, headers: bearer(keyOf(may)), kind: "key", may },
      { name: `session, ${may}`, headers: { ...page, cookie: sessions[may] }, kind: "session", may },
    ]),
    { name: "made pair", headers: bearer(pair.token), kind: "pair", may: "read" },
    {
      name: "configured pair",
      headers: bearer(thirdPartyToken({ apiKey: PAIR.api_key, apiSecret: PAIR.api_secret }, "hex")),
      kind: "pair",
      may: "read",
    },
    {
      name: "a key and a cookie of more",
      headers: { ...page, ...bearer(made.read.key), cookie: sessions.admin },
      kind: "key",
      may: "read",
    },
    { ...nothing("key in the URL", {}), query: `&api_key=${keyOf("admin")}` },
    wrong("wrong key", bearer("wrong")),
    wrong("revoked key", bearer(revoked.key)),
    wrong("key of a pair without its hash", bearer(PAIR.api_key)),
    wrong("no scheme", { authorization: keyOf("admin") }),
    wrong("Basic", { authorization: `Basic ${basic}` }),
    wrong("two keys in one header", { authorization: `Bearer ${keyOf("read")}, Bearer ${keyOf("admin")}` }),
    wrong("two headers, the first is wrong", { authorization: ["Bearer wrong", `Bearer ${keyOf("admin")}`] }),
    wrong("token of the calendar", bearer(calendar)),
    wrong("token of a session", bearer(sessions.admin.split("=")[1] ?? "")),
    wrong("wrong key and a session", { ...page, ...bearer("wrong"), cookie: sessions.admin }),
    nothing("key in another header", {
      "x-api-key": keyOf("admin"),
      "proxy-authorization": `Bearer ${keyOf("admin")}`,
    }),
    nothing("key as a cookie", { ...page, cookie: `${sessions.admin.split("=")[0]}=${keyOf("admin")}` }),
    nothing("ended session", { ...page, cookie: ended }),
    nothing("session of a revoked key", { ...page, cookie: lost }),
  ];
}

function bearer(key: string): { authorization: string } {
  return { authorization: `Bearer ${key}` };
}

/** Sends requests over connections that stay open, from addresses that no limit of the daemon slows down. */
class Sender {
  readonly #daemon: TestDaemon;
  readonly #agents = new Map<Credential["kind"], { agent: http.Agent; left: number }>();
  #addresses = 1;
  #pages = 0;

  constructor(daemon: TestDaemon) {
    this.#daemon = daemon;
  }

  async send(options: http.RequestOptions, { kind }: Credential) {
    if (kind === "session" && ++this.#pages % PAGES_PER_MINUTE === 0)
      await this.#daemon.clock.runUntil(this.#daemon.clock.now() + MINUTE_MS);
    const { method } = options;
    const headers = { ...options.headers, "content-type": "application/json" };
    const hasBody = method === "POST" || method === "PUT";
    const answer = Promise.withResolvers<{ readonly status: number; readonly challenge: string }>();
    const request = http.request({ ...options, port: this.#daemon.apiPort, agent: this.#agentFor(kind), headers });
    request.once("response", (response) => {
      const type = response.headers["content-type"] ?? "";
      if (type.startsWith("text/event-stream")) request.destroy();
      else response.resume();
      const challenge = response.headers["www-authenticate"] ?? "";
      const known = { status: response.statusCode ?? 0, challenge };
      if (request.destroyed) answer.resolve(known);
      else response.once("end", () => answer.resolve(known));
    });
    request.on("error", () => answer.resolve({ status: 0, challenge: "" }));
    request.end(hasBody ? BODY : undefined);
    return answer.promise;
  }

  close(): void {
    for (const { agent } of this.#agents.values()) agent.destroy();
  }

  #agentFor(kind: Credential["kind"]): http.Agent {
    const used = this.#agents.get(kind);
    if (used && used.left-- > 0) return used.agent;
    used?.agent.destroy();
    const localAddress = `127.1.${this.#addresses >> 8}.${this.#addresses++ & 255}`;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1, localAddress });
    this.#agents.set(kind, { agent, left: (kind === "wrong" ? WRONG_OF_ADDRESS : PAGES_OF_ADDRESS) - 1 });
    return agent;
  }
}
