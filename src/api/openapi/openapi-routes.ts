/** Route of the OpenAPI document, which is made at the first request. */

import type { LocalRoute } from "../../http/route.ts";
import { jsonResponse } from "./operation.ts";

/** Returns the route. `all` returns every route outside the service's contract. */
export function openapiRoutes(all: () => readonly LocalRoute[]): readonly LocalRoute[] {
  let document: Promise<Buffer> | null = null;
  const make = async () => {
    const { lanOpenApiDocument } = await import("./openapi-document.ts");
    return Buffer.from(JSON.stringify(lanOpenApiDocument(all())));
  };
  return [
    {
      method: "GET",
      path: "/openapi.json",
      scope: "open",
      summary: "This API as an OpenAPI document.",
      openApi: () => ({
        operationId: "getOpenApi",
        responses: { 200: jsonResponse("This document.", { type: "object" }) },
      }),
      handle: async () => {
        document ??= make();
        return { kind: "bytes", bytes: await document, type: "application/json" };
      },
    },
  ];
}
