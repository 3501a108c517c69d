/** Endpoint of the Model Context Protocol. */
import { type Endpoint, endpoint } from "./endpoint.ts";
import { anyObject } from "./schema.ts";

export const mcpEndpoints: readonly Endpoint[] = [
  endpoint({
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
    async run(source, _params, request) {
      const { answerMcp } = await import("./mcp.ts");
      return answerMcp(source, request);
    },
  }),
];
