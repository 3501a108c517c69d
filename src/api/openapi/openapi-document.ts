/** The LAN API as one OpenAPI 3.1.0 document, made from the service's contract and from the registered routes. */

import { planRefusals } from "../../core/planning/command-refusal.ts";
import { VERSION } from "../../core/status/version.ts";
import { localErrorTable } from "../../http/errors.ts";
import type { LocalRoute, RouteScope } from "../../http/route.ts";
import { headerTable } from "../../service/contract/headers.ts";
import { withReferences } from "../../service/contract/named-schemas.ts";
import { openApiDocument } from "../../service/contract/openapi.ts";
import { operationIds, operationOf } from "../../service/contract/operations.ts";
import { type Json, reference } from "./operation.ts";

/** Security requirements by scope. Only pages of the dashboard have a session. */
const SECURITY: Readonly<Record<RouteScope, readonly Json[]>> = {
  open: [],
  optional: [{}, { lanKey: [] }],
  read: [{ lanKey: [] }, { session: [] }],
  control: [{ lanKey: [] }, { session: [] }],
  admin: [{ lanKey: [] }, { session: [] }],
};

/** Responses of every route that takes a key. */
const REFUSED = { 401: reference("responses", "Error401"), 429: reference("responses", "Error429") };

/** Headers that the mirror adds to those of the service. */
const MIRROR_HEADERS = {
  Age: {
    description: "Age of the oldest part of the response, in seconds.",
    schema: { type: "integer", minimum: 0 },
  },
  ETag: {
    description: "Identifies the content. A request with it in If-None-Match returns 304 if nothing changed.",
    schema: { type: "string" },
  },
  "X-Elbro-Source": {
    description: "Source of the response: stored data, or a new request to the service.",
    schema: { type: "string", enum: ["shelf", "service"] },
  },
  "X-Elbro-Stale": {
    description: "`true` if the response is older than intended because the service could not be reached.",
    schema: { type: "string", const: "true" },
  },
} as const;

const TAGS = [
  { name: "local", description: "elbro's own API: signals, plans, plugs and results, also for small devices." },
  { name: "live", description: "Events, health and metrics." },
  { name: "page", description: "Web pages and the files that they need." },
];

/** Returns the document of the given routes and of the mirror. */
export function lanOpenApiDocument(routes: readonly LocalRoute[]): Json {
  const contract = openApiDocument({ version: VERSION });
  const named: Record<string, unknown> = {};
  const ownPaths = withReferences(routePaths(routes), named);
  return {
    openapi: contract.openapi,
    info: {
      title: "elbro",
      version: VERSION,
      license: { name: "MIT", identifier: "MIT" },
      description:
        "Electricity data of a home on the LAN: the service's own operations, answered from stored data, and elbro's own. Send a key as bearer token. Each key has a quota per minute and day (UTC), shown in the headers of every response.",
    },
    servers: contract.servers,
    tags: [...contract.tags, ...TAGS],
    paths: { ...mirrorPaths(contract.paths), ...ownPaths },
    components: {
      schemas: { ...contract.components.schemas, ...named, ErrorBody: errorSchema() },
      responses: contract.components.responses,
      headers: { ...contract.components.headers, ...MIRROR_HEADERS },
      securitySchemes: {
        lanKey: {
          type: "http",
          scheme: "bearer",
          description: "A key of this elbro: from api.keys, or created by `elbro keys create NAME`.",
        },
        lanToken: {
          type: "http",
          scheme: "bearer",
          description:
            "Base64 of `<API_KEY>:<HASH>` of a key and secret of this elbro, HASH being HMAC-SHA256 over the key with the secret as key.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "elbro_session",
          description:
            "A browser that has logged in on the dashboard. The name ends with the port, for instance elbro_session_8080.",
        },
      },
    },
  };
}

