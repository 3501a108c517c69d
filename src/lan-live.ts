/** What tells of the house and of the daemon while it runs. What a route needs is loaded when it is first asked for. */
import type { LanParts } from "./lan-parts.ts";
import type { LocalAnswer } from "./server/local-answer.ts";
import { localError } from "./server/local-errors.ts";
import type { LocalRequest, LocalRoute } from "./server/local-route.ts";
import { VERSION } from "./version.ts";

/** When somebody for whom there is no room may try again. */
const FULL_RETRY_SEC = 30;
/** Neither a proxy nor Home Assistant's ingress may hold back what is told. */
const STREAM_HEADERS = { "X-Accel-Buffering": "no", "Cache-Control": "private, no-store, no-transform" };

/** The routes that tell how house and daemon are. */
export function liveRoutes(lan: LanParts): readonly LocalRoute[] {
  return [
    {
      method: "GET",
      path: "/events",
      scope: "read",
      summary: "What changes, as server-sent events: first the present state, or what was missed since Last-Event-ID.",
      handle: (request) => listening(lan, request),
    },
    {
      method: "GET",
      path: "/healthz",
      scope: "open",
      summary: "200 while the daemon is well.",
      handle: () => ({ kind: "json", body: { status: "ok", version: VERSION } }),
    },
  ];
}

async function listening({ live, homes }: LanParts, { query, headers }: LocalRequest): Promise<LocalAnswer> {
  const home = query.get("home");
  const known = homes.list().map(({ id }) => id);
  if (home !== null && known.length > 0 && !known.includes(home))
    return localError("resource_not_found", `there is no home "${home.slice(0, 40)}"; expected ${known.join(", ")}`);
  const hub = await live.hub();
  if (!hub.hasRoom)
    return { ...localError("rate_limited", "as many listen as can be served"), retryAfterSec: FULL_RETRY_SEC };
  const last = headers["last-event-id"];
  return {
    kind: "stream",
    type: "text/event-stream; charset=utf-8",
    headers: STREAM_HEADERS,
    write: (out) => hub.listen(out, { lastEventId: typeof last === "string" ? last : null, home }),
  };
}
