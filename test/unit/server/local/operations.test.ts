import { describe, expect, test } from "vitest";
import { localErrorTable } from "../../../../src/server/http/errors.ts";
import { localDocs, localOpenApi, localOperations } from "../../../../src/server/local/operations.ts";
import { localParameters, type ParameterRow, readLocalParams } from "../../../../src/server/local/parameters.ts";
import { localOperationIds, localPaths } from "../../../../src/server/local/routes.ts";
import { pageText } from "../../../support/docs/docs-pages.ts";

const read = (id: Parameters<typeof readLocalParams>[0], query: string, path: Record<string, string> = {}) =>
  readLocalParams(id, { path, query: new URLSearchParams(query) });

describe("parameters", () => {
  test("are read by their kinds; what was left out is null", () => {
    expect(read("cheap", "hours=1h30m&ready_by=07:00&kind=slots&max_price=-0.5")).toEqual({
      kind: "params",
      params: {
        home: null,
        hours: 5_400_000,
        ready_by: 420,
        from: null,
        kind: "slots",
        max_price: -0.5,
        format: null,
      },
    });
    expect(read("format", "home=cabin", { format: "evcc" })).toMatchObject({
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
    ["hours=3&home=A%20B", "home"],
    ["hours=3&kind=below", "kind"],
  ])("%s is refused by name", (query, name) => {
    expect(read("cheap", query)).toMatchObject({
      code: "invalid_parameter",
      reason: expect.stringContaining(`${name}:`),
    });
  });

  test("every example can be read, and every example request too", () => {
    for (const id of localOperationIds) {
      const { example } = localOperations[id];
      const [path = "", query = ""] = example.split("?");
      const names = [...localPaths[id].path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
      const pattern = new RegExp(`^${localPaths[id].path.replace(/:\w+/g, "([^/]+)")}$`);
      const values = pattern.exec(path)?.slice(1) ?? [];
      expect(values.length, example).toBe(names.length);
      const inPath = Object.fromEntries(names.map((name, i) => [name, values[i] ?? ""]));
      expect(read(id, query, inPath), example).toMatchObject({ kind: "params" });
      const inQuery = Object.entries<ParameterRow>(localParameters[id]).filter(([, row]) => row.in === "query");
      const all = new URLSearchParams(inQuery.map(([name, row]): [string, string] => [name, row.example])).toString();
      expect(read(id, all, inPath), all).toMatchObject({ kind: "params" });
    }
  });
});

describe("described as data", () => {
  test("every operation says its parameters, its answers and its errors", () => {
    for (const id of localOperationIds) {
      const { parameters, responses } = localOpenApi(id) as {
        parameters: { name: string; in: string; required: boolean }[];
        responses: Record<string, { description: string }>;
      };
      const inPath = [...localPaths[id].path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(parameters.filter((each) => each.in === "path").map(({ name }) => name)).toEqual(inPath);
      expect(parameters.filter((each) => each.in === "path").every(({ required }) => required)).toBe(true);
      for (const code of localOperations[id].errors)
        expect(responses[localErrorTable[code].status]?.description).toContain(localErrorTable[code].meaning);
      expect(Object.values(responses).every(({ description }) => /^[A-Z0-9].*\.$/.test(description))).toBe(true);
    }
  });

  test("http-api.md has the table of the code (npm run docs writes it)", () => {
    const page = pageText("docs/http-api.md");
    expect(/<!-- local -->\n(.*)\n<!-- \/local -->/s.exec(page)?.[1]?.trim()).toBe(localDocs());
  });
});
