/** Composes the LAN API. A new configuration replaces the router; the listener stays open. */
import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Config } from "../config/schema/schema.ts";
import { onPort } from "../core/status/start-error.ts";
import { AllowedHosts } from "../http/guards/allowed-hosts.ts";
import { guardRequests } from "../http/guards/request-guard.ts";
import { DATA_HEADERS } from "../http/guards/security-headers.ts";
import { type Lookup, listen } from "../http/listener.ts";
import type { LocalRoute, RouteContext } from "../http/route.ts";
import { addRoute, createRouter, type Router } from "../http/router.ts";
import { Administrators } from "../integrations/homeassistant/administrators.ts";
import type { ApiKeys } from "./auth/api-keys.ts";
import { type KeyStore, openKeyStore } from "./auth/key-store.ts";
import { SessionAuth, type SessionAuthDeps } from "./auth/session-auth.ts";
import { Sessions } from "./auth/sessions.ts";
import { dashboardRoutes } from "./dashboard-routes.ts";
import type { ApiDeps } from "./deps.ts";
import { endpoint } from "./endpoint.ts";
import { routesOf } from "./endpoint-routes.ts";
import { localRoutes } from "./endpoints.ts";
import { localSource } from "./house/local-source.ts";
import { mirrorRoutes } from "./mirror/mirror-source.ts";
import { monitoringRoutes } from "./monitoring/monitoring-routes.ts";
import { documentRoutes } from "./openapi/openapi-routes.ts";
import { pageRoutes } from "./page-routes.ts";
import { anyObject } from "./schema.ts";
import { backupRoutes } from "./settings/backup.ts";
import { setupRoutes } from "./setup/setup-routes.ts";

export interface Api {
  /** The endpoints for the owner of the data directory, who needs no key. */
  readonly owners: Lookup;
}

export interface ApiListener extends Api {
  readonly close: () => Promise<void>;
  readonly port: number;
  /** Applies another configuration. Address and port do not change. */
  readonly configure: (config: Config) => void;
}

/** Opens the API without a port, for a command. */
export function openOwnersApi(deps: ApiDeps): Api {
  const access = openKeyStore({ ...deps, problems: deps.state.problems });
  return { owners: ownersOf(apiRouter(deps, access, openPages(deps, access.keys))) };
}

/** Opens the API. Rejects with a StartError if the port cannot be used. */
export async function openApi(deps: ApiDeps): Promise<ApiListener> {
  const { api } = deps.config;
  const access = openKeyStore({ ...deps, problems: deps.state.problems });
  const pages = openPages(deps, access.keys);
  let router = apiRouter(deps, access, pages);
  const current: Lookup = { lookup: (request, response) => router.lookup(request, response) };
  const { tls } = api;
  const { port, close, useTls } = await onPort("api", api.port, () => listen(current, api.host, api.port, { tls }));
  deps.log.info({ host: api.host, port }, "API listens");
  return {
    port,
    owners: ownersOf(current),
    configure(config) {
      access.configure(config.api);
      if (config.api.tls) useTls(config.api.tls);
      pages.mode = config.api.dashboard ?? "key";
      router = apiRouter({ ...deps, config }, access, pages);
    },
    close,
  };
}

/** Authorization of the owner's requests. It is new at each start and never leaves this process. */
const OWNER = `Bearer ${randomBytes(32).toString("base64url")}`;

function ownersOf(router: Lookup): Lookup {
  return {
    lookup(request, response) {
      request.headers.authorization = OWNER;
      return router.lookup(request, response);
    },
  };
}

function apiRouter(given: ApiDeps, { keys, lastUse }: KeyStore, pages: SessionAuth): Lookup {
  const deps = { ...given, lastUse };
  const { api } = deps.config;
  const hosts = new AllowedHosts(hostname(), api.hosts ?? []);
  const rules = { hosts, cors: new Set(api.cors) };
  return guardRequests(apiRoutes(deps, keys, pages), rules, routeContext(deps, keys, pages));
}

/** Opens the access of pages, which a reload does not replace: open event streams ask it whether they may continue. */
function openPages(deps: ApiDeps, keys: ApiKeys): SessionAuth {
  const { config, storage, ingress } = deps;
  const sessions = new Sessions(storage.settings, () => keys.all());
  return new SessionAuth({ sessions, dashboard: config.api.dashboard, ingress: ingress ? mayControl(deps) : null });
}

/** Returns who of Home Assistant's users may control: its administrators, and everybody in the demo. */
function mayControl({ config, clock, log, signal }: ApiDeps): NonNullable<SessionAuthDeps["ingress"]> {
  if (!config.home_assistant) return () => true;
  const administrators = new Administrators({ account: config.home_assistant, log, signal });
  void administrators.keepCurrent(clock.now());
  return (userId, now) => userId !== undefined && administrators.has(userId, now);
}

function routeContext(deps: ApiDeps, keys: ApiKeys, pages: SessionAuth): RouteContext {
  const { clock, log } = deps;
  return {
    headers: DATA_HEADERS,
    admit: (message) =>
      message.authorization === OWNER ? { kind: "admitted" } : (pages.admit(message) ?? keys.admit(message)),
    remains: (message) => message.authorization === OWNER || pages.remains(message) || keys.isKnown(message),
    isAdmin: (message) =>
      message.authorization === OWNER ||
      (message.authorization === undefined ? pages.isAdmin(message) : keys.isAdmin(message)),
    now: () => clock.now(),
    newRequestId: randomUUID,
    onCrash(error, requestId) {
      log.warn({ err: error, requestId }, "a LAN request failed");
      deps.onCrash?.(error);
    },
    onAnswer: (caller, status) => deps.state.stats.answered.add(caller ?? "", String(status)),
    onDeed(deed, caller, { headers, socket, url = "" }) {
      const owner = headers.authorization === OWNER ? "a command of this machine" : socket.remoteAddress;
      const over = deed.path !== MCP_PATH && url.startsWith(MCP_PATH) ? { over: MCP_PATH } : {};
      log.info({ caller: caller ?? owner, ...deed, ...over }, "done over the API");
    },
  };
}

const MCP_PATH = "/mcp";

/** Endpoint of the Model Context Protocol, which makes tools of the others. */
const mcpEndpoint = endpoint(`POST ${MCP_PATH}`, "postMcp", "read", {
  summary: "Model Context Protocol (streamable HTTP): the endpoints as tools for assistants.",
  about: "The response of JSON-RPC 2.0.",
  // The endpoint that a tool calls is logged.
  isLogged: false,
  body: {
    schema: () => anyObject,
    example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
    isCheckedByRun: true,
  },
  answer: () => anyObject,
  statuses: { 202: "A notification was accepted." },
  async run(source, _params, request) {
    const { answerMcp } = await import("./mcp.ts");
    return answerMcp(source, request);
  },
});

export function apiRoutes(deps: ApiDeps, keys: ApiKeys, pages = openPages(deps, keys)): Router {
  const context = routeContext(deps, keys, pages);
  const router = createRouter(context);
  const source = localSource(deps);
  const routes: readonly LocalRoute[] = [
    ...localRoutes(source),
    ...routesOf([mcpEndpoint], source),
    ...monitoringRoutes(deps),
    ...backupRoutes(deps),
    ...documentRoutes(() => routes),
    ...pageRoutes(),
    ...dashboardRoutes(deps, keys, pages),
    ...setupRoutes(deps.setup, deps),
  ];
  for (const route of [...mirrorRoutes(deps, context), ...routes]) addRoute(router, route, context);
  return router;
}
