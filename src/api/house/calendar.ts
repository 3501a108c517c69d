/** Endpoints of the calendar feed of a home: its runs and cheapest hours, for programs that subscribe to a URL. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { message, sayIn } from "../../core/language/text.ts";
import { type CalendarEvent, icalendar } from "../../core/text/icalendar.ts";
import { twoDecimals } from "../../core/text/rounding.ts";
import { formatInstant } from "../../core/time/interval.ts";
import { localError } from "../../http/errors.ts";
import { CALENDAR_SETTINGS } from "../../storage/recovery/access-settings.ts";
import { keyDigest } from "../auth/api-keys.ts";
import { endpoint, HOME_ERRORS } from "../endpoint.ts";
import { lanUrls } from "../lan-urls.ts";
import * as parameter from "../parameters.ts";
import * as s from "../schema.ts";
import { type LocalSource, type PriceView, viewNamed } from "./local-source.ts";

const TOKEN_BYTES = 32;
const home = parameter.homeAs("The id of a home; optional if there is only one.");
// In the path, because the pipeline refuses keys in a query.
const token = parameter.required(
  parameter.feedToken,
  "The token of the feed. It gives access to nothing else.",
  "4Jx0u0cW3bIbm2Dm0m8m2vB1kQ9o0vWmQe3mJm0m8m0",
);

export const calendarEndpoints = [
  endpoint("GET /local/v1/calendar/:home/:token/elbro.ics", "getCalendar", "open", {
    summary: "Runs of plans and cheapest hours of a home as iCalendar. Needs the token of the feed instead of a key.",
    params: { home: parameter.homeInPath, token },
    media: { "text/calendar": { type: "string" } },
    errors: [...HOME_ERRORS, "forbidden"],
    example: "/local/v1/calendar/home/4Jx0u0cW3bIbm2Dm0m8m2vB1kQ9o0vWmQe3mJm0m8m0/elbro.ics",
    run(source, params, { now }) {
      const view = viewNamed(source, params.home, now);
      // The same answer for an unknown home, so that it tells nothing without a token.
      if (view.kind === "error" || !isToken(source, view.id, params.token))
        return localError("forbidden", message("refused.no_feed"));
      const feed = icalendar(`elbro ${view.name}`, eventsOf(source, view), now);
      return { kind: "text", text: feed, type: "text/calendar; charset=utf-8" };
    },
  }),
  endpoint("POST /local/v1/calendar", "createCalendar", "control", {
    summary: "Makes a new URL of the calendar feed of a home. The URL before it stops working.",
    params: { home },
    answer: () =>
      s.namedObject("CalendarFeed", {
        path: s.described(s.text, "Path of the feed; its token is shown only here."),
        urls: s.described(s.list(s.text), "URLs of this machine with the path."),
      }),
    errors: HOME_ERRORS,
    example: "/local/v1/calendar?home=home",
    run(source, params, { now }) {
      const view = viewNamed(source, params.home, now);
      if (view.kind === "error") return view;
      const made = randomBytes(TOKEN_BYTES).toString("base64url");
      source.storage.settings.write(nameOf(view.id), Buffer.from(keyDigest(made)).toString("base64url"));
      const path = `/local/v1/calendar/${view.id}/${made}/elbro.ics`;
      const urls = lanUrls(source.config.api).map((url) => url.replace(/\/$/, "") + path);
      return { kind: "json", body: { path, urls } };
    },
  }),
  endpoint("DELETE /local/v1/calendar", "revokeCalendar", "control", {
    summary: "Revokes the URL of the calendar feed of a home.",
    params: { home },
    answer: () => s.namedObject("CalendarRevoked", { revoked: s.boolean }),
    errors: HOME_ERRORS,
    example: "/local/v1/calendar?home=home",
    run(source, params, { now }) {
      const view = viewNamed(source, params.home, now);
      if (view.kind === "error") return view;
      const revoked = (source.storage.settings.read(nameOf(view.id)) ?? "") !== "";
      if (revoked) source.storage.settings.write(nameOf(view.id), "");
      return { kind: "json", body: { revoked } };
    },
  }),
];

/** Returns the storage key of a feed: the digest of its token, or an empty text after it was revoked. */
function nameOf(home: string): string {
  return CALENDAR_SETTINGS + home;
}

function isToken(source: LocalSource, home: string, sent: string): boolean {
  const stored = Buffer.from(source.storage.settings.read(nameOf(home)) ?? "", "base64url");
  const found = keyDigest(sent);
  return stored.length === found.length && timingSafeEqual(stored, found);
}

function eventsOf(source: LocalSource, { id, snapshot }: PriceView): CalendarEvent[] {
  const say = sayIn(source.config.language);
  const runs = source.plans.snapshots
    .filter(({ definition }) => definition.home === id)
    .flatMap(({ definition, runs: all, reason, provisional }) =>
      all.map(({ start, end, begun }) => ({
        id: `${definition.id}-${formatInstant(start)}@elbro`,
        start,
        end,
        summary: provisional && !begun ? say("plan.probably", { plan: definition.name }) : definition.name,
        description: reason.text,
      })),
    );
  const currency = snapshot.currency ?? "";
  const cheapest = snapshot.cheapest().map(({ hours, start, end, mean }) => ({
    id: `${id}-cheapest-${hours}@elbro`,
    start,
    end,
    summary: hours === 1 ? say("note.cheapest_hour") : say("note.cheapest_hours", { hours }),
    description: `${twoDecimals(mean)} ${currency}/kWh`,
  }));
  return [...runs, ...cheapest];
}
