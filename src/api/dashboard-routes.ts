/** Endpoints of the dashboard at `/`: its files and its sessions. */

import { existsSync } from "node:fs";
import path from "node:path";
import { message } from "../core/language/text.ts";
import { VERSION } from "../core/status/version.ts";
import { SERVICE_ZONE } from "../core/time/calendar.ts";
import { formatInstant } from "../core/time/interval.ts";
import { localError } from "../http/errors.ts";
import { pageHeaders } from "../http/guards/security-headers.ts";
import type { LocalRequest, LocalRoute } from "../http/route.ts";
import { filesIn, pageHandlers } from "../http/static-files.ts";
import { capabilities, resolutions } from "../service/contract/resources.ts";
import type { ApiKeys } from "./auth/api-keys.ts";
import { fromElsewhere, fromOwnPage, type SessionAuth } from "./auth/session-auth.ts";
import type { ApiDeps } from "./deps.ts";
import { endpointFor } from "./endpoint.ts";
import { routesOf } from "./endpoint-routes.ts";
import { assetFacts, FROM_PAGE, HTML, reference } from "./openapi/openapi-parts.ts";
import * as s from "./schema.ts";
import { isOnThisMachine } from "./setup/setup-access.ts";

/** Form of a key. Any other text is rejected without a check. */
const SESSION_KEY_PATTERN = /^\S{1,512}$/;

const houseHome = () =>
  s.object({
    id: s.text,
    name: s.text,
    address_id: s.orNull(s.text),
    address: s.described(
      s.orNull(s.text),
      "The whole address, which tells flats of one street apart; null for a place.",
    ),
    resolution: s.orNull(s.named("Resolution", s.oneOf(resolutions))),
    // The schema of the contract has this name, too.
    capabilities: s.orNull(s.noted(capabilities, reference("schemas", "Capabilities"))),
  });
const house = () => s.object({ version: s.text, time_zone: s.text, homes: s.list(s.named("HouseHome", houseHome())) });

const session = () =>
  s.namedObject("Session", {
    mode: s.oneOf(["open", "key"]),
    signed_in: s.boolean,
    key: s.orNull(s.text),
    control: s.boolean,
    admin: s.described(s.boolean, "Whether connections can be changed."),
    can_save: s.described(s.boolean, "Whether plans and plugs can be saved; not in the demo."),
    can_set_up: s.described(s.boolean, "Whether `/local/v1/setup` can replace the demo by your own home."),
    demo_key: s.optional(s.described(s.text, "Key with which the page of a demo on this machine opens by itself.")),
    can_log_out: s.boolean,
    page_digest: s.described(
      s.orNull(s.text),
      "Digest of the page's files. A page whose scripts have another one is outdated. Null if the page is not built.",
    ),
    house: s.optional(s.described(s.named("House", house()), "Only if the caller may read.")),
    now: s.instant,
  });

const login = () =>
  s.namedObject("Login", {
    key: s.noted(s.text, { pattern: SESSION_KEY_PATTERN.source }),
    instead_of: s.optional(
      s.described(s.text, "Name of the key whose session ends. Required if the browser is logged in with another key."),
    ),
  });
const loggedIn = () => s.namedObject("LoggedIn", { signed_in: s.boolean, key: s.text, control: s.boolean });
const loggedOut = () => s.namedObject("LoggedOut", { signed_in: s.boolean });

/** Folder of the dashboard's files: next to the built program, or `dist/dashboard` if the source code runs. */
const FOLDER = path.join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? "../../dist" : "", "dashboard");

interface DashboardSource extends ApiDeps, Pick<ReturnType<typeof pageHandlers>, "page" | "asset"> {
  /** Returns the digest of the page's files; null if the page is not built. */
  readonly digest: () => string | null;
  readonly keys: ApiKeys;
  readonly pages: SessionAuth;
}

const dashboard = endpointFor<DashboardSource>();
const withCookie = { "Set-Cookie": "The session `elbro_session`." };

export const dashboardEndpoints = [
  dashboard("GET /", "getDashboard", "open", {
    summary: "The dashboard.",
    about: "The page.",
    media: HTML,
    run: async (source, _params, request) => withPreloads(await source.page(request), source, request),
  }),
  dashboard("GET /assets/:digest/:name", "getDashboardAsset", "open", {
    ...assetFacts,
    summary: "A file of the dashboard.",
    example: "/assets/0123456789abcdef/app.js",
    run: ({ asset }, _params, request) => asset(request),
  }),
  dashboard("GET /local/v1/session", "getSession", "open", {
    summary: "The session of the dashboard and its permissions.",
    about: "The session.",
    answer: session,
    run(source, _params, request) {
      const cookie = source.pages.sessions.renew(request.headers, request.now);
      const headers = cookie === null ? {} : { headers: { "Set-Cookie": cookie } };
      const admin = source.pages.isAdmin(request);
      return { kind: "json", body: { ...sessionOf(source, request), admin }, ...headers };
    },
  }),
  dashboard("POST /local/v1/session", "logIn", "open", {
    summary: "Logs in with an API key and starts a session with a cookie.",
    about: "The session has begun.",
    headers: FROM_PAGE,
    body: { schema: login, example: { key: "a-key-of-api.keys" }, isCheckedByRun: true },
    answer: loggedIn,
    answerHeaders: withCookie,
    errors: ["invalid_parameter", "invalid_token", "forbidden", "conflict", "rate_limited"],
    run: (source, _params, request) => logIn(source, request),
  }),
  dashboard("POST /local/v1/session/end", "logOut", "open", {
    summary: "Logs out: ends the session.",
    about: "The session has ended.",
    headers: FROM_PAGE,
    answer: loggedOut,
    answerHeaders: withCookie,
    errors: ["forbidden"],
    refusal: (_source, { headers }) => (fromOwnPage(headers) ? null : fromElsewhere()),
    run: ({ pages }, _params, { headers }) => ({
      kind: "json",
      body: { signed_in: false },
      headers: { "Set-Cookie": pages.sessions.end(headers) },
    }),
  }),
];

