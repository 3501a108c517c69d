/** The OpenAPI document of everything that this server answers. */
import { liveFacts } from "./live-openapi.ts";
import { type DescribedRoute, lanOpenApi } from "./server/lan-openapi.ts";
import { VERSION } from "./version.ts";

/** The document of these routes and of the mirror. */
export function lanDocument(routes: readonly DescribedRoute[]): object {
  return lanOpenApi({ version: VERSION, routes, factsOf: ({ path }) => liveFacts(path) });
}
