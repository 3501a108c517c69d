/** The LAN API put together: keys, the mirror of the service, and routes of its own. */
import { randomUUID } from "node:crypto";
import { dashboardRoutes } from "./lan-dashboard.ts";
import { liveRoutes } from "./lan-live.ts";
import { localRoutes } from "./lan-local.ts";
import { mountMirror } from "./lan-mirror.ts";
import type { LanParts } from "./lan-parts.ts";
import { keyDigest, LanKeys } from "./server/lan-keys.ts";
import { createLanRouter } from "./server/lan-router.ts";
import { addRoute, type Door } from "./server/local-route.ts";
import type { Router } from "./server/mount.ts";

/** The routes of the LAN API. */
export function lanRouter(lan: LanParts): Router {
  const { config, clock, log } = lan;
  const keys = new LanKeys(
    config.api.keys.map(({ name, key, scopes }) => ({
      name,
      sha256: keyDigest(key),
      control: scopes?.includes("control") ?? false,
    })),
    { minute: config.api.requests_per_minute, day: config.api.requests_per_day },
  );
  const door: Door = {
    admit: (arrival) => keys.admitLocal(arrival),
    now: () => clock.now(),
    newRequestId: randomUUID,
    onCrash: (error, requestId) => log.warn({ err: error, requestId }, "a request of the LAN failed"),
  };
  const router = createLanRouter(door);
  mountMirror(router, lan, keys, door);
  for (const route of [...localRoutes(lan), ...liveRoutes(lan), ...dashboardRoutes(lan)]) addRoute(router, route, door);
  return router;
}
