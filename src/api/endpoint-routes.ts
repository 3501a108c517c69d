/** Routes of endpoints: each request runs its endpoint, and the document of the API describes it. */

import type { LocalRoute } from "../http/route.ts";
import type { Endpoint } from "./endpoint.ts";

export function routesOf<Source>(rows: readonly Endpoint<Source>[], source: Source): readonly LocalRoute[] {
  return rows.map((row) => {
    const { method, path, scope, summary, takesFile } = row;
    const handle: LocalRoute["handle"] = (request) => row.run(source, request);
    const openApi = async () => (await import("./openapi/openapi-operation.ts")).openApiOperation(row);
    return { method, path, scope, summary, handle, openApi, ...(takesFile && { takesFile }) };
  });
}
