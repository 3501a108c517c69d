/** Route of the configuration's JSON Schema, used by the forms of the dashboard. Made at the first request. */

import type { LocalRoute } from "../http/route.ts";
import { jsonResponse } from "./openapi/operation.ts";

export function configurationSchemaRoute(): LocalRoute {
  let schema: Promise<Buffer> | null = null;
  const make = async () => {
    const { configJsonSchema } = await import("../config/json-schema.ts");
    return Buffer.from(JSON.stringify(configJsonSchema()));
  };
  return {
    method: "GET",
    path: "/local/v1/configuration/schema",
    scope: "read",
    summary: "The configuration as a JSON Schema, with a description of each key.",
    openApi: () => ({
      operationId: "getConfigurationSchema",
      responses: { 200: jsonResponse("The schema.", { type: "object" }) },
    }),
    handle: async () => {
      schema ??= make();
      return { kind: "bytes", bytes: await schema, type: "application/json" };
    },
  };
}
