/** What watches the daemon while it runs: its health. */
import type { LanParts } from "./lan-parts.ts";
import type { LocalRoute } from "./server/local-route.ts";
import { VERSION } from "./version.ts";

/** The routes that tell how the daemon is. */
export function liveRoutes(_lan: LanParts): readonly LocalRoute[] {
  return [
    {
      method: "GET",
      path: "/healthz",
      scope: "open",
      summary: "200 while the daemon is well.",
      handle: () => ({ kind: "json", body: { status: "ok", version: VERSION } }),
    },
  ];
}
