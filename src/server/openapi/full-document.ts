/** The OpenAPI document of everything that this server answers. */

import { VERSION } from "../../core/status/version.ts";
import { localOpenApi } from "../local/operations.ts";
import { localOperationIds, localPaths } from "../local/routes.ts";
import { liveFacts, liveSchemas } from "../monitoring/openapi.ts";
import { type DescribedRoute, localOpenApiDocument } from "./openapi-document.ts";

/** The document of these routes and of the mirror. */
export function fullDocument(routes: readonly DescribedRoute[]): object {
  return localOpenApiDocument({
    version: VERSION,
    routes,
    factsOf: (route) => liveFacts(route.path) ?? localFacts(route),
    schemas: liveSchemas,
  });
}

function localFacts({ method, path }: DescribedRoute): Readonly<Record<string, unknown>> | null {
  const id = localOperationIds.find((each) => localPaths[each].path === path && localPaths[each].method === method);
  return id === undefined ? null : localOpenApi(id);
}
