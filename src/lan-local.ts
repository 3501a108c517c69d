/** What LAN devices want and the service lacks: `/local/v1`. */
import type { LocalDeps } from "./local-api.ts";
import type { LocalHandlers } from "./server/local-handlers.ts";
import { localOperationIds, localPaths } from "./server/local-paths.ts";
import type { LocalRoute } from "./server/local-route.ts";

/** The routes for small devices and of the neighbours' formats. What answers them is loaded with the first request. */
export function localRoutes(deps: LocalDeps): readonly LocalRoute[] {
  let opened: Promise<LocalHandlers> | null = null;
  const handlers = () => {
    opened ??= import("./local-api.ts").then(({ openLocalApi }) => openLocalApi(deps));
    return opened;
  };
  return localOperationIds.map((id) => ({
    ...localPaths[id],
    handle: async (request) => (await handlers())[id](request),
  }));
}
