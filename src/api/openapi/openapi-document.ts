/**
 * The LAN API as one OpenAPI 3.1.0 document, made from the service's contract, the registered routes and
 * the frame in `lan-openapi.json`, whose empty lists are filled here.
 */

import { planRefusals } from "../../core/planning/command-refusal.ts";
import { VERSION } from "../../core/status/version.ts";
import { localErrorTable } from "../../http/errors.ts";
import type { LocalRoute, RouteScope } from "../../http/route.ts";
import { headerTable } from "../../service/contract/headers.ts";
import { withReferences } from "../../service/contract/named-schemas.ts";
import { serviceOpenApi } from "../../service/contract/openapi.ts";
import frame from "./lan-openapi.json" with { type: "json" };
import { type DocumentPart, reference } from "./openapi-parts.ts";

/** Security requirements by scope. Only pages of the dashboard have a session. */
const SECURITY: Readonly<Record<RouteScope, readonly DocumentPart[]>> = {
  open: [],
  optional: [{}, { lanKey: [] }],
  read: [{ lanKey: [] }, { session: [] }],
  control: [{ lanKey: [] }, { session: [] }],
  admin: [{ lanKey: [] }, { session: [] }],
};

/** Responses of every route that takes a key. */
const REFUSED = { 401: reference("responses", "Error401"), 429: reference("responses", "Error429") };

export async function lanOpenApiDocument(routes: readonly LocalRoute[]): Promise<DocumentPart> {
  const quota = Object.keys(headerTable).filter((name) => name !== "Retry-After");
  const headers = [...quota, ...Object.keys(frame.mirrorHeaders)].map((name) => [name, reference("headers", name)]);
  const same = { description: "Not changed since the `ETag` in `If-None-Match`." };
  const contract = serviceOpenApi({
    security: { consumer: [{ lanKey: [] }], thirdParty: [{ lanKey: [] }, { lanToken: [] }] },
    headers: Object.fromEntries(headers),
    responses: { ...REFUSED, 304: same },
  });
  const named: Record<string, unknown> = {};
  const ownPaths = withReferences(await routePaths(routes), named);
  return {
    openapi: "3.1.0",
    info: { ...frame.info, version: VERSION },
    servers: [{ url: "/" }],
    tags: [...contract.tags, ...frame.tags],
    paths: { ...contract.paths, ...ownPaths },
    components: {
      schemas: { ...contract.components.schemas, ...named, ErrorBody: errorSchema() },
      responses: contract.components.responses,
      headers: { ...contract.components.headers, ...frame.mirrorHeaders },
      securitySchemes: frame.securitySchemes,
    },
  };
}

async function routePaths(routes: readonly LocalRoute[]): Promise<DocumentPart> {
  const paths: Record<string, Record<string, DocumentPart>> = {};
  // `/docs/` is described as `/docs`, which redirects to it.
  for (const route of routes.filter(({ path }) => path === "/" || !path.endsWith("/"))) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: await describeRoute(route),
    };
  }
  return paths;
}

async function describeRoute({ path, scope, summary, openApi }: LocalRoute): Promise<DocumentPart> {
  const facts = (await openApi?.()) ?? {};
  const isScoped = scope === "control" || scope === "admin";
  const control = isScoped ? { description: `Needs a key with the scope \`${scope}\`.` } : {};
  return {
    tags: [tagOf(path)],
    summary,
    ...control,
    security: SECURITY[scope],
    ...facts,
    parameters: withPathNames(path, (facts.parameters ?? []) as readonly DocumentPart[]),
    responses: { 200: { description: summary }, ...errorsOf(scope), ...((facts.responses ?? {}) as DocumentPart) },
  };
}

function tagOf(path: string): string {
  if (/^\/local\/v1\/(?!session|setup|system|diagnostics)/.test(path)) return "local";
  return /^\/(events|metrics|healthz|livez|openapi\.json|local\/v1\/(system|diagnostics))$/.test(path)
    ? "live"
    : "page";
}

/** Adds the path parameters that `parameters` does not describe. */
function withPathNames(path: string, parameters: readonly DocumentPart[]): readonly DocumentPart[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const undescribed = names.filter((name) => !parameters.some((each) => each.in === "path" && each.name === name));
  return [
    ...undescribed.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...parameters,
  ];
}

function errorsOf(scope: RouteScope): DocumentPart {
  const body = { "application/json": { schema: reference("schemas", "ErrorBody") } };
  const failure = {
    "4XX": { description: "Any other rejection, in the common error format.", content: body },
    "5XX": { description: "Any other failure, in the common error format.", content: body },
  };
  if (scope === "open") return failure;
  const forbidden = scope === "control" || scope === "admin" ? { 403: reference("responses", "Error403") } : {};
  return { ...REFUSED, ...forbidden, ...failure };
}

function errorSchema(): DocumentPart {
  const { properties } = frame.errorBody;
  const errorCode = { ...properties.errorCode, enum: Object.keys(localErrorTable) };
  return {
    ...frame.errorBody,
    properties: { ...properties, errorCode, refusal: { ...properties.refusal, enum: planRefusals } },
  };
}
