/** Metrics of the daemon: quota, requests, series ages, broker, LAN, database and process. */

import type { ReportedWindow } from "../../core/status/daemon-status.ts";
import { VERSION } from "../../core/status/version.ts";
import { DAY_MS } from "../../core/time/interval.ts";
import { operationIds, operationOf } from "../../service/contract/operations.ts";
import { type MetricRow, metric, seconds, single } from "./metric.ts";

const interfaceOf = new Map<string, string>(operationIds.map((id) => [id, operationOf(id).interface]));

/** Returns a metric of each account's quota windows. Windows that the service has not reported are omitted. */
function perWindow(name: string, help: string, read: (window: ReportedWindow) => number): MetricRow {
  return metric(name, help, ["account", "window"], ({ interfaces }) =>
    interfaces.flatMap(({ account, quota }) =>
      Object.entries(quota).map(([window, reported]) => [[account, window], reported && read(reported)] as const),
    ),
  );
}

export const daemonMetricRows: readonly MetricRow[] = [
  metric("elbro_build_info", "Always 1; the versions are its labels.", ["version", "node"], () => [
    [[VERSION, process.versions.node], 1],
  ]),
  metric("elbro_health", "1 if a check of /healthz is ok, otherwise 0.", ["check"], ({ health }) =>
    Object.entries(health.checks).map(([name, { code }]) => [[name], Number(code === "ok")]),
  ),
  metric("elbro_problems", "Current problems by code.", ["code"], (daemon) =>
    [...Map.groupBy(daemon.problems, ({ code }) => code)].map(([code, problems]) => [[code], problems.length]),
  ),
  perWindow(
    "elbro_service_quota_limit",
    "Request limit of the service per window, from its last response.",
    ({ limit }) => limit,
  ),
  perWindow(
    "elbro_service_quota_remaining",
    "Remaining requests in the current window, from the last response of the service.",
    ({ left }) => left,
  ),
  metric(
    "elbro_service_requests_today",
    "Requests since midnight UTC by purpose, including those before a restart.",
    ["account", "share"],
    ({ interfaces }) =>
      interfaces.flatMap(({ account, spent }) =>
        Object.entries(spent.byShare).map(([share, value]) => [[account, share], value] as const),
      ),
  ),
  metric(
    "elbro_service_requests_total",
    "Requests to the service since the daemon started; the outcome is ok, a status, or an error.",
    ["account", "interface", "operation", "outcome"],
    ({ asked }) =>
      asked.map(({ labels: [account = "", operation = "", outcome = ""], count }) => [
        [account, interfaceOf.get(operation) ?? "other", operation, outcome],
        count,
      ]),
  ),
  metric(
    "elbro_series_age_seconds",
    "Time since the last response of the service with a series.",
    ["account", "home", "series"],
    ({ series, now }) =>
      series.map(({ account, owner, label, lastSuccessAt }) => [
        [account, owner?.id ?? "", label],
        lastSuccessAt === null ? null : Math.max(0, seconds(now - lastSuccessAt)),
      ]),
  ),
  metric(
    "elbro_backfill_seconds",
    "Length of the stored and of the configured history, over all series.",
    ["part"],
    ({ backfill }) =>
      (["known", "wanted"] as const).map((part) => [[part], backfill && seconds(backfill[part] * DAY_MS)]),
  ),
  single("elbro_mqtt_connected", "Whether the broker is connected.", ({ broker }) => Number(broker.connected)),
  single(
    "elbro_mqtt_connections_total",
    "Successful connections to the broker since the daemon started.",
    ({ broker }) => broker.connections,
  ),
  single(
    "elbro_mqtt_published_messages_total",
    "State messages that the broker has accepted since the daemon started.",
    ({ broker }) => broker.published,
  ),
  metric(
    "elbro_lan_requests_total",
    "Responses of the LAN API since the daemon started, by key and status; the key is empty if none was sent.",
    ["key", "status"],
    ({ answered }) => answered.map(({ labels, count }) => [labels, count]),
  ),
  single("elbro_events_listeners", "Connected clients of /events.", ({ listeners }) => listeners.listeners),
  single(
    "elbro_events_dropped_listeners_total",
    "Clients of /events that were disconnected because they read too slowly.",
    ({ listeners }) => listeners.dropped,
  ),
  single("elbro_database_bytes", "Size of the database.", ({ database }) => database.bytes),
  single(
    "elbro_database_log_bytes",
    "Size of the write-ahead log of the database.",
    ({ database }) => database.logBytes,
  ),
  single(
    "elbro_database_written_rows_total",
    "Rows written to the database since the daemon started.",
    ({ database }) => database.rowChanges,
  ),
  single(
    "elbro_archive_written_rows_total",
    "Rows written to the archive since the daemon started; absent without an archive.",
    ({ archive }) => archive?.rows ?? null,
  ),
  single(
    "elbro_archive_backlog_chunks",
    "Parts of series (mostly days) that are not in the archive yet, counted up to 100,000, during the first copy up to 10,000.",
    ({ archive }) => archive?.count() ?? null,
  ),
  single("elbro_uptime_seconds", "Time since the daemon started.", ({ uptimeMs }) => seconds(uptimeMs)),
  metric(
    "elbro_event_loop_delay_seconds",
    "Delay of the event loop since the last reading.",
    ["quantile"],
    ({ delays }) => [
      [["0.5"], delays.median],
      [["1"], delays.most],
    ],
  ),
  single("process_resident_memory_bytes", "Resident memory of the process.", () => process.memoryUsage.rss()),
  single(
    "nodejs_heap_size_used_bytes",
    "Memory of JavaScript objects in the process.",
    () => process.memoryUsage().heapUsed,
  ),
  single("process_cpu_seconds_total", "CPU time of the process.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }),
];
