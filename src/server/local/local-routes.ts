/** What LAN devices want and the service lacks: `/local/v1`. */

import type { LocalRoute } from "../http/route.ts";
import { type LocalDeps, openLocalApi } from "./local-source.ts";
import { localOperationIds, localPaths } from "./routes.ts";

/** The routes for small devices and for the formats of other programs. */
export function localRoutes(deps: LocalDeps): readonly LocalRoute[] {
  const handlers = openLocalApi(deps);
  return localOperationIds.map((id) => ({ ...localPaths[id], handle: handlers[id] }));
}