export function dashboardRoutes(deps: ApiDeps, keys: ApiKeys, pages: SessionAuth): readonly LocalRoute[] {
  const headers = pageHeaders(deps.config.api.frame_ancestors ?? []);
  const handlers = pageHandlers(() => filesIn(FOLDER), "refused.no_dashboard_file", headers);
  const digest = existsSync(FOLDER) ? handlers.digest : () => null;
  return routesOf(dashboardEndpoints, { ...deps, ...handlers, digest, keys, pages });
}

/** Adds a `Link` header, so that a browser that may read requests the data of the first view before the scripts run. */
function withPreloads(answer: PageAnswer, source: DashboardSource, request: PageRequest): PageAnswer {
  const [home] = sessionOf(source, request).house?.homes ?? [];
  if (!home || answer.kind === "error") return answer;
  const data = [`local/v1/prices?home=${home.id}`, "local/v1/plans"];
  const Link = data.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`).join(", ");
  return { ...answer, headers: { ...answer.headers, Link } };
}

type PageRequest = Omit<LocalRequest, "body">;
type PageAnswer = Awaited<ReturnType<DashboardSource["page"]>>;

/** Response of `GET /local/v1/session`. `house` is absent if the caller may not read. */
export type SessionAnswer = s.ValueOf<typeof session>;

function sessionOf(
  { state, pages, editor, setup, digest }: DashboardSource,
  request: PageRequest,
): Omit<SessionAnswer, "admin"> {
  const { headers, now } = request;
  const key = pages.signedIn(request);
  const mayRead = key !== null || pages.mode === "open";
  return {
    mode: pages.mode,
    signed_in: key !== null,
    key: key?.name ?? null,
    control: key?.control ?? false,
    can_save: !editor.isInvented,
    can_set_up: setup !== null,
    ...(setup?.demoKey && isOnThisMachine(request) ? { demo_key: setup.demoKey } : {}),
    // A user who is logged in through Home Assistant logs out there.
    can_log_out: pages.sessions.keyOf(headers, now) !== null,
    page_digest: digest(),
    ...(mayRead ? { house: houseOf(state) } : {}),
    now: formatInstant(now),
  };
}

const NO_HOME = { address_id: null, address: null, resolution: null, capabilities: null };

/** Returns the homes, then the places, so that the page needs no further request for them. Places have only prices. */
function houseOf({ homes, places }: ApiDeps["state"]) {
  return {
    version: VERSION,
    time_zone: SERVICE_ZONE,
    homes: [
      ...homes.list().map(({ id, name, addressId, resolution }) => {
        const { formattedAddress: address = null, capabilities = null } = homes.address(addressId) ?? {};
        return { id, name, address_id: addressId, address, resolution, capabilities };
      }),
      ...places.list(homes.ids).map(({ place: { id, name } }) => ({ id, name, ...NO_HOME })),
    ],
  };
}

/** Starts a session. The key is checked like that of any request, including login throttle and quota. */
function logIn({ keys, pages }: DashboardSource, { headers, now, remoteAddress, body }: LocalRequest) {
  if (!fromOwnPage(headers)) return fromElsewhere();
  const reading = login().safeParse(body);
  if (!reading.success || !SESSION_KEY_PATTERN.test(reading.data.key))
    return localError("invalid_parameter", message("refused.log_in_body", { example: '{ "key": "…" }' }));
  const authorization = `Bearer ${reading.data.key}`;
  const admission = keys.admit({ permission: "read", authorization, remoteAddress, headers, now });
  if (admission.kind === "refused") return admission.error;
  const key = keys.sent(authorization);
  if (!key) return localError("invalid_token", message("refused.unknown_key"));
  const present = pages.sessions.keyOf(headers, now)?.name ?? key.name;
  if (present !== key.name && present !== reading.data.instead_of)
    return localError("conflict", message("refused.other_session", { name: present }));
  return {
    kind: "json" as const,
    body: { signed_in: true, key: key.name, control: key.control ?? false },
    headers: { "Set-Cookie": pages.sessions.begin(key, headers, now) },
  };
}
