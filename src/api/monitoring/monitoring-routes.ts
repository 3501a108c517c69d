/** Routes for events, health, metrics, system report and diagnostics. */

import { languageOf } from "../../core/language/language.ts";
import { VERSION } from "../../core/status/version.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { addressGroup } from "../../http/address-group.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import type { LocalAnswer } from "../../http/response.ts";
import type { LocalRequest, LocalRoute } from "../../http/route.ts";
import { inSlices } from "../../state/slices.ts";
import { eventRows } from "../event-source.ts";
import { type Json, jsonResponse, text } from "../openapi/operation.ts";
import { diagnosticsReport } from "./diagnostics.ts";
import { Health, type HealthReport, healthBody } from "./health.ts";
import { metricRows, readMetrics } from "./metrics.ts";
import type { MonitoringDeps } from "./monitoring-deps.ts";
import { health as healthSchema, system } from "./monitoring-schemas.ts";
import { METRICS_TYPE, metricsText } from "./prometheus-text.ts";
import { systemReport } from "./system-report.ts";

/** Value of `Retry-After` if there are too many event streams. */
const FULL_RETRY_SEC = 30;
/** Headers that prevent buffering by proxies and by Home Assistant's ingress. */
const STREAM_HEADERS = { "X-Accel-Buffering": "no", "Cache-Control": "private, no-store, no-transform" };

/** Returns the monitoring routes. */
export function monitoringRoutes(deps: MonitoringDeps): readonly LocalRoute[] {
  const health = new Health(deps);
  const healthAnswer = async (caller: string | null, isWell: (report: HealthReport) => boolean) => {
    const report = await health.report();
    const body = { ...healthBody(report, caller !== null), version: VERSION };
    return { kind: "json" as const, status: isWell(report) ? 200 : 503, body };
  };
  return [
    {
      method: "GET",
      path: "/events",
      scope: "read",
      summary: "Changes as server-sent events, after the current state or the events missed since Last-Event-ID.",
      openApi: () => ({
        operationId: "getEvents",
        description: `Server-sent events, each with an \`id\` and JSON as \`data\`. First \`hello\` (\`version\`, \`started_at\`, \`resumed\`), then the current state or the events missed since the \`Last-Event-ID\`, then \`ready\`; after that, changes. ${eventRows
          .map(({ type, about }) => `\`${type}\`: ${about}.`)
          .join(" ")} \`data\`: \`home\`, \`series\`, \`unit\`: the rows of a series have changed.`,
        parameters: [
          {
            name: "home",
            in: "query",
            required: false,
            description: "Only events of this home and events without a home.",
            schema: text,
          },
          {
            name: "Last-Event-ID",
            in: "header",
            required: false,
            description: "The last `id` received; a browser sends it by itself.",
            schema: text,
          },
        ],
        responses: { 200: { description: "The stream.", content: { "text/event-stream": { schema: text } } } },
      }),
      handle: (request) => listening(deps, request),
    },
    {
      method: "GET",
      path: "/healthz",
      scope: "optional",
      summary:
        "200 if the loops run, the database can be written and the current price is known; otherwise 503 with the reason.",
      openApi: () => healthResponses("getHealth", "elbro does not work fully; the checks have the reason."),
      handle: ({ caller }) => healthAnswer(caller, ({ serves }) => serves),
    },
    {
      method: "GET",
      path: "/livez",
      scope: "optional",
      summary: "503 only if a restart could help. For programs that restart the daemon automatically.",
      openApi: () => healthResponses("getLiveness", "A restart could help."),
      handle: ({ caller }) => healthAnswer(caller, ({ lives }) => lives),
    },
    {
      method: "GET",
      path: "/metrics",
      scope: "read",
      summary: "Metrics of homes and daemon for Prometheus.",
      openApi: () => ({
        operationId: "getMetrics",
        responses: {
          200: {
            description: `${metricRows.length} metrics, listed in docs/monitoring.md.`,
            content: { [METRICS_TYPE]: { schema: text } },
          },
        },
      }),
      handle: async ({ now }) => {
        const families = await readMetrics(deps, await health.report(), now);
        const texts: string[] = [];
        await inSlices(families, (family) => void texts.push(metricsText([family])));
        return { kind: "text", type: METRICS_TYPE, text: texts.join("") };
      },
    },
    {
      method: "GET",
      path: "/local/v1/system",
      scope: "read",
      summary: "Quota, requests, ages, broker, plugs, versions and problems of the daemon.",
      openApi: () => ({
        operationId: "getSystem",
        parameters: [
          {
            name: "Accept-Language",
            in: "header",
            required: false,
            description:
              "Language of `advice` and `detail` of the problems: `en`, `da`, `sv` or `nb`; by default the configured one.",
            schema: text,
          },
        ],
        responses: { 200: jsonResponse("The full report.", system()) },
      }),
      handle: async ({ now, headers }) => {
        const language = languageOf(headers["accept-language"], deps.config.language);
        return { kind: "json", body: await systemReport(deps, await health.report(), now, language) };
      },
    },
    {
      method: "GET",
      path: "/local/v1/diagnostics",
      scope: "read",
      summary: "Report as a file that can be shared: without secrets and addresses.",
      openApi: () => ({
        operationId: "getDiagnostics",
        responses: {
          200: jsonResponse("The same report with the configuration, without secrets, names and places, for sharing.", {
            type: "object",
          }),
        },
      }),
      handle: async ({ now }) => {
        const report = await diagnosticsReport(deps, await health.report(), now);
        const name = `elbro-diagnostics-${new Date(now).toISOString().slice(0, 10)}.json`;
        return {
          kind: "text",
          type: "application/json",
          text: `${JSON.stringify(report, null, 2)}\n`,
          headers: { "Content-Disposition": `attachment; filename="${name}"` },
        };
      },
    },
  ];
}

function healthResponses(operationId: string, bad: string): Json {
  const schema = healthSchema();
  return { operationId, responses: { 200: jsonResponse("elbro is healthy.", schema), 503: jsonResponse(bad, schema) } };
}

/** Returns an error for an unknown home or place; null if it is known, or if no home is known yet. */
function unknownHome({ homes, places }: MonitoringDeps["state"], home: string, now: EpochMs): LocalError | null {
  const ids = homes.list().map(({ id }) => id);
  const known = [...ids, ...places.snapshots(now, new Set(ids)).map(({ place }) => place.id)];
  if (ids.length === 0 || known.includes(home)) return null;
  return localError("resource_not_found", `unknown home "${home.slice(0, 40)}"; expected ${known.join(", ")}`);
}

async function listening(
  { state, events }: MonitoringDeps,
  { query, headers, isStillAuthorized, now, caller, remoteAddress }: LocalRequest,
): Promise<LocalAnswer> {
  const home = query.get("home");
  const unknown = home === null ? null : unknownHome(state, home, now);
  if (unknown) return unknown;
  const from = [`key ${caller}`, addressGroup(remoteAddress)];
  if (!events.hub.hasRoomFor(from))
    return {
      ...localError("rate_limited", "too many event-stream clients; try again later"),
      retryAfterSec: FULL_RETRY_SEC,
    };
  const last = headers["last-event-id"];
  return {
    kind: "stream",
    type: "text/event-stream; charset=utf-8",
    headers: STREAM_HEADERS,
    write: (out) =>
      events.subscribe(out, { lastEventId: typeof last === "string" ? last : null, home, isStillAuthorized, from }),
  };
}
