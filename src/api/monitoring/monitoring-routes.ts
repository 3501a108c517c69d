/** Endpoints for events, health, metrics, system report and diagnostics. */

import { languageOf } from "../../core/language/language.ts";
import { message } from "../../core/language/text.ts";
import { VERSION } from "../../core/status/version.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import { addressGroup } from "../../http/guards/address-group.ts";
import type { LocalAnswer } from "../../http/response.ts";
import type { LocalRequest, LocalRoute } from "../../http/route.ts";
import { languages } from "../../i18n/languages.ts";
import type { ApiDeps } from "../deps.ts";
import { endpointFor } from "../endpoint.ts";
import { routesOf } from "../endpoint-routes.ts";
import { eventRows } from "../event-source.ts";
import { textSchema } from "../openapi/openapi-parts.ts";
import { homeAs } from "../parameters.ts";
import { anyObject } from "../schema.ts";
import { daemonRecord } from "./daemon-record.ts";
import { diagnosticsReport } from "./diagnostics.ts";
import { type HealthReport, healthBody, healthOf } from "./health.ts";
import { allMetrics, metricRows } from "./metrics.ts";
import { health as healthSchema, system } from "./monitoring-schemas.ts";
import { METRICS_TYPE } from "./prometheus-text.ts";
import { systemReport } from "./system-report.ts";

/** Value of `Retry-After` if there are too many event streams. */
const FULL_RETRY_SEC = 30;
/** Headers that prevent buffering by proxies and by Home Assistant's ingress. */
const STREAM_HEADERS = { "X-Accel-Buffering": "no", "Cache-Control": "private, no-store, no-transform" };

export interface MonitoringSource extends ApiDeps {
  readonly health: () => Promise<HealthReport>;
}

const monitoring = endpointFor<MonitoringSource>();
const inLanguage = {
  about: `Language of \`advice\` and \`detail\` of the problems: ${languages.join(", ")}; by default the configured one.`,
};

export const monitoringEndpoints = [
  monitoring("GET /events", "getEvents", "read", {
    summary: "Changes as server-sent events, after the current state or the events missed since Last-Event-ID.",
    about: `The stream. Each event has an \`id\` and JSON as \`data\`. First \`hello\` (\`version\`, \`started_at\`, \`resumed\`), then the current state or the events missed since the \`Last-Event-ID\`, then \`ready\`; after that, changes. ${eventRows
      .map(({ type, about }) => `\`${type}\`: ${about}.`)
      .join(" ")} \`data\`: \`home\`, \`series\`, \`unit\`: the rows of a series have changed.`,
    media: { "text/event-stream": textSchema },
    params: { home: homeAs("Only events of this home and events without a home.") },
    headers: { "Last-Event-ID": { about: "The last `id` received; a browser sends it by itself." } },
    errors: ["invalid_parameter", "resource_not_found"],
    run: (source, { home }, request) => listening(source, home, request),
  }),
  monitoring("GET /healthz", "getHealth", "optional", {
    ...healthFacts("elbro does not work fully; the checks have the reason."),
    summary:
      "200 if the loops run, the database can be written and the current price is known; otherwise 503 with the reason.",
    run: ({ health }, _params, { caller }) => healthAnswer(health, caller, ({ status }) => status !== "unhealthy"),
  }),
  monitoring("GET /livez", "getLiveness", "optional", {
    ...healthFacts("A restart could help."),
    summary: "503 only if a restart could help. For programs that restart the daemon automatically.",
    run: ({ health }, _params, { caller }) => healthAnswer(health, caller, ({ lives }) => lives),
  }),
  monitoring("GET /metrics", "getMetrics", "read", {
    summary: "Metrics of homes and daemon for Prometheus.",
    about: `${metricRows.length} metrics, listed in docs/monitoring.md.`,
    media: { [METRICS_TYPE]: textSchema },
    async run(source, _params, { now }) {
      return { kind: "text", type: METRICS_TYPE, text: await allMetrics(source, await source.health(), now) };
    },
  }),
  monitoring("GET /local/v1/system", "getSystem", "read", {
    summary: "Quota, requests, ages, broker, plugs, versions and problems of the daemon.",
    about: "The full report.",
    headers: { "Accept-Language": inLanguage },
    answer: system,
    async run(source, _params, { now, headers }) {
      const language = languageOf(headers["accept-language"], source.config.language);
      const record = await daemonRecord(source, await source.health(), now);
      return { kind: "json", body: systemReport(record, source.config, language) };
    },
  }),
  monitoring("GET /local/v1/diagnostics", "getDiagnostics", "read", {
    summary: "Report as a file that can be shared: without secrets and addresses.",
    about: "The same report with the configuration, without secrets, names and places, for sharing.",
    answer: () => anyObject,
    async run(source, _params, { now }) {
      const report = await diagnosticsReport(source, await source.health(), now);
      const name = `elbro-diagnostics-${new Date(now).toISOString().slice(0, 10)}.json`;
      return {
        kind: "text",
        type: "application/json",
        text: `${JSON.stringify(report, null, 2)}\n`,
        headers: { "Content-Disposition": `attachment; filename="${name}"` },
      };
    },
  }),
];

export function monitoringRoutes(deps: ApiDeps): readonly LocalRoute[] {
  return routesOf(monitoringEndpoints, { ...deps, health: healthOf(deps) });
}

function healthFacts(bad: string) {
  return {
    about: "elbro is healthy.",
    answer: healthSchema,
    statuses: { 503: { about: bad, schema: healthSchema } },
  } as const;
}

async function healthAnswer(
  health: MonitoringSource["health"],
  caller: string | null,
  isWell: (report: HealthReport) => boolean,
) {
  const report = await health();
  const body = { ...healthBody(report, caller !== null), version: VERSION };
  return { kind: "json" as const, status: isWell(report) ? 200 : 503, body };
}

/** Returns an error for an unknown home or place; null if it is known, or if no home is known yet. */
function unknownHome({ homes, places }: ApiDeps["state"], home: string, now: EpochMs): LocalError | null {
  const ids = homes.list().map(({ id }) => id);
  const known = [...ids, ...places.snapshots(now, new Set(ids)).map(({ place }) => place.id)];
  if (ids.length === 0 || known.includes(home)) return null;
  return localError("resource_not_found", message("refused.unknown_home", { id: home, ids: known.join(", ") }));
}

async function listening(
  { state, events }: ApiDeps,
  home: string | null,
  { headers, isStillAuthorized, now, caller, remoteAddress }: Omit<LocalRequest, "body">,
): Promise<Exclude<LocalAnswer, { kind: "json" }>> {
  const unknown = home === null ? null : unknownHome(state, home, now);
  if (unknown) return unknown;
  const from = [`key ${caller}`, addressGroup(remoteAddress)];
  if (!events.hub.hasRoomFor(from)) return localError("rate_limited", message("refused.many_streams"), FULL_RETRY_SEC);
  const last = headers["last-event-id"];
  return {
    kind: "stream",
    type: "text/event-stream; charset=utf-8",
    headers: STREAM_HEADERS,
    write: (out) =>
      events.subscribe(out, { lastEventId: typeof last === "string" ? last : null, home, isStillAuthorized, from }),
  };
}
