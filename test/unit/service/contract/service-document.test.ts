import { describe, expect, test } from "vitest";
import type * as z from "zod/mini";
import { errorTable } from "../../../../src/service/contract/errors.ts";
import { headerTable } from "../../../../src/service/contract/headers.ts";
import type { RangeCap } from "../../../../src/service/contract/limits.ts";
import { type AnyOperation, operationIds, operationOf } from "../../../../src/service/contract/operations.ts";
import { parameterKinds } from "../../../../src/service/contract/parameters.ts";
import { quotaHeaderNames } from "../../../../src/service/contract/quota-headers.ts";
import * as resource from "../../../../src/service/contract/resources.ts";
import { codesIn, serviceDocument, type TableRow, tablesOf } from "../../../support/service/service-document.ts";

/**
 * Converts both sides to one form and compares them completely, so that a row missing on either side fails. Without the
 * document next to the repository, these tests are skipped.
 */
const document = serviceDocument ?? "";
const suite = "the contract and ../shared/service-interface.md say the same";

const rowsOf = (section: string, table = 0): TableRow[] => tablesOf(document, section)[table] ?? [];
const allOperations = operationIds.map(operationOf);
const operationsOf = (name: AnyOperation["interface"]) => allOperations.filter((each) => each.interface === name);
const sorted = <Item>(items: readonly Item[]) => items.map((item) => JSON.stringify(item)).sort();

describe.skipIf(serviceDocument === null)(suite, () => {
  test("4.1: the query parameters of ranges", () => {
    const documented = rowsOf("4.1").map((row) => [
      codesIn(row.Name ?? ""),
      row.Required?.split(" ")[0],
      enumOf(row.Type),
    ]);
    const inCode = [
      [["from"], "yes", parameterKinds.instant.schema.enum ?? []],
      [["to"], "yes", parameterKinds.instant.schema.enum ?? []],
      [["aggregation"], "yes", parameterKinds.aggregation.schema.enum],
      [["resolution"], "yes", parameterKinds.resolution.schema.enum],
    ];
    expect(documented).toEqual(inCode);
  });

  test("4.1: every consumer operation with its query and response type", () => {
    const documented = rowsOf("4.1", 1).map((row) => ({
      path: codesIn(row["Method and path"] ?? "")
        .join()
        .replace("GET ", ""),
      query: codesIn(row.Query ?? ""),
      danish: /Danish addresses only/.test(row.Notes ?? ""),
    }));
    const inCode = operationsOf("consumer").map((operation) => ({
      path: operation.path,
      query: Object.keys(operation.inQuery),
      danish: /Danish addresses only/.test(operation.summary),
    }));
    expect(sorted(inCode)).toEqual(sorted(documented));
    expect(operationsOf("consumer").every((operation) => operation.response.shape === "series")).toBe(true);
  });

  test("4.2: every third-party operation with its parameters and response type", () => {
    const documented = rowsOf("4.2").map((row) => ({
      path: `/thirdParty${codesIn(row.Path ?? "").join()}`,
      parameters: parametersIn(row.Parameters ?? ""),
      isList: (row.Response ?? "").startsWith("Array of"),
    }));
    const inCode = operationsOf("thirdParty").map((operation) => ({
      path: operation.path,
      parameters: [
        ...Object.entries(operation.inPath).map(([name, kind]) => `path ${name} ${kind}`),
        ...Object.entries(operation.inQuery).map(([name, kind]) => `query ${name} ${kind}`),
      ],
      isList: operation.response.shape === "list",
    }));
    expect(sorted(inCode)).toEqual(sorted(documented));
  });

  test("7.1: every error code with its status", () => {
    const documented = rowsOf("7.1").map((row) => [codesIn(row["`errorCode`"] ?? "")[0], Number(row["HTTP status"])]);
    expect(Object.entries(errorTable).map(([code, { status }]) => [code, status])).toEqual(documented);
    expect(documented).toHaveLength(13);
  });

  test("7.1: every meaning starts with the same words as in the document", () => {
    for (const row of rowsOf("7.1")) {
      const code = codesIn(row["`errorCode`"] ?? "")[0] as keyof typeof errorTable;
      expect(words(errorTable[code].meaning).slice(0, 4)).toEqual(words(row.Meaning ?? "").slice(0, 4));
    }
  });

  test("8.1: every range cap", () => {
    const documented = rowsOf("8.1").flatMap((row) => {
      const id = (row.Endpoint ?? "").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      const named = codesIn(row["Aggregation or resolution"] ?? "");
      const all = id === "prices" ? resource.resolutions : resource.aggregations;
      return (named.length > 0 ? named : all).map((unit) => [id, unit, capIn(row["Maximum range"] ?? "")]);
    });
    const inCode = operationIds.flatMap((id) =>
      Object.entries(operationOf(id).range?.caps ?? {}).map(([unit, cap]) => [id, unit, cap]),
    );
    expect(sorted(inCode)).toEqual(sorted(documented));
  });

  test("8.2: every header with its type", () => {
    const documented = rowsOf("8.2").map((row) => [codesIn(row.Header ?? "")[0], row.Type]);
    expect(Object.entries(headerTable).map(([name, { schema }]) => [name, typeWords(schema)])).toEqual(documented);
    const quota = Object.keys(headerTable).filter((name) => name.startsWith("X-RateLimit-"));
    expect(Object.values(quotaHeaderNames).flatMap((names) => Object.values(names))).toEqual(quota);
  });

  test("8.2: every header with its meaning and its condition", () => {
    for (const row of rowsOf("8.2")) {
      const name = codesIn(row.Header ?? "")[0] as keyof typeof headerTable;
      expect(headerTable[name].meaning).toBe(row.Meaning);
      const sent = name.startsWith("X-RateLimit-")
        ? "evaluated"
        : /On 429 only/.test(row.Meaning ?? "")
          ? "limited"
          : "always";
      expect(headerTable[name].sent).toBe(sent);
    }
  });

  test.each([
    ["2.1", 0, resource.address],
    ["2.3", 0, resource.solarExportRevenueRow],
    ["2.5", 0, resource.pricePoint],
  ] as const)("%s: every field of the table", (section, table, schema) => {
    const documented = rowsOf(section, table).flatMap((row) => codesIn(row.Field ?? ""));
    expect(fieldsOf(schema)).toEqual(documented);
  });

  test("2.2: every field of the common envelope occurs in an envelope, and no other field", () => {
    const envelopes = [
      resource.consumptionEnvelope,
      resource.consumptionCostsEnvelope,
      resource.solarExportEnvelope,
      resource.solarExportRevenueEnvelope,
      resource.pricesEnvelope,
      resource.forecastPricesEnvelope,
    ];
    const documented = rowsOf("2.2").flatMap((row) => codesIn(row.Field ?? ""));
    expect(sorted([...new Set(envelopes.flatMap(fieldsOf)), "data"])).toEqual(sorted(documented));
  });
});

