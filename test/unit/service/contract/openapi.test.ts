import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { errorTable } from "../../../../src/service/contract/errors.ts";
import { headerTable } from "../../../../src/service/contract/headers.ts";
import { openApiDocument } from "../../../../src/service/contract/openapi.ts";
import { type OperationId, operationIds, operationOf } from "../../../../src/service/contract/operations.ts";
import { answers, breakages, broken } from "../../../fixtures/answers.ts";

const document = openApiDocument({ version: "1.2.3", serverUrl: "http://elbro.local:8080" });

/** Returns the value at a path of keys in plain JSON. */
function at(json: unknown, ...keys: (string | number)[]): unknown {
  return keys.reduce<unknown>((found, key) => (found as Record<string | number, unknown> | undefined)?.[key], json);
}

function operationAt(id: OperationId): unknown {
  return at(document.paths, operationOf(id).path, "get");
}

function referencesIn(json: unknown): string[] {
  if (typeof json !== "object" || json === null) return [];
  const own = "$ref" in json && typeof json.$ref === "string" ? [json.$ref] : [];
  return [...own, ...Object.values(json).flatMap(referencesIn)];
}

function resolved(reference: string): unknown {
  expect(reference).toMatch(/^#\//);
  return at(document, ...reference.slice(2).split("/"));
}

/** Compiles a schema of the document, with the document's references and formats. */
function validatorOf(schema: unknown): ValidateFunction {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  return ajv.compile({ $id: "https://elbro.test/", ...(schema as object), components: document.components });
}

const answerValidators = new Map(
  operationIds.map((id) => {
    const content = at(operationAt(id), "responses", 200, "content", "application/json", "schema");
    return [id, validatorOf(content)];
  }),
);

function accepts(id: OperationId, body: unknown): boolean {
  return answerValidators.get(id)?.(body) === true;
}

describe("the OpenAPI document", () => {
  test("the OpenAPI document is accepted as OpenAPI 3.1 by a public validator", async () => {
    const validator = new Validator();
    const verdict = await validator.validate(JSON.parse(JSON.stringify(document)));
    expect(verdict).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("the OpenAPI document is rejected by the same validator if a required part is missing", async () => {
    const { info: _, ...without } = JSON.parse(JSON.stringify(document));
    expect((await new Validator().validate(without)).valid).toBe(false);
  });

  test("the OpenAPI document is plain JSON without loss", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  test("the OpenAPI document contains its version and server, or a relative server", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.2.3");
    expect(document.servers).toEqual([{ url: "http://elbro.local:8080" }]);
    expect(openApiDocument({ version: "1" }).servers).toEqual([{ url: "/" }]);
  });

  test("the OpenAPI document has only valid references, and uses every component", () => {
    const references = new Set(referencesIn(document));
    for (const reference of references) expect(resolved(reference), reference).toBeTypeOf("object");
    const components = ["schemas", "responses", "headers"] as const;
    const all = components.flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...references].sort()).toEqual(all.sort());
  });
});

describe("the OpenAPI document contains", () => {
  test("all 14 operations under their paths, each once", () => {
    expect(Object.keys(document.paths)).toHaveLength(14);
    expect(Object.values(document.paths).map(({ get }) => get.operationId)).toEqual(operationIds);
  });

  test.each(operationIds)("%s with its parameters, security and summary", (id) => {
    const { inPath, inQuery, summary, interface: face } = operationOf(id);
    const operation = operationAt(id);
    expect(at(operation, "summary")).toBe(summary);
    const security = face === "consumer" ? "consumerKey" : "thirdPartyToken";
    expect(at(operation, "security")).toEqual([{ [security]: [] }]);
    const found = (at(operation, "parameters") as unknown[]).map((each) => [
      at(each, "name"),
      at(each, "in"),
      at(each, "required"),
    ]);
    expect(found).toEqual([
      ...Object.keys(inPath).map((name) => [name, "path", true]),
      ...Object.entries(inQuery).map(([name, kind]) => [name, "query", !kind.endsWith("?")]),
    ]);
    for (const name of Object.keys(inPath)) expect(operationOf(id).path).toContain(`{${name}}`);
  });

  test("the range caps of an operation as text", () => {
    expect(at(operationAt("prices"), "description")).toBe(
      "The range is expanded outward to whole intervals of `resolution`; then: `hour` at most 366 days, `fifteenMinutes` at most 90 days.",
    );
  });

  test("both security schemes, HTTP bearer", () => {
    const schemes = Object.entries(document.components.securitySchemes);
    expect(schemes.map(([name, { type, scheme }]) => [name, type, scheme])).toEqual([
      ["consumerKey", "http", "bearer"],
      ["thirdPartyToken", "http", "bearer"],
    ]);
  });

  test("all 13 error codes under their status, with a valid example", () => {
    const found = Object.entries(document.components.responses).flatMap(([name, response]) => {
      const content = at(response, "content", "application/json");
      const valid = validatorOf(at(content, "schema"));
      return Object.entries(at(content, "examples") as object).map(([code, example]) => {
        expect(valid(at(example, "value")), code).toBe(true);
        expect(valid({ ...(at(example, "value") as object), errorCode: "teapot" })).toBe(false);
        return [code, { status: Number(name.slice("Error".length)), meaning: at(example, "summary") }];
      });
    });
    expect(Object.fromEntries(found)).toEqual(errorTable);
  });

  test("only errors that an operation can return", () => {
    const statusesOf = (id: OperationId) => Object.keys(at(operationAt(id), "responses") as object).join(" ");
    expect(statusesOf("addresses")).toBe("200 401 403 429 500 502 503");
    expect(statusesOf("prices")).toBe("200 400 401 403 404 422 429 500 502 503");
    expect(statusesOf("regionPrices")).toBe("200 default");
  });

  test("all nine headers: quota in every response, Retry-After with 429 only", () => {
    expect(Object.keys(document.components.headers)).toEqual(Object.keys(headerTable));
    const everywhere = Object.keys(headerTable).filter((name) => name !== "Retry-After");
    const headersAt = (json: unknown) => Object.keys(at(json, "headers") as object);
    expect(headersAt(at(operationAt("prices"), "responses", 200))).toEqual(everywhere);
    for (const [name, response] of Object.entries(document.components.responses)) {
      expect(headersAt(response)).toEqual(name === "Error429" ? Object.keys(headerTable) : everywhere);
    }
  });
});

describe.each(operationIds)("%s", (id) => {
  test("accepts the response of the document's field tables", () => {
    expect(accepts(id, answers[id])).toBe(true);
  });

  test.each(breakages[id])("rejects a defect at $at: $why", (breakage) => {
    expect(accepts(id, broken(answers[id], breakage))).toBe(false);
  });

  test("rejects an error body", () => {
    expect(accepts(id, { error: true, reason: "…", errorCode: "forbidden" })).toBe(false);
  });
});

test("a schema accepts unknown fields, which the mirror passes on", () => {
  const row = { ...answers.prices.data[0], variableChargesPerKWh: { total: 1 }, green: true };
  expect(accepts("prices", { ...answers.prices, more: 1, data: [row] })).toBe(true);
});
