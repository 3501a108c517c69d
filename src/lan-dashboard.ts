/** The dashboard's files at `/`. */
import type { LanParts } from "./lan-parts.ts";
import type { LocalRoute } from "./server/local-route.ts";

/** The routes of the dashboard. */
export function dashboardRoutes(_lan: LanParts): readonly LocalRoute[] {
  return [];
}
