/** Router of the LAN API. It has separate errors for unknown paths and for methods that a path does not have. */

import { localError } from "./errors.ts";
import { createApiRouter, interfaceAt, type MountOptions, type Router, serveUnknown } from "./mount.ts";
import { answerHeaders, type Exchange, sendAnswer } from "./response.ts";
import type { RouteContext } from "./route.ts";

/** Methods that routes of the LAN API may have. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"] as const;

/** Creates a router without routes. Unknown paths below those of the service are answered by `mirror`. */
export function createLocalRouter({ newRequestId }: Pick<RouteContext, "newRequestId">, mirror?: MountOptions): Router {
  const router: Router = createApiRouter((request, response) => {
    if (mirror && interfaceAt(request.url)) serveUnknown(mirror, request, response);
    else answerUnknown(router, newRequestId(), { request, response });
  });
  return router;
}

function answerUnknown(router: Router, requestId: string, exchange: Exchange): void {
  const { method, url = "/" } = exchange.request;
  const headers = answerHeaders(requestId);
  const allowed = methodsAt(router, url);
  if (allowed === "") {
    sendAnswer(localError("resource_not_found", "unknown path"), headers, exchange);
    return;
  }
  const error = localError("method_not_allowed", `this path does not support ${method}; it supports ${allowed}`);
  sendAnswer(error, { ...headers, Allow: allowed }, exchange);
}

/** Returns the methods of a path for the Allow header; empty if the path is unknown. */
export function methodsAt(router: Router, url: string): string {
  const [path = "/"] = url.split("?");
  return isPath(path) ? METHODS.filter((method) => router.find(method, path) !== null).join(", ") : "";
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
