import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { apiRoutes } from "../../../../src/api/api.ts";
import { ApiKeys } from "../../../../src/api/auth/api-keys.ts";
import type { ApiDeps } from "../../../../src/api/deps.ts";
import { configSchema } from "../../../../src/config/schema/schema.ts";
import { RuntimeStats } from "../../../../src/state/runtime-stats.ts";
import { ManualMachine } from "../../../support/clock/manual-machine.ts";
import { listening } from "../../../support/http/listening.ts";

type Json = Readonly<Record<string, unknown>>;
type Operation = Json & {
  readonly operationId: string;
  readonly security: readonly Json[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly example?: unknown;
    readonly schema: Json;
  }[];
  readonly responses: Readonly<Record<string, Json>>;
};
interface Document {
  readonly info: { readonly title: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Json>>;
}

/** Returns the router of a daemon without data. Its routes do not depend on the homes. */
function routerOf() {
  const { clock, memory } = new ManualMachine();
  const storage = { settings: memory };
  const deps = {
    config: configSchema.parse({}),
    clock,
    storage,
    state: { stats: new RuntimeStats(clock) },
    log: console,
  };
  return apiRoutes(deps as unknown as ApiDeps, new ApiKeys([], { minute: 1, day: 1 }));
}

const router = routerOf();
const registered = (router as unknown as { routes: { method: string | string[]; path: string }[] }).routes;

/** Requests a path from the router over a temporary HTTP server. */
async function fetched(path: string): Promise<{ status: number; body: string }> {
  const { createServer } = await import("node:http");
  await using server = await listening(createServer((request, response) => void router.lookup(request, response)));
  const answer = await fetch(server.url + path);
  return { status: answer.status, body: await answer.text() };
}

const { status, body } = await fetched("/openapi.json");
const document = JSON.parse(body) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

function referencesIn(json: unknown): string[] {
  if (typeof json !== "object" || json === null) return [];
  const own = "$ref" in json && typeof json.$ref === "string" ? [json.$ref] : [];
  return [...own, ...Object.values(json).flatMap(referencesIn)];
}

describe("the OpenAPI document of the LAN API", () => {
  test("the OpenAPI document of the LAN API is served without a key, and accepted as OpenAPI 3.1 by a public validator", async () => {
    const validator = new Validator();
    expect(status).toBe(200);
    expect(await validator.validate(JSON.parse(body))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("the OpenAPI document of the LAN API has no findings with a linter's strictest rules", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });
    const problems = await lintFromString({ source: body, absoluteRef: "openapi.json", config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  test("the OpenAPI document of the LAN API contains exactly the registered routes", () => {
    const ofRouter = registered.flatMap(({ method, path }) =>
      [method].flat().map((each) => `${each.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`),
    );
    // The pages at `/docs/` and `/help/` are described at `/docs` and `/help`, which redirect to them.
    const answered = ofRouter.filter(
      (route) => !route.startsWith("head ") && !["get /docs/", "get /help/"].includes(route),
    );
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(answered.sort());
    expect(operations.length).toBeGreaterThan(25);
  });

  test("the OpenAPI document of the LAN API has only valid references, and uses every component", () => {
    const references = new Set(referencesIn(document));
    const all = ["schemas", "responses", "headers"].flatMap((kind) =>
      Object.keys(document.components[kind] ?? {}).map((name) => `#/components/${kind}/${name}`),
    );
    // An error of the table that no operation can return may be unused.
    expect(all.filter((name) => !references.has(name))).toEqual([]);
    expect([...references].filter((reference) => !all.includes(reference))).toEqual([]);
  });

  test("the OpenAPI document of the LAN API has unique operation ids, and a parameter for every name in a path", () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    for (const { path, operation } of operations) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((each) => each.in === "path").map(({ name }) => name);
      expect(declared.sort(), path).toEqual(names.sort());
    }
  });

  test("the OpenAPI document of the LAN API defines the authentication: without a key only for public routes", () => {
    const schemes = Object.keys(document.components.securitySchemes ?? {});
    for (const { path, operation } of operations) {
      for (const each of operation.security)
        for (const name of Object.keys(each)) expect(schemes, path).toContain(name);
    }
    const open = operations.filter(({ operation }) =>
      operation.security.every((each) => Object.keys(each).length === 0),
    );
    expect(open.map(({ path }) => path)).not.toContain("/events");
    expect(open.map(({ path }) => path)).toContain("/openapi.json");
    expect(document.paths["/healthz"]?.get?.security).toEqual([{}, { lanKey: [] }]);
  });

  test("the OpenAPI document of the LAN API has named schemas for all bodies and responses, for generated clients", () => {
    const unnamed: string[] = [];
    const visit = (json: unknown, at: string) => {
      if (typeof json !== "object" || json === null) return;
      if ("properties" in json || "enum" in json) unnamed.push(at);
      for (const [key, value] of Object.entries(json)) visit(value, `${at} ${key}`);
    };
    for (const { operation } of operations)
      for (const part of ["requestBody", "responses"]) visit(operation[part], `${operation.operationId} ${part}`);
    expect(unnamed).toEqual([]);
  });

  test("the OpenAPI document of the LAN API has examples of their parameter's type", () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const wrong = operations.flatMap(({ operation }) =>
      operation.parameters
        .filter(({ example, schema }) => example !== undefined && !ajv.validate(schema, example))
        .map(({ name, example }) => [operation.operationId, name, example]),
    );
    expect(wrong).toEqual([]);
    const price = document.paths["/local/v1/cheap"]?.get?.parameters.find(({ name }) => name === "max_price");
    expect(price?.example).toBe(2.5);
  });
});