function mirrorPaths(paths: Readonly<Record<string, { readonly get: Json }>>): Json {
  return Object.fromEntries(
    operationIds.map((id) => {
      const { path, interface: face } = operationOf(id);
      const get = paths[path]?.get ?? {};
      const responses = get.responses as Readonly<Record<string, Json>>;
      const ok = responses[200] ?? {};
      const own = Object.fromEntries(Object.keys(MIRROR_HEADERS).map((name) => [name, reference("headers", name)]));
      const quota = Object.fromEntries(
        Object.keys(headerTable)
          .filter((name) => name !== "Retry-After")
          .map((name) => [name, reference("headers", name)]),
      );
      const answered = { ...ok, headers: { ...quota, ...own } };
      const security = face === "consumer" ? [{ lanKey: [] }] : [{ lanKey: [] }, { lanToken: [] }];
      const same = { description: "Not changed since the `ETag` in `If-None-Match`." };
      const all = { ...responses, ...REFUSED, 200: answered, 304: same };
      return [path, { get: { ...get, security, responses: all } }];
    }),
  );
}

function routePaths(routes: readonly LocalRoute[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  // `/docs/` is described as `/docs`, which redirects to it.
  for (const route of routes.filter(({ path }) => path === "/" || !path.endsWith("/"))) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describeRoute(route),
    };
  }
  return paths;
}

function describeRoute({ path, scope, summary, openApi }: LocalRoute): Json {
  const facts = openApi?.() ?? {};
  const isScoped = scope === "control" || scope === "admin";
  const control = isScoped ? { description: `Needs a key with the scope \`${scope}\`.` } : {};
  return {
    tags: [tagOf(path)],
    summary,
    ...control,
    security: SECURITY[scope],
    ...facts,
    parameters: withPathNames(path, (facts.parameters ?? []) as readonly Json[]),
    responses: { 200: { description: summary }, ...errorsOf(scope), ...((facts.responses ?? {}) as Json) },
  };
}

function tagOf(path: string): string {
  if (/^\/local\/v1\/(?!session|setup|system|diagnostics)/.test(path)) return "local";
  return /^\/(events|metrics|healthz|livez|openapi\.json|local\/v1\/(system|diagnostics))$/.test(path)
    ? "live"
    : "page";
}

/** Adds the path parameters that `parameters` does not describe. */
function withPathNames(path: string, parameters: readonly Json[]): readonly Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const undescribed = names.filter((name) => !parameters.some((each) => each.in === "path" && each.name === name));
  return [
    ...undescribed.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...parameters,
  ];
}

function errorsOf(scope: RouteScope): Json {
  const body = { "application/json": { schema: reference("schemas", "ErrorBody") } };
  const failure = {
    "4XX": { description: "Any other rejection, in the common error format.", content: body },
    "5XX": { description: "Any other failure, in the common error format.", content: body },
  };
  if (scope === "open") return failure;
  const forbidden = scope === "control" || scope === "admin" ? { 403: reference("responses", "Error403") } : {};
  return { ...REFUSED, ...forbidden, ...failure };
}

function errorSchema(): Json {
  const said = {
    key: { type: "string", description: "Key of the text in `src/i18n`, for translation." },
    facts: { type: "object", description: "Values of the text's placeholders: texts, numbers, or `key` and `facts`." },
  };
  return {
    type: "object",
    properties: {
      error: { type: "boolean", const: true },
      reason: { type: "string", description: "Text for people; programs use `errorCode`." },
      errorCode: { type: "string", enum: Object.keys(localErrorTable) },
      ...said,
      refusal: {
        type: "string",
        enum: planRefusals,
        description: "For a command to a plan: why it is not carried out.",
      },
      mistakes: {
        type: "array",
        description:
          "For an entry of the configuration: every mistake, with its place, the expected and the found value.",
        items: {
          type: "object",
          properties: { path: { type: "string" }, line: { type: "integer" }, text: { type: "string" }, ...said },
          required: ["path", "text", "key", "facts"],
        },
      },
    },
    required: ["error", "reason", "errorCode"],
  };
}
