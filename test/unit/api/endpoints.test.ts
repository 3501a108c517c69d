import { describe, expect, test } from "vitest";
import { dashboardEndpoints } from "../../../src/api/dashboard-routes.ts";
import { endpoints } from "../../../src/api/endpoints.ts";
import { openApiOperation } from "../../../src/api/openapi/openapi-operation.ts";
import { documentationOf, namesIn, readParameters } from "../../../src/api/parameters.ts";
import * as s from "../../../src/api/schema.ts";
import { backupEndpoints } from "../../../src/api/settings/backup.ts";
import { setupEndpoints } from "../../../src/api/setup/setup-routes.ts";
import { localErrorTable } from "../../../src/http/errors.ts";
import { localDocs } from "../../support/docs/api-docs.ts";
import { pageText } from "../../support/docs/docs-pages.ts";
import { calendar } from "../../support/home/price-days.ts";
import { planOf, WASHER } from "../../support/plans/shown-plans.ts";

type Row = (typeof endpoints)[number];

const readBy = (row: Row, query: string, path: Record<string, string> = {}) =>
  readParameters(row, { path, query: new URLSearchParams(query) });

function read(name: string, query: string, path: Record<string, string> = {}) {
  const row = endpoints.find((each) => each.path.split("/")[3] === name);
  if (!row) throw new Error(`there is no endpoint ${name}`);
  return readBy(row, query, path);
}

describe("parameters", () => {
  test("parameters are parsed by their kinds; missing ones are null", () => {
    expect(read("cheap", "hours=1h30m&ready_by=07:00&kind=slots&max_price=-0.5")).toEqual({
      kind: "params",
      params: { home: null, hours: 5_400_000, ready_by: 420, from: null, kind: "slots", max_price: -0.5, format: null },
    });
    expect(read("formats", "home=cabin", { format: "evcc" })).toMatchObject({
      params: { format: "evcc", home: "cabin" },
    });
  });

  test.each([
    ["hours=25", "hours"],
    ["hours=", "hours"],
    ["hours=-1", "hours"],
    ["hours=1e1", "hours"],
    ["hours=3&ready_by=24:00", "ready_by"],
    ["hours=3&max_price=1e3", "max_price"],
    ["hours=3&max_price=99", "max_price"],
    ["hours=3&home=A%20B", "home"],
    ["hours=3&kind=below", "kind"],
  ])("reject %s with the name of %s", (query, name) => {
    expect(read("cheap", query)).toMatchObject({
      code: "invalid_parameter",
      reason: expect.stringContaining(`${name}:`),
    });
  });

  test("parameters have valid examples, also in the example requests", () => {
    for (const row of endpoints) {
      const { example } = row;
      const [path = "", query = ""] = example.split("?");
      const names = namesIn(row.path);
      const pattern = new RegExp(`^${row.path.replace(/:\w+/g, "([^/]+)")}$`);
      const values = pattern.exec(path)?.slice(1) ?? [];
      expect(values.length, example).toBe(names.length);
      const inPath = Object.fromEntries(names.map((name, i) => [name, values[i] ?? ""]));
      expect(readBy(row, query, inPath), example).toMatchObject({ kind: "params" });
      const inQuery = Object.entries(row.params).filter(([name]) => !names.includes(name));
      const all = new URLSearchParams(
        inQuery.map(([name, each]): [string, string] => [name, documentationOf(each).example]),
      ).toString();
      expect(readBy(row, all, inPath), all).toMatchObject({ kind: "params" });
    }
  });
});

describe("members that nobody reads", () => {
  const rows = [...endpoints, ...backupEndpoints, ...setupEndpoints, ...dashboardEndpoints] as readonly Row[];
  const changes = rows.filter(({ method, takesFile }) => method !== "GET" && !takesFile);
  /** The configuration's own schema checks these, also for the owner's file; `changePlan` lists the settings. */
  const byConfiguration = ["planOnce", "createPlug", "savePlan", "savePlug", "previewPlan", "changePlan"];

  test.each(changes.map((row) => [row.operationId, row] as const))("in the body of %s are named", async (id, row) => {
    if (byConfiguration.includes(id)) return;
    const body = { ...row.body?.example, scopes: ["control"] };
    const path = /^\/.*?(?=\?|$)/.exec(row.example)?.[0].split("/") ?? [];
    const inPath = row.path.split("/").flatMap((part, i) => (part.startsWith(":") ? [[part.slice(1), path[i]]] : []));
    const request = { body, path: Object.fromEntries(inPath), query: new URLSearchParams("home=home"), headers: {} };
    const nothing = { refusal: () => null };
    const source = { access: nothing, trials: { start: 0, count: 0 } };
    const page = { "x-elbro-page": "1" };
    expect(await row.run(source as never, { ...request, headers: page, now: 0 } as never)).toMatchObject({
      kind: "error",
      code: "invalid_parameter",
      mistakes: [{ path: expect.stringMatching(/^scopes$|^$/) }],
    });
  });

  test("a schema is made strict at every depth, and stays open where its author says so", () => {
    const deep = s.namedObject("Deep", {
      inner: s.optional(s.list(s.union([s.object({ a: s.text }), s.nothing]))),
      free: s.anyObject,
      loose: s.optional(s.looseObject({ b: s.text })),
    });
    const strict = s.strict(deep);
    expect(strict.safeParse({ inner: [{ a: "1" }, null], free: { x: 1 }, loose: { b: "", c: 1 } }).success).toBe(true);
    expect(strict.safeParse({ inner: [{ a: "1", b: 2 }], free: {} }).success).toBe(false);
    expect(strict.safeParse({ free: {}, other: 1 }).success).toBe(false);
    expect(deep.safeParse({ free: {}, other: 1 }).success).toBe(true);
  });
});

describe("endpoints", () => {
  test("describe their parameters, responses and errors", () => {
    for (const row of endpoints) {
      const { parameters, responses } = openApiOperation(row) as {
        parameters: { name: string; in: string; required: boolean }[];
        responses: Record<string, { description: string }>;
      };
      expect(parameters.filter((each) => each.in === "path").map(({ name }) => name)).toEqual(namesIn(row.path));
      expect(parameters.filter((each) => each.in === "path").every(({ required }) => required)).toBe(true);
      for (const code of row.errors)
        expect(responses[localErrorTable[code].status]?.description).toContain(localErrorTable[code].meaning);
      expect(Object.values(responses).every(({ description }) => /^[A-Z0-9].*\.$/.test(description))).toBe(true);
    }
  });

  test("endpoints have their generated table in http-reference.md (npm run docs writes it)", () => {
    const page = pageText("docs/http-reference.md");
    expect(/<!-- local -->\n(.*)\n<!-- \/local -->/s.exec(page)?.[1]?.trim()).toBe(localDocs());
  });
});

test("plans are also available as CSV", async () => {
  const row = endpoints.find(({ operationId }) => operationId === "listPlans");
  const source = { plans: { snapshots: [planOf(WASHER)], ids: ["washer"] }, calendar };
  const request = { path: {}, query: new URLSearchParams(), headers: { accept: "text/csv" }, now: 0 };
  expect(await row?.run(source as never, request as never)).toMatchObject({
    kind: "text",
    text: expect.stringMatching(/^id,name,.*\r\nwasher,Washer,home,window,/),
  });
});
