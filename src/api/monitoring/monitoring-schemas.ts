/** Schemas of health and system report. */
import { plugStateFields } from "../house/plugs.ts";
import * as s from "../schema.ts";

export const healthCodes = {
  ok: "the check passed",
  loop_stuck: "a loop of the daemon is overdue; restart elbro",
  database_not_writing: "the database cannot be written: the disk is full or fails, or the file is missing",
  prices_awaited: "waiting for the first price of a home (up to 10 minutes after a start)",
  prices_missing: "the current price of a home is missing: the service has not been reached for a day or longer",
  prices_estimated: "the current price of a home is an estimate: the confirmed price has not arrived",
  clock_wrong: "the clock of the machine cannot be trusted, so elbro does not switch by price",
  problems: "a problem needs attention; see the list of problems",
} as const;
export type HealthCode = keyof typeof healthCodes;

const check = () =>
  s.noted(
    s.object({
      ok: s.boolean,
      code: s.named("HealthCode", s.oneOf(Object.keys(healthCodes) as (keyof typeof healthCodes)[])),
      text: s.text,
      detail: s.optional(s.described(s.list(s.text), "Findings with names, only for callers with a key.")),
    }),
    {
      title: "HealthCheck",
      description: Object.entries(healthCodes)
        .map(([code, meaning]) => `\`${code}\`: ${meaning}.`)
        .join(" "),
    },
  );
const checks = () => ({ loop: check(), database: check(), prices: check(), clock: check(), problems: check() });
const healthFields = () => ({
  status: s.named("HealthStatus", s.oneOf(["ok", "starting", "degraded", "unhealthy"])),
  checks: s.namedObject("HealthChecks", checks()),
});

export const healthSummary = () => s.namedObject("HealthSummary", healthFields());
export const health = () => s.namedObject("Health", { ...healthFields(), version: s.text });

const problem = () =>
  s.object({
    code: s.text,
    subject: s.text,
    home: s.described(s.orNull(s.text), "Name of the home that it concerns; null for no single one."),
    since: s.instant,
    ended_at: s.orNull(s.instant),
    advice: s.text,
    detail: s.text,
    request_id: s.orNull(s.text),
  });
const window = () =>
  s.orNull(s.namedObject("QuotaWindow", { limit: s.integer, left: s.integer, resets_at: s.orNull(s.instant) }));
const counts = () => s.named("Counts", s.recordOf(s.integer));
const account = () =>
  s.object({
    account: s.text,
    interface: s.orNull(s.oneOf(["consumer", "third_party"])),
    state: s.orNull(s.text),
    quota: s.namedObject("Quota", { minute: window(), day: window() }),
    today: s.namedObject("RequestsToday", { requests: s.orNull(s.integer), by_share: counts(), by_outcome: counts() }),
    since_start: s.list(s.namedObject("RequestCounter", { operation: s.text, outcome: s.text, count: s.integer })),
  });
const series = () =>
  s.object({
    home: s.orNull(s.text),
    name: s.orNull(s.text),
    account: s.text,
    series: s.text,
    last_success_at: s.orNull(s.instant),
    age_seconds: s.orNull(s.integer),
  });
const broker = () =>
  s.object({
    kind: s.oneOf(["inside", "configured"]),
    host: s.orNull(s.text),
    connected: s.boolean,
    trouble: s.orNull(s.text),
    connections: s.integer,
    published: s.integer,
  });
const lanRequests = () => s.object({ key: s.orNull(s.text), status: s.integer, count: s.integer });
const lan = () => s.object({ listeners: s.integer, requests: s.list(s.named("LanRequestCounter", lanRequests())) });
const database = () => s.object({ bytes: s.integer, log_bytes: s.orNull(s.integer), row_changes: s.integer });

const plug = () =>
  s.described(
    s.namedObject("PlugState", { id: s.text, ...plugStateFields() }),
    "`id`, and what the topic `…/plug/<plug>/state` holds.",
  );
const memory = () => ({
  rss_bytes: s.integer,
  heap_used_bytes: s.integer,
  heap_total_bytes: s.integer,
  external_bytes: s.integer,
});

export const system = () =>
  s.namedObject("System", {
    version: s.text,
    node: s.text,
    now: s.instant,
    started_at: s.instant,
    uptime_seconds: s.integer,
    time_trusted: s.boolean,
    health: healthSummary(),
    interfaces: s.list(s.named("Interface", account())),
    series: s.list(s.named("SeriesAge", series())),
    backfill: s.orNull(s.namedObject("Backfill", { days_known: s.integer, days_wanted: s.integer })),
    update: s.described(
      s.orNull(s.namedObject("ReleaseUpdate", { version: s.text, url: s.orNull(s.text), newer: s.boolean })),
      "The newest release; null without `update_feed` and before its first answer.",
    ),
    broker: s.named("BrokerState", broker()),
    plugs: s.list(plug()),
    lan: s.named("LanState", lan()),
    database: s.named("DatabaseState", database()),
    memory: s.namedObject("MemoryState", memory()),
    problems: s.list(s.named("Problem", problem())),
  });
