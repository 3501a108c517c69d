/** The router of the LAN API: a path that is not there, and one that is there for another method, each say so. */

import {
  createApiRouter,
  interfaceAt,
  type MountOptions,
  type Router,
  serveUnknown,
} from "../../service/serve/mount.ts";
import { localError } from "./errors.ts";
import { answerHeaders, type Exchange, sendAnswer } from "./response.ts";
import type { RouteContext } from "./route.ts";

/** Methods that routes of the LAN API may have. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"] as const;

/** A router without routes. Below the paths of the service, `mirror` answers what is not there. */
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
    sendAnswer(localError("resource_not_found", "there is nothing at this path"), headers, exchange);
    return;
  }
  const error = localError("method_not_allowed", `there is no ${method} at this path; it has ${allowed}`);
  sendAnswer(error, { ...headers, Allow: allowed }, exchange);
}

/** The methods that a target has, as a header tells them; empty where there is nothing. */
export function methodsAt(router: Router, url: string): string {
  const [path = "/"] = url.split("?");
  return isPath(path) ? METHODS.filter((method) => router.find(method, path) !== null).join(", ") : "";
}

/** Whether the text can be decoded; the router finds for any that cannot what is to be done about it. */
function isPath(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
