/**
 * What every request of the LAN passes before a route is looked for: is it for this machine, from a page that may ask,
 * with its key where a key belongs, and without a body that nobody wants.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Router } from "../../service/serve/mount.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import { allowReading, isPreflight, preflightHeaders, varyByOrigin } from "./cors.ts";
import { type LocalError, localError } from "./errors.ts";
import { isFromIngress } from "./ingress.ts";
import type { Lookup } from "./listener.ts";
import { methodsAt } from "./not-found.ts";
import { hasBody, MAX_BODY_BYTES } from "./request-body.ts";
import { answerHeaders, type Headers, type LocalAnswer, sendAnswer } from "./response.ts";

export interface RequestGuardRules {
  readonly hosts: AllowedHosts;
  /** Where pages come from that may read answers. */
  readonly cors: ReadonlySet<string>;
  readonly newRequestId: () => string;
}

type Verdict = { readonly answer: LocalAnswer; readonly headers?: Headers } | null;

/** Names under which people put a key into a URL. */
const KEY_IN_URL = /[?&](api[_-]?key|api[_-]?secret|access[_-]?token|authorization|bearer|key|secret|token)=/i;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]*)([/?].*)?$/i;
const PLAIN = /^[\w./:[\]-]{1,60}$/;

/** Puts the checks before a router. */
export function guardRequests(router: Router, rules: RequestGuardRules): Lookup {
  return {
    lookup(request, response) {
      if (rules.cors.size > 0) varyByOrigin(response);
      const verdict = judge(request, response, { router, rules });
      if (!verdict) return router.lookup(request, response);
      const headers = { ...answerHeaders(rules.newRequestId()), ...verdict.headers };
      return sendAnswer(verdict.answer, headers, { request, response });
    },
  };
}

interface Behind {
  readonly router: Router;
  readonly rules: RequestGuardRules;
}

/** What a request is answered with at the door; null where it may go on. */
function judge(request: IncomingMessage, response: ServerResponse, { router, rules }: Behind): Verdict {
  const wrongTarget = readTarget(request);
  if (wrongTarget) return { answer: wrongTarget };
  const error = wrongHost(request, rules.hosts) ?? keyInUrl(request) ?? unwantedBody(request);
  if (error) return { answer: error };
  const { origin } = request.headers;
  if (origin === undefined || isOwn(origin, request, rules.hosts) || isHandedOn(request)) return null;
  if (rules.cors.has(origin)) {
    if (isPreflight(request)) return preflight(origin, request, router);
    allowReading(origin, response);
    return null;
  }
  // A page elsewhere can send what a form can send, without asking. It cannot read the answer; nor shall it do anything.
  const isRead = request.method === "GET" || request.method === "HEAD";
  return isRead ? null : { answer: localError("forbidden", mayNot(origin)) };
}

/** To the owner, whose proxy calls this server by another name than browsers do, or whose page is another server's. */
function mayNot(origin: string): string {
  const [, name] = /^https?:\/\/([\w.-]{1,60})(?::\d+)?$/.exec(origin) ?? [];
  const refusal = `pages of ${shown(origin)} may not do this`;
  if (name === undefined) return `${refusal}; see api.cors`;
  return `${refusal}: where a proxy leads from there to this API, add "${name}" to api.hosts; a page of another server belongs in api.cors`;
}

/** A target is a path, or a whole URL, of which the path and the host are taken. */
function readTarget(request: IncomingMessage): LocalError | null {
  const { url = "" } = request;
  if (url.startsWith("/")) return null;
  if (url === "*") return localError("resource_not_found", "there is nothing at *");
  const [whole, host, rest = "/"] = ABSOLUTE_FORM.exec(url) ?? [];
  if (whole === undefined || host === undefined)
    return localError("invalid_parameter", "the target of a request begins with /");
  request.url = rest.startsWith("?") ? `/${rest}` : rest;
  request.headers.host = host;
  return null;
}

function wrongHost(request: IncomingMessage, hosts: AllowedHosts): LocalError | null {
  const { host } = request.headers;
  if (host === undefined)
    return request.httpVersion === "1.0" ? null : localError("invalid_parameter", "the header Host is missing");
  if (headerCount(request, "host") > 1) return localError("invalid_parameter", "the header Host is there twice");
  if (hosts.allows(host) || isHandedOn(request)) return null;
  return localError(
    "wrong_host",
    `${shown(host)} is no name of this machine that is known here; ask by its IP address, or add the name to api.hosts`,
  );
}

/** Home Assistant knows whose page it is, by whatever name a proxy of the owner's calls it. */
function isHandedOn({ headers, socket }: IncomingMessage): boolean {
  return isFromIngress(headers, socket.remoteAddress);
}

function keyInUrl({ url = "" }: IncomingMessage): LocalError | null {
  if (!url.includes("=") || !KEY_IN_URL.test(url)) return null;
  return localError(
    "invalid_token",
    "a key does not belong into a URL, where logs and histories keep it; send it as Authorization: Bearer <key>",
  );
}

/** A body where none belongs is passed over while it is short; nobody waits for the rest of a long one. */
function unwantedBody(request: IncomingMessage): LocalError | null {
  if (request.method === "POST" || request.method === "PUT" || !hasBody(request)) return null;
  const length = request.headers["content-length"];
  if (length !== undefined && Number(length) <= MAX_BODY_BYTES) return null;
  return localError("payload_too_large", `a ${request.method} takes no body here`);
}

/** Whether a page comes from this server, by the name it was called or by one that the owner gave it. */
function isOwn(origin: string, { headers }: IncomingMessage, hosts: AllowedHosts): boolean {
  const host = /^https?:\/\/(.+)$/.exec(origin)?.[1];
  return host !== undefined && (host === headers.host || hosts.isNamed(host));
}

function preflight(origin: string, request: IncomingMessage, router: Router): Verdict {
  const methods = methodsAt(router, request.url ?? "/");
  if (methods === "") return { answer: localError("resource_not_found", "there is nothing at this path") };
  return { answer: { kind: "text", text: "", status: 204 }, headers: preflightHeaders(origin, methods, request) };
}

function headerCount({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name) count++;
  return count;
}

/** A host or an origin as it was sent, if it is one: what is none may be a key that slipped into another line. */
function shown(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : "what was sent";
}
