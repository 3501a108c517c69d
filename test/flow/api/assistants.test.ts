import { expect, test } from "vitest";
import type { Config } from "../../../src/config/schema/schema.ts";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import type { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { startLocalApi } from "../../support/http/local-api.ts";
import { planEntry } from "../../support/plans/plan-topics.ts";
import { lacks, requirePackage } from "../../support/runner/needs.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const READ_KEY = "a-key-that-may-only-read-and-is-long";

async function serve(options: Partial<Config["api"]> = {}): Promise<TestDaemon> {
  const plans = [planEntry({ kind: "window", hours: 2, from: "10:00", ready_by: "20:00", kwh: 2 })];
  const keys = [
    { name: "test", key: LAN_KEY, scopes: ["read" as const, "control" as const] },
    { name: "reader", key: READ_KEY, scopes: ["read" as const] },
  ];
  const api = {
    host: "127.0.0.1",
    port: 0,
    keys,
    requests_per_minute: 10_000,
    requests_per_day: 1_000_000,
    ...options,
  };
  const daemon = await startLocalApi({ start: MORNING, config: { plans, api } });
  await daemon.clock.runUntil(MORNING + 5 * MINUTE_MS);
  return daemon;
}

/** What the official SDK offers, as far as it is used here. */
interface Sdk {
  readonly Client: new (about: {
    name: string;
    version: string;
  }) => {
    connect(transport: object): Promise<void>;
    listTools(): Promise<{ tools: { name: string; inputSchema: Schema; annotations?: { readOnlyHint?: boolean } }[] }>;
    callTool(call: {
      name: string;
      arguments?: object;
    }): Promise<{ content: { type: string; text: string }[]; isError?: boolean }>;
    close(): Promise<void>;
  };
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => object;
}

interface Schema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

function sdk(): Sdk {
  const at = "@modelcontextprotocol/sdk/client";
  return { ...requirePackage(`${at}/index.js`), ...requirePackage(`${at}/streamableHttp.js`) } as Sdk;
}

test.skipIf(lacks("@modelcontextprotocol/sdk"))(
  "the official client of the Model Context Protocol reads, and changes with a key for it",
  async () => {
    await using daemon = await serve();
    const { Client, StreamableHTTPClientTransport } = sdk();
    const connected = async (key: string) => {
      const client = new Client({ name: "test", version: "1" });
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`), { requestInit }));
      return client;
    };
    const reader = await connected(READ_KEY);
    const { tools } = await reader.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["getNow", "getTimeline", "listPlans", "getMonth"]),
    );
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    const named = (name: string) => tools.find((tool) => tool.name === name);
    expect(named("getFormat")?.inputSchema).toMatchObject({ required: ["format"] });
    expect(named("getFormat")?.inputSchema.properties?.format?.enum).toContain("evcc");
    const now = await reader.callTool({ name: "getNow", arguments: { home: "home" } });
    const own = await (await daemon.request("/local/v1/now?home=home")).json();
    expect(JSON.parse(now.content[0]?.text ?? "")).toEqual(own);
    const wrong = await reader.callTool({ name: "getNow", arguments: { home: "nowhere" } });
    expect(wrong).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^404 resource_not_found: /) }],
    });
    const misspelt = await reader.callTool({ name: "getNow", arguments: { hom: "home" } });
    expect(misspelt).toMatchObject({
      isError: true,
      content: [{ text: "400 invalid_parameter: hom: is not known here; did you mean home?" }],
    });
    const signal = await reader.callTool({ name: "getSignal", arguments: { plan: "washer" } });
    expect(signal.isError).toBe(false);
    expect(JSON.parse(signal.content[0]?.text ?? "")).toMatchObject({ on: expect.any(Boolean) });
    expect(await reader.callTool({ name: "getSignal", arguments: { plan: "nothing" } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^404 resource_not_found: /) }],
    });
    await expect(reader.callTool({ name: "createCalendar", arguments: {} })).rejects.toThrow(/unknown tool/);
    await reader.close();

    const owner = await connected(LAN_KEY);
    const all = (await owner.listTools()).tools.map(({ name }) => name);
    expect(all.length).toBeGreaterThan(tools.length);
    expect(all).not.toContain("getCalendar");
    // Connections need the scope admin.
    expect(all).toContain("changePlan");
    expect(all).not.toContain("testConnection");
    const body = { hours: 1 };
    const changed = await owner.callTool({ name: "changePlan", arguments: { plan: "washer", body } });
    expect(changed).toMatchObject({ isError: false });
    const plan = (await (await daemon.request("/local/v1/plans/washer")).json()) as object;
    expect(plan).toMatchObject({ settings: { hours: { value: 1 } } });
    await owner.close();
  },
);

test("tools of pages: what their user may do on the page itself, and only reading from anywhere else", async () => {
  await using daemon = await serve({ dashboard: "open" });
  const signedIn = async (key: string) => {
    const answer = await fetch(`${daemon.url}/local/v1/session`, {
      ...{ method: "POST", body: JSON.stringify({ key }) },
      headers: { "content-type": "application/json", "x-elbro-page": "1" },
    });
    return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  };
  const toolsWith = async (headers: Record<string, string>) => {
    const answer = await fetch(`${daemon.url}/mcp`, {
      ...{ method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }) },
      headers: { "content-type": "application/json", ...headers },
    });
    const { result } = (await answer.json()) as { result: { tools: { name: string }[] } };
    return result.tools.map(({ name }) => name);
  };
  const page = { "x-elbro-page": "1" };
  const [reader, owner] = [await signedIn(READ_KEY), await signedIn(LAN_KEY)];
  for (const headers of [{}, page, { cookie: reader }, { cookie: reader, ...page }, { cookie: owner }]) {
    const tools = await toolsWith(headers as Record<string, string>);
    expect(tools).toContain("getNow");
    expect([headers, tools.filter((name) => /^(change|save|create|delete)/.test(name))]).toEqual([headers, []]);
  }
  const tools = await toolsWith({ cookie: owner, ...page });
  expect(tools).toContain("changePlan");
  expect(tools).not.toContain("testConnection");
});

test("the log names who did something: with a tool, a calendar, a state and a download too, and not who only read", async () => {
  await using daemon = await serve({ keys: [{ name: "owner", key: LAN_KEY, scopes: ["admin"] }] });
  const params = { name: "changePlan", arguments: { plan: "washer", body: { hours: 1 } } };
  await daemon.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" });
  await daemon.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "getNow" } });
  await daemon.request("/local/v1/now");
  await daemon.post("/local/v1/plan-preview", planEntry({ kind: "window", hours: 1 }));
  await daemon.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params });
  await daemon.post("/local/v1/plans/washer", { hours: 2 });
  await daemon.post("/local/v1/plans/washer", { hours: "many" });
  await daemon.post("/local/v1/calendar?home=home", {});
  await (await daemon.request("/local/v1/backup")).arrayBuffer();
  await daemon.post("/local/v1/session", { key: LAN_KEY });
  const lines = daemon.log.filter(({ text }) => text === "done over the API").map(({ facts }) => facts);
  const washer = { operation: "changePlan", method: "POST", path: "/local/v1/plans/washer" };
  expect(lines).toEqual([
    { caller: "owner", ...washer, over: "/mcp" },
    { caller: "owner", ...washer },
    { caller: "owner", operation: "createCalendar", method: "POST", path: "/local/v1/calendar" },
    { caller: "owner", operation: "getBackup", method: "GET", path: "/local/v1/backup" },
  ]);
});

test("messages that are not of the protocol get an error, and no key gets nothing", async () => {
  await using daemon = await serve();
  const posted = async (body: object, key = READ_KEY, version = "2025-06-18") => {
    const headers = {
      ...{ authorization: `Bearer ${key}`, "content-type": "application/json", "mcp-protocol-version": version },
    };
    const answer = await fetch(`${daemon.url}/mcp`, { method: "POST", headers, body: JSON.stringify(body) });
    return [answer.status, await answer.text()] as const;
  };
  expect(await posted({ jsonrpc: "2.0", id: 1, method: "ping" })).toEqual([
    200,
    '{"jsonrpc":"2.0","id":1,"result":{}}',
  ]);
  expect(await posted({ jsonrpc: "2.0", method: "notifications/initialized" })).toEqual([202, ""]);
  expect(await posted([])).toEqual([200, expect.stringContaining('"code":-32600')]);
  expect(await posted({ jsonrpc: "2.0", id: "a", method: "toString" })).toEqual([
    200,
    expect.stringContaining('"code":-32601,"message":"unknown method toString"'),
  ]);
  expect(await posted({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: 3 } })).toEqual([
    200,
    expect.stringContaining("-32602"),
  ]);
  expect((await posted({}, "no-key-at-all"))[0]).toBe(401);
  const old = await posted({ jsonrpc: "2.0", id: 1, method: "ping" }, READ_KEY, "2024-11-05");
  expect(old).toEqual([400, expect.stringContaining("MCP-Protocol-Version is 2024-11-05; expected one of 2025-11-25")]);
  const asked = async (headers: Record<string, string>) => {
    const answer = await fetch(`${daemon.url}/mcp`, { method: "POST", headers, body: "{}" });
    return [answer.status, answer.headers.get("www-authenticate")];
  };
  expect(await asked({})).toEqual([401, 'Bearer realm="elbro"']);
  const wrong = { authorization: "Bearer no-key-at-all" };
  expect(await asked(wrong)).toEqual([401, 'Bearer realm="elbro", error="invalid_token"']);
  const listening = await fetch(`${daemon.url}/mcp`, { headers: { authorization: `Bearer ${READ_KEY}` } });
  expect([listening.status, listening.headers.get("allow")]).toEqual([405, "POST"]);
  await listening.arrayBuffer();
});

test("the calendar feed has the runs and the cheapest hours, for its own token only and until it is revoked", async () => {
  await using daemon = await serve();
  const made = await daemon.post("/local/v1/calendar?home=home", {});
  const { path } = (await made.json()) as { readonly path: string };
  const feed = async (of = path) => {
    const answer = await fetch(daemon.url + of);
    return [answer.status, answer.headers.get("content-type"), await answer.text()] as const;
  };
  const [status, type, text] = await feed();
  expect([status, type]).toEqual([200, "text/calendar; charset=utf-8"]);
  expect(text.startsWith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n")).toBe(true);
  const { runs } = (await (await daemon.request("/local/v1/plans/washer")).json()) as { runs: { start: string }[] };
  expect(runs.length).toBeGreaterThan(0);
  for (const { start } of runs) expect(text).toContain(`DTSTART:${start.replace(/[-:]/g, "").replace(/\.\d+/, "")}`);
  expect(text).toContain("SUMMARY:Cheapest 3 hours\r\n");
  const [, token = ""] = /home\/([^/]+)\/elbro.ics$/.exec(path) ?? [];
  const wrong = [path.replace(token, `${token.slice(0, -3)}aaa`), path.replace("/home/", "/other/")];
  for (const other of [...wrong, path.replace(`/${token}`, ""), path.replace(token, "x")])
    expect((await feed(other))[0]).toBeGreaterThanOrEqual(400);
  const asKey = await fetch(`${daemon.url}/local/v1/now`, { headers: { authorization: `Bearer ${token}` } });
  expect([asKey.status, await asKey.text()]).toEqual([401, expect.any(String)]);
  const again = (await (await daemon.post("/local/v1/calendar?home=home", {})).json()) as { readonly path: string };
  expect((await feed())[0]).toBe(403);
  expect((await feed(again.path))[0]).toBe(200);
  const headers = { authorization: `Bearer ${LAN_KEY}` };
  const revoked = await fetch(`${daemon.url}/local/v1/calendar?home=home`, { method: "DELETE", headers });
  expect(await revoked.json()).toEqual({ revoked: true });
  expect((await feed(again.path))[0]).toBe(403);
  expect(JSON.stringify(daemon.log)).not.toContain(String(token));
});
