/** Endpoints of documents that describe elbro: this API, and the configuration. Each is made at its first request. */

import type { LocalRoute } from "../../http/route.ts";
import { endpointFor } from "../endpoint.ts";
import { routesOf } from "../endpoint-routes.ts";
import { anyObject } from "../schema.ts";

type Made = Readonly<Record<"openapi" | "configuration", () => Promise<Buffer>>>;

const document = endpointFor<Made>();

export const documentEndpoints = [
  document("GET /openapi.json", "getOpenApi", "open", {
    answer: () => anyObject,
    summary: "This API as an OpenAPI document.",
    about: "This document.",
    run: ({ openapi }) => answerOf(openapi),
  }),
  document("GET /local/v1/configuration/schema", "getConfigurationSchema", "read", {
    answer: () => anyObject,
    summary: "The configuration as a JSON Schema, with a description of each key.",
    about: "The schema.",
    run: ({ configuration }) => answerOf(configuration),
  }),
];

/** Returns the routes. `all` returns every route outside the service's contract. */
export function documentRoutes(all: () => readonly LocalRoute[]): readonly LocalRoute[] {
  return routesOf(documentEndpoints, {
    openapi: once(async () => (await import("./openapi-document.ts")).lanOpenApiDocument(all())),
    configuration: once(async () => (await import("../../config/schema/json-schema.ts")).configJsonSchema()),
  });
}

async function answerOf(make: () => Promise<Buffer>) {
  return { kind: "bytes" as const, bytes: await make(), type: "application/json" };
}

function once(make: () => Promise<object>): () => Promise<Buffer> {
  let made: Promise<Buffer> | null = null;
  return () => {
    made ??= make().then((document) => Buffer.from(JSON.stringify(document)));
    return made;
  };
}
