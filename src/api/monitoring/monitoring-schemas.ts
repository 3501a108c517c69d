/** OpenAPI schemas of health and system report, by name. */
import {
  boolean,
  instant,
  integer,
  list,
  named,
  number,
  object,
  orNull,
  reference,
  type Schema,
  text,
} from "../../http/json-schema.ts";
import { healthCodes } from "./health.ts";

const healthCheck = {
  ...object({ ok: boolean, code: named("HealthCode", { type: "string", enum: Object.keys(healthCodes) }), text }),
  description: Object.entries(healthCodes)
    .map(([code, meaning]) => `\`${code}\`: ${meaning}.`)
    .join(" "),
};

const healthProperties = {
  status: named("HealthStatus", { type: "string", enum: ["ok", "starting", "degraded", "unhealthy"] }),
  checks: named(
    "HealthChecks",
    object(
      Object.fromEntries(
        ["loop", "database", "prices", "clock", "problems"].map((name) => [name, reference("schemas", "HealthCheck")]),
      ),
    ),
  ),
};

const problem = named(
  "Problem",
  object({
    code: text,
    subject: text,
    since: instant,
    ended_at: orNull(instant),
    advice: text,
    detail: text,
    request_id: orNull(text),
  }),
);

const window = orNull(named("QuotaWindow", object({ limit: integer, left: integer, resets_at: orNull(instant) })));
const counts = named("Counts", { type: "object", additionalProperties: integer });

const system = object({
  version: text,
  node: text,
  now: instant,
  started_at: instant,
  uptime_seconds: integer,
  time_trusted: boolean,
  health: named("HealthSummary", object(healthProperties)),
  interfaces: list(
    named(
      "Interface",
      object({
        account: text,
        interface: orNull({ type: "string", enum: ["consumer", "third_party"] }),
        state: orNull(text),
        quota: named("Quota", object({ minute: window, day: window })),
        today: named("RequestsToday", object({ requests: orNull(integer), by_share: counts, by_outcome: counts })),
        since_start: list(named("RequestCounter", object({ operation: text, outcome: text, count: integer }))),
      }),
    ),
  ),
  series: list(
    named(
      "SeriesAge",
      object({
        home: orNull(text),
        name: orNull(text),
        account: text,
        series: text,
        last_success_at: orNull(instant),
        age_seconds: orNull(integer),
      }),
    ),
  ),
  backfill: orNull(named("Backfill", object({ days_known: integer, days_wanted: integer }))),
  broker: named(
    "BrokerState",
    object({
      kind: { type: "string", enum: ["inside", "configured"] },
      host: orNull(text),
      connected: boolean,
      trouble: orNull(text),
      connections: integer,
      published: integer,
    }),
  ),
  plugs: list({ type: "object", description: "`id`, and what the topic `…/plug/<plug>/state` holds." }),
  lan: named(
    "LanState",
    object({
      listeners: integer,
      requests: list(named("LanRequestCounter", object({ key: orNull(text), status: integer, count: integer }))),
    }),
  ),
  database: named("DatabaseState", object({ bytes: integer, log_bytes: orNull(integer), row_changes: integer })),
  memory: { type: "object", additionalProperties: number },
  problems: list(problem),
});

export const monitoringSchemas: Readonly<Record<string, Schema>> = {
  HealthCheck: healthCheck,
  Health: object({ ...healthProperties, version: text }),
  System: system,
};
