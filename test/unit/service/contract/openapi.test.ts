import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { errorTable } from "../../../../src/service/contract/errors.ts";
import { serviceOpenApi } from "../../../../src/service/contract/openapi.ts";
import { type OperationId, operationIds, operationOf } from "../../../../src/service/contract/operations.ts";
import { answers, breakages, broken } from "../../../fixtures/answers.ts";

const document = serviceOpenApi({ security: { consumer: [], thirdParty: [] }, headers: {}, responses: {} });

/** Returns the value at a path of keys in plain JSON. */
function at(json: unknown, ...keys: (string | number)[]): unknown {
  return keys.reduce<unknown>((found, key) => (found as Record<string | number, unknown> | undefined)?.[key], json);
}

function operationAt(id: OperationId): unknown {
  return at(document.paths, operationOf(id).path, "get");
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

describe("the OpenAPI document contains", () => {
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
