/** Router of all paths. Unknown paths, and methods that a path does not have, have separate errors. */
import createFindMyWay, { type HTTPVersion, type Instance } from "find-my-way";
import { message } from "../core/language/text.ts";
import type { InterfaceName } from "../service/contract/operations.ts";
import { type LocalError, localError } from "./errors.ts";
import type { Exchange } from "./pipeline.ts";
import { serve } from "./pipeline.ts";
import { isOperation, type Route, type RouteContext } from "./route.ts";

export type Router = Instance<HTTPVersion.V1>;

/** Longest path parameter of a route. The contract limits free-text address searches to fewer characters. */
const MAX_PATH_PARAMETER_LENGTH = 1_000;
/** Methods that routes may have. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"] as const;

/** Returns the error for a path without a route. `allowed` lists the methods of the path; empty if it is unknown. */
export type UnknownPath = (method: string, allowed: string) => LocalError;

/** Creates a router. Below an interface's path, key and quota are checked before the error for an unknown path. */
export function createRouter(context: RouteContext, unknown: UnknownPath = unknownPath): Router {
  const serveUnknown = (request: Exchange["request"], response: Exchange["response"]) => {
    const { method = "GET", url = "/" } = request;
    const scope = (/^\/(consumer|thirdParty)(?![^/?])/.exec(url)?.[1] as InterfaceName | undefined) ?? "open";
    const handle = () => unknown(method, methodsAt(router, url));
    return serve({ scope, handle, isUncounted: scope === "open" }, context, { request, response });
  };
  const router = createFindMyWay({
    maxParamLength: MAX_PATH_PARAMETER_LENGTH,
    querystringParser: (text) => text,
    defaultRoute: serveUnknown,
    onBadUrl: (_path, request, response) => serveUnknown(request, response),
  });
  return router;
}

/** Adds a route. The service's operations have no HEAD. */
export function addRoute(router: Router, route: Route, context: RouteContext): void {
  const hasHead = route.method === "GET" && !isOperation(route.scope);
  router.on(hasHead ? ["GET", "HEAD"] : [route.method], route.path, (request, response, path, ...[, query]) =>
    serve(route, context, { request, response, path, query }),
  );
}

/** Returns the methods of a path for the Allow header; empty if the path is unknown. */
export function methodsAt(router: Router, url: string): string {
  const [path = "/"] = url.split("?");
  return isPath(path) ? METHODS.filter((method) => router.find(method, path) !== null).join(", ") : "";
}

function unknownPath(method: string, allowed: string): LocalError {
  if (allowed === "") return localError("resource_not_found", message("refused.unknown_path"));
  const error = localError("method_not_allowed", message("refused.no_method", { method, allowed }));
  return { ...error, allow: allowed };
}

/** Returns whether a path can be decoded. For any other, the router returns its handler for malformed URLs. */
function isPath(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
