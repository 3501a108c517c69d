/** Routes of the dashboard at `/`: its files and its sessions. */
import path from "node:path";
import { VERSION } from "../core/status/version.ts";
import { SERVICE_ZONE } from "../core/time/calendar.ts";
import { formatInstant } from "../core/time/interval.ts";
import { localError } from "../http/errors.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest, LocalRoute } from "../http/route.ts";
import { fileOpenApi, filesIn, pageHandlers } from "../http/static-files.ts";
import type { EntryEditor } from "../state/entry-editor.ts";
import type { State } from "../state/open-state.ts";
import type { ApiKeys } from "./auth/api-keys.ts";
import { fromOwnPage, PAGE_HEADER, type SessionAuth } from "./auth/session-auth.ts";
import { htmlResponse } from "./openapi/operation.ts";
import type { ValueOf } from "./schema.ts";
import { SESSION_KEY_PATTERN, type session, sessionOpenApi } from "./session-openapi.ts";

interface DashboardAccess {
  readonly keys: Pick<ApiKeys, "admit" | "named">;
  readonly pages: SessionAuth;
  readonly editor: Pick<EntryEditor, "isInvented">;
  readonly canSetUp: boolean;
}

/** Source of the homes and places in the session response. */
type Shown = Pick<State, "homes" | "places">;

/** Folder of the dashboard's files: next to the built program, or `dist/dashboard` if the source code runs. */
const FOLDER = path.join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? "../../dist" : "", "dashboard");

/** Returns the routes of the dashboard. */
export function dashboardRoutes(state: Shown, access: DashboardAccess): readonly LocalRoute[] {
  const { page, asset } = pageHandlers(() => filesIn(FOLDER), "the dashboard");
  return [
    {
      method: "GET",
      path: "/",
      scope: "open",
      summary: "The dashboard.",
      openApi: () => ({ operationId: "getDashboard", responses: { 200: htmlResponse("The page.") } }),
      handle: async (request) => withPreloads(await page(request), state, access, request),
    },
    {
      method: "GET",
      path: "/assets/:digest/:name",
      scope: "open",
      summary: "A file of the dashboard.",
      openApi: () => fileOpenApi("getDashboardAsset"),
      handle: asset,
    },
    {
      method: "GET",
      path: "/local/v1/session",
      scope: "open",
      summary: "The session of the dashboard and its permissions.",
      openApi: sessionOpenApi.get,
      handle: (request) => sessionAnswer(state, access, request),
    },
    {
      method: "POST",
      path: "/local/v1/session",
      scope: "open",
      summary: "Logs in with an API key and starts a session with a cookie.",
      openApi: sessionOpenApi.begin,
      handle: (request) => logIn(access, request),
    },
    {
      method: "POST",
      path: "/local/v1/session/end",
      scope: "open",
      summary: "Logs out: ends the session.",
      openApi: sessionOpenApi.end,
      handle: ({ headers }) =>
        fromOwnPage(headers)
          ? {
              kind: "json",
              body: { signed_in: false },
              headers: { "Set-Cookie": access.pages.sessions.end(headers) },
            }
          : fromElsewhere(),
    },
  ];
}

/** Adds a `Link` header, so that a browser that may read requests the data of the first view before the scripts run. */
function withPreloads(answer: LocalAnswer, state: Shown, access: DashboardAccess, request: LocalRequest): LocalAnswer {
  const [home] = sessionOf(state, access, request).house?.homes ?? [];
  if (!home || answer.kind === "error") return answer;
  const data = [`local/v1/prices?home=${home.id}`, "local/v1/plans"];
  const Link = data.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`).join(", ");
  return { ...answer, headers: { ...answer.headers, Link } };
}

function sessionAnswer(state: Shown, access: DashboardAccess, request: LocalRequest): LocalAnswer {
  const cookie = access.pages.sessions.renew(request.headers, request.now);
  return {
    kind: "json",
    body: sessionOf(state, access, request),
    ...(cookie === null ? {} : { headers: { "Set-Cookie": cookie } }),
  };
}

/** Response of `GET /local/v1/session`. `house` is absent if the caller may not read. */
export type SessionAnswer = ValueOf<typeof session>;

function sessionOf(state: Shown, { pages, editor, canSetUp }: DashboardAccess, request: LocalRequest): SessionAnswer {
  const { headers, now } = request;
  const key = pages.signedIn(request);
  const mayRead = key !== null || pages.mode === "open";
  return {
    mode: pages.mode,
    signed_in: key !== null,
    key: key?.name ?? null,
    control: key?.control ?? false,
    can_save: !editor.isInvented,
    can_set_up: canSetUp,
    // A user who is logged in through Home Assistant logs out there.
    can_log_out: pages.sessions.keyOf(headers, now) !== null,
    ...(mayRead ? { house: houseOf(state) } : {}),
    now: formatInstant(now),
  };
}

/** Returns the homes, then the places, so that the page needs no further request for them. Places have only prices. */
function houseOf({ homes, places }: Shown) {
  const known = homes.list();
  const priced = places.list(homes.ids);
  return {
    version: VERSION,
    time_zone: SERVICE_ZONE,
    homes: [
      ...known.map(({ id, name, addressId, resolution }) => ({
        id,
        name,
        address_id: addressId,
        resolution,
        capabilities: homes.address(addressId)?.capabilities ?? null,
      })),
      ...priced.map(({ place: { id, name } }) => ({
        id,
        name,
        address_id: null,
        resolution: null,
        capabilities: null,
      })),
    ],
  };
}

/** Starts a session. The key is checked like that of any request, including login throttle and quota. */
function logIn({ keys, pages }: DashboardAccess, request: LocalRequest): LocalAnswer {
  const { headers, now, remoteAddress, body } = request;
  if (!fromOwnPage(headers)) return fromElsewhere();
  const given = typeof body === "object" && body !== null && "key" in body ? body.key : null;
  if (typeof given !== "string" || !SESSION_KEY_PATTERN.test(given))
    return localError("invalid_parameter", 'send the key as { "key": "…" }');
  const authorization = `Bearer ${given}`;
  const admission = keys.admit({ permission: "read", authorization, remoteAddress, headers, now });
  if (admission.kind === "refused") return admission.error;
  const key = keys.named(admission.caller ?? "");
  if (!key) return localError("invalid_token", "unknown API key");
  return {
    kind: "json",
    body: { signed_in: true, key: key.name, control: key.control ?? false },
    headers: { "Set-Cookie": pages.sessions.begin(key, headers, now) },
  };
}

function fromElsewhere(): LocalAnswer {
  return localError("forbidden", `this is for the dashboard's own page, which sends ${PAGE_HEADER}`);
}