test("tablesOf throws for a section that the document does not contain", () => {
  expect(() => tablesOf("## 1. One\n\ntext", "7.1")).toThrow("the service's document has no section 7.1");
});

function enumOf(type = ""): string[] {
  return type.includes("enum") ? codesIn(type) : [];
}

/** Returns the words of a meaning, without punctuation. */
function words(meaning: string): string[] {
  return meaning.match(/\w+/g) ?? [];
}

/** Returns a cell's parameters as `place name type`, with `?` if optional. A number has its name as type. */
function parametersIn(cell: string): string[] {
  const kindOf = (name: string, type: string) =>
    type.startsWith("ISO 8601") ? "timestamp" : type === "string" ? "text" : name;
  const found = cell.matchAll(/(?:(path|query) )?`(\w+)` \(([^,)]+), (required|optional)/g);
  let place = "";
  return Array.from(found, ([, stated, name = "", type = "", need]) => {
    place = stated ?? place;
    return `${place} ${name} ${kindOf(name, type)}${need === "optional" ? "?" : ""}`;
  });
}

function capIn(cell: string): RangeCap | null {
  if (cell === "not shown") return null;
  const [amount = "", unit = ""] = cell.split(" ");
  return { unit: unit.replace(/s$/, "") as RangeCap["unit"], count: amount === "five" ? 5 : Number(amount) };
}

function typeWords(schema: Readonly<Record<string, unknown>>): string {
  if (schema.format === "uuid") return "UUID string";
  if (schema.format === "int64") return "integer (int64)";
  return schema.minimum === undefined ? String(schema.type) : `${schema.type}, at least ${schema.minimum}`;
}

function fieldsOf(schema: z.ZodMiniObject): string[] {
  return Object.keys(schema.shape);
}
