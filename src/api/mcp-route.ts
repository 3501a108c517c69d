/** Endpoint of the Model Context Protocol. */
import type { LocalRequest } from "../http/route.ts";
import { type Endpoint, endpointFor } from "./endpoint.ts";
import type { LocalSource } from "./local-source.ts";
import { anyObject } from "./schema.ts";

export interface McpSource {
  readonly source: LocalSource;
  /** Returns whether a caller may also make changes. */
  readonly mayControl: (request: Pick<LocalRequest, "headers" | "remoteAddress" | "now">) => boolean;
}

export const mcpEndpoints: readonly Endpoint<McpSource>[] = [
  endpointFor<McpSource>()({
    method: "POST",
    path: "/mcp",
    operationId: "postMcp",
    scope: "read",
    summary: "Model Context Protocol (streamable HTTP): the endpoints as tools for assistants.",
    about: "The response of JSON-RPC 2.0.",
    body: {
      schema: () => anyObject,
      example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
      isCheckedByRun: true,
    },
    answer: () => anyObject,
    statuses: { 202: "A notification was accepted." },
    errors: [],
    example: "/mcp",
    async run({ source, mayControl }, _params, request) {
      const { answerMcp } = await import("./mcp.ts");
      return answerMcp(request, { source, mayControl: mayControl(request) });
    },
  }),
];
