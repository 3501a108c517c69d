/** What LAN devices want and the service lacks: `/local/v1`. */
import type { LanParts } from "./lan-parts.ts";
import type { LocalRoute } from "./server/local-route.ts";

/** The routes for small devices and of the neighbours' formats. */
export function localRoutes(_lan: LanParts): readonly LocalRoute[] {
  return [];
}
