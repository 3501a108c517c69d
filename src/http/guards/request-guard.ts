/** Checks every request of the LAN before routing: its host, its origin, no key in its URL and no unexpected body. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Message, message, type Text } from "../../core/language/text.ts";
import { type LocalError, localError } from "../errors.ts";
import { isFromIngress } from "../ingress.ts";
import type { Lookup } from "../listener.ts";
import { serve } from "../pipeline.ts";
import { hasBody, MAX_BODY_BYTES } from "../request-body.ts";
import type { LocalAnswer } from "../response.ts";
import type { RouteContext } from "../route.ts";
import { methodsAt, type Router } from "../router.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import { allowReading, isPreflight, preflightHeaders } from "./cors.ts";

export interface RequestGuardRules {
  readonly hosts: AllowedHosts;
  /** Origins of pages that may read responses. */
  readonly cors: ReadonlySet<string>;
}

/** Names of query parameters in which users send a key. */
const KEY_IN_URL = /[?&](api[_-]?key|api[_-]?secret|access[_-]?token|authorization|bearer|key|secret|token)=/i;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]*)([/?].*)?$/i;
const PLAIN = /^[\w./:[\]-]{1,60}$/;

export function guardRequests(router: Router, rules: RequestGuardRules, context: RouteContext): Lookup {
  return {
    lookup(request, response) {
      // Keeps caches from returning the response for one origin to another.
      if (rules.cors.size > 0) response.setHeader("Vary", "Origin");
      const answer = judge(request, response, { router, rules });
      if (!answer) return router.lookup(request, response);
      return serve({ scope: "open", isUncounted: true, handle: () => answer }, context, { request, response });
    },
  };
}

type Behind = { readonly router: Router; readonly rules: RequestGuardRules };

/** Returns the response to a rejected request or to a preflight; null if the request may continue. */
function judge(request: IncomingMessage, response: ServerResponse, { router, rules }: Behind): LocalAnswer | null {
  const wrongTarget = readTarget(request);
  if (wrongTarget) return wrongTarget;
  const { url = "" } = request;
  const hasKey = url.includes("=") && KEY_IN_URL.test(url);
  const keyInUrl = hasKey ? localError("invalid_token", message("refused.key_in_url")) : null;
  const error = wrongHost(request, rules.hosts) ?? keyInUrl ?? unwantedBody(request);
  if (error) return error;
  const { origin } = request.headers;
  if (origin === undefined || isOwn(origin, request, rules.hosts) || isHandedOn(request)) return null;
  if (rules.cors.has(origin)) {
    if (isPreflight(request)) return preflight(origin, request, router);
    allowReading(origin, response);
    return null;
  }
  // A page of another origin can send what a form can send, without a preflight. It cannot read the response, and it
  // must not change anything either.
  const isRead = request.method === "GET" || request.method === "HEAD";
  return isRead ? null : localError("forbidden", mayNot(origin));
}

/** Returns the message for an owner whose proxy uses another host name, or whose page is on another server. */
function mayNot(origin: string): Message {
  const [, name] = /^https?:\/\/([\w.-]{1,60})(?::\d+)?$/.exec(origin) ?? [];
  const facts = { origin: shown(origin) };
  return name === undefined
    ? message("refused.foreign_page", facts)
    : message("refused.foreign_page_named", { ...facts, name });
}

/** Replaces an absolute URL by its path and host. Returns an error for any other target that is not a path. */
function readTarget(request: IncomingMessage): LocalError | null {
  const { url = "" } = request;
  if (url.startsWith("/")) return null;
  if (url === "*") return localError("resource_not_found", message("refused.target_star"));
  const [whole, host, rest = "/"] = ABSOLUTE_FORM.exec(url) ?? [];
  if (whole === undefined || host === undefined) return localError("invalid_parameter", message("refused.target_path"));
  request.url = rest.startsWith("?") ? `/${rest}` : rest;
  request.headers.host = host;
  return null;
}

function wrongHost(request: IncomingMessage, hosts: AllowedHosts): LocalError | null {
  const { host } = request.headers;
  if (host === undefined)
    return request.httpVersion === "1.0" ? null : localError("invalid_parameter", message("refused.host_missing"));
  const sent = request.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === "host");
  if (sent.length > 1) return localError("invalid_parameter", message("refused.host_twice"));
  if (hosts.allows(host) || isHandedOn(request)) return null;
  return localError("wrong_host", message("refused.wrong_host", { host: shown(host) }));
}

/** Returns whether Home Assistant forwarded the request. It has checked its user, whatever host name a proxy uses. */
function isHandedOn({ headers, socket }: IncomingMessage): boolean {
  return isFromIngress(headers, socket.remoteAddress);
}

/** Returns an error for a long body of a method that takes none. A short one is ignored. */
function unwantedBody(request: IncomingMessage): LocalError | null {
  if (request.method === "POST" || request.method === "PUT" || !hasBody(request)) return null;
  const length = request.headers["content-length"];
  if (length !== undefined && Number(length) <= MAX_BODY_BYTES) return null;
  return localError("payload_too_large", message("refused.body_unwanted", { method: request.method ?? "" }));
}

/** Returns whether an origin is this server: by the name in `Host`, or by a configured name. */
function isOwn(origin: string, { headers }: IncomingMessage, hosts: AllowedHosts): boolean {
  const host = /^https?:\/\/(.+)$/.exec(origin)?.[1];
  return host !== undefined && (host === headers.host || hosts.isNamed(host));
}

function preflight(origin: string, request: IncomingMessage, router: Router): LocalAnswer {
  const methods = methodsAt(router, request.url ?? "/");
  if (methods === "") return localError("resource_not_found", message("refused.unknown_path"));
  return { kind: "text", text: "", status: 204, headers: preflightHeaders(origin, methods, request) };
}

/** Returns a host or an origin in quotes. Other text is not repeated, because it may be a key in the wrong header. */
function shown(text: string): Text {
  return PLAIN.test(text) ? `"${text}"` : message("refused.what_was_sent");
}
