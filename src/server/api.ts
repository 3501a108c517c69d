/** The LAN API put together: keys, the mirror of the service, and routes of its own. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { CommandHint } from "../config/command-hint.ts";
import type { Router } from "../service/serve/mount.ts";
import type { Storage } from "../storage/open-storage.ts";
import type { ApiKeys } from "./auth/api-keys.ts";
import { SessionAuth } from "./auth/session-auth.ts";
import { Sessions } from "./auth/sessions.ts";
import { AllowedHosts } from "./http/allowed-hosts.ts";
import type { Lookup } from "./http/listener.ts";
import { createLocalRouter } from "./http/not-found.ts";
import { guardRequests } from "./http/request-guard.ts";
import { addRoute, type LocalRoute, type RouteContext } from "./http/route.ts";
import { localRoutes } from "./local/endpoints.ts";
import type { LocalDeps } from "./local/local-source.ts";
import type { MirrorDeps } from "./mirror/mirror-source.ts";
import { mountMirror } from "./mirror/mirror-source.ts";
import type { MonitoringDeps } from "./monitoring/monitoring-deps.ts";
import { monitoringRoutes } from "./monitoring/monitoring-routes.ts";
import { openapiRoutes } from "./openapi/openapi-routes.ts";
import { docsRoutes } from "./web/api-docs-routes.ts";
import { dashboardRoutes } from "./web/dashboard-routes.ts";

/** What the folders of the API need, together. */
export interface ApiDeps extends MirrorDeps, LocalDeps, MonitoringDeps {
  readonly config: MonitoringDeps["config"];
  readonly clock: MonitoringDeps["clock"];
  readonly state: MonitoringDeps["state"];
  readonly storage: Storage;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
  readonly commandHint: CommandHint;
  /** Home Assistant passes requests of its users on, and needs no key. */
  readonly ingress: boolean;
}

/** The LAN API: its routes behind the checks that every request passes. */
export function apiRouter(deps: ApiDeps, keys: ApiKeys): Lookup {
  const { api } = deps.config;
  const hosts = new AllowedHosts(hostname(), api.hosts ?? []);
  return guardRequests(apiRoutes(deps, keys), { hosts, cors: new Set(api.cors), newRequestId: randomUUID });
}

/** The routes of the LAN API. */
export function apiRoutes(deps: ApiDeps, keys: ApiKeys): Router {
  const { config, clock, log } = deps;
  const pages = new SessionAuth({
    sessions: new Sessions(deps.storage.settings, (name) => keys.named(name)),
    dashboard: config.api.dashboard ?? "key",
    ingress: deps.ingress,
  });
  const door: RouteContext = {
    admit: (message) => pages.admitLocal(message) ?? keys.admitLocal(message),
    remains: (message) => pages.remains(message) || keys.isKnown(message.authorization, message.scope),
    now: () => clock.now(),
    newRequestId: randomUUID,
    onCrash: (error, requestId) => log.warn({ err: error, requestId }, "a request of the LAN failed"),
    onAnswer: (caller, status) => deps.state.stats.answered.add(caller ?? "", String(status)),
  };
  const router = createLocalRouter(door);
  mountMirror(router, deps, (message) => pages.admitMirror(message) ?? keys.admit(message), door);
  const routes: readonly LocalRoute[] = [
    ...localRoutes(deps),
    ...monitoringRoutes(deps),
    ...openapiRoutes(() => routes),
    ...docsRoutes(),
    ...dashboardRoutes(deps.state, { keys, pages }),
  ];
  for (const route of routes) addRoute(router, route, door);
  return router;
}
