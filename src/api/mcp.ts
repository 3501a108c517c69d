/**
 * Model Context Protocol over HTTP, without sessions: each endpoint is a tool. Source: modelcontextprotocol.io,
 * specification 2025-06-18, "Streamable HTTP" and "Tools". This file is loaded with the first request.
 */
import * as z from "zod/mini";
import { isOptional } from "../config/schema/schema-nodes.ts";
import { VERSION } from "../core/status/version.ts";
import { localErrorTable } from "../http/errors.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest } from "../http/route.ts";
import { type Answered, type Endpoint, requestMistakes } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import type { LocalSource } from "./house/local-source.ts";
import { jsonSchema } from "./openapi/openapi-operation.ts";
import type { DocumentPart } from "./openapi/openapi-parts.ts";
import { anyValue, optional, type Schema, strictObject } from "./schema.ts";

/** Versions that differ in nothing that is used here; the newest is offered to other clients. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"];
const JSON_RPC = { parseFailed: -32_600, unknownMethod: -32_601, invalidParams: -32_602 } as const;

const message = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.optional(z.union([z.string(), z.number()])),
  method: z.string(),
  params: z.optional(z.record(z.string(), z.unknown())),
});
const call = z.object({ name: z.string(), arguments: z.optional(z.record(z.string(), z.unknown())) });

type Result = { readonly result: object } | { readonly error: { readonly code: number; readonly message: string } };

/** Answers one message. Notifications and responses get 202 without a body. */
export async function answerMcp(source: LocalSource, request: LocalRequest): Promise<Answered<DocumentPart>> {
  const version = request.headers["mcp-protocol-version"];
  if (version !== undefined && !VERSIONS.some((each) => each === version)) {
    const reason = `MCP-Protocol-Version is ${String(version).slice(0, 40)}; expected one of ${VERSIONS.join(", ")}`;
    return { kind: "json", status: 400, body: { jsonrpc: "2.0", id: null, ...failed(JSON_RPC.parseFailed, reason) } };
  }
  const { data } = message.safeParse(request.body);
  if (!data) return rpc(null, failed(JSON_RPC.parseFailed, "expected one message of JSON-RPC 2.0"));
  if (data.id === undefined) return { kind: "text", status: 202, text: "" };
  return rpc(data.id, await resultOf(data.method, data.params ?? {}, source, request));
}

async function resultOf(
  method: string,
  params: DocumentPart,
  source: LocalSource,
  request: LocalRequest,
): Promise<Result> {
  switch (method) {
    case "initialize":
      return { result: greeting(params) };
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools: toolsFor(request).map(toolOf) } };
    case "tools/call":
      return callTool(params, source, request);
    default:
      return failed(JSON_RPC.unknownMethod, `unknown method ${method.slice(0, 60)}`);
  }
}

function greeting({ protocolVersion }: DocumentPart): object {
  return {
    protocolVersion: VERSIONS.find((version) => version === protocolVersion) ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: "elbro", version: VERSION },
    instructions: "Electricity prices, use, costs and plans of a home. Prices are in currency per kWh, times in UTC.",
  };
}

/** Every caller has the tools that only read, and of the others those that it may call as endpoints. */
function toolsFor({ may }: LocalRequest): readonly Endpoint[] {
  return endpoints.filter((row) => row.scope !== "open" && (isReadOnly(row) || (may("control") && may(row.scope))));
}

function isReadOnly({ method, scope }: Endpoint): boolean {
  return method === "GET" && scope === "read";
}

function toolOf(row: Endpoint): DocumentPart {
  const { operationId, summary, params, body } = row;
  const properties = Object.entries(params).map(([name, schema]) => {
    const { example: _, ...json } = jsonSchema(schema);
    return [name, json];
  });
  const needed = Object.entries(params).filter(([, schema]) => !isOptional(schema));
  return {
    name: operationId,
    description: summary,
    inputSchema: {
      type: "object",
      properties: { ...Object.fromEntries(properties), ...(body && { body: jsonSchema(body.schema()) }) },
      required: [...needed.map(([name]) => name), ...(body ? ["body"] : [])],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: isReadOnly(row), openWorldHint: false },
  };
}

async function callTool(params: DocumentPart, source: LocalSource, request: LocalRequest): Promise<Result> {
  const { data } = call.safeParse(params);
  const row = toolsFor(request).find(({ operationId }) => operationId === data?.name);
  if (!data || !row) return failed(JSON_RPC.invalidParams, `unknown tool ${String(data?.name ?? "").slice(0, 60)}`);
  const { body, ...given } = data.arguments ?? {};
  const unknown = requestMistakes(data.arguments ?? {}, argumentsOf(row));
  if (unknown) return shown(unknown);
  const texts = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    value === null || value === undefined ? [] : [[name, String(value)]],
  );
  const answer = await row.run(source, {
    ...request,
    method: row.method,
    url: row.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(given[name] ?? ""))),
    path: Object.fromEntries(texts),
    query: new URLSearchParams(texts),
    // A signal then says why it is OFF, and an error is an error.
    headers: { accept: "application/json" },
    body,
  });
  return shown(answer);
}

/** Returns the names of a tool's arguments; their values are checked by the endpoint. */
function argumentsOf({ params, body }: Endpoint): Schema {
  const names = [...Object.keys(params), ...(body ? ["body"] : [])];
  return strictObject(Object.fromEntries(names.map((name) => [name, optional(anyValue)])));
}

function shown(answer: LocalAnswer): Result {
  return { result: { content: [{ type: "text", text: textOf(answer) }], isError: answer.kind === "error" } };
}

function textOf(answer: LocalAnswer): string {
  if (answer.kind === "error") return `${localErrorTable[answer.code].status} ${answer.code}: ${answer.reason}`;
  if (answer.kind === "json") return JSON.stringify(answer.body);
  if (answer.kind === "bytes") return Buffer.from(answer.bytes).toString();
  return answer.kind === "text" ? answer.text : "";
}

function failed(code: number, why: string): Result {
  return { error: { code, message: why } };
}

function rpc(id: string | number | null, result: Result): Answered<DocumentPart> {
  return { kind: "json", body: { jsonrpc: "2.0", id, ...result } };
}
