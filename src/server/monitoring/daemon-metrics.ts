/** The figures of the daemon: quota, requests, ages, broker, LAN, database and process. */

import { VERSION } from "../../core/status/version.ts";
import type { ReportedWindow } from "../../service/client/account.ts";
import { operationIds, operationOf } from "../../service/contract/operations.ts";
import { type MetricMoment, type MetricRow, seconds } from "./metric.ts";

const interfaceOf = new Map<string, string>(operationIds.map((id) => [id, operationOf(id).interface]));

/** A value per window of each account, as far as the service has told. */
function perWindow(read: (window: ReportedWindow) => number | null): MetricRow["samples"] {
  return ({ accounts }) =>
    accounts.flatMap(({ name, windows }) =>
      (["minute", "day"] as const).map((window) => {
        const told = windows[window];
        return { labels: { account: name, window }, value: told && read(told) };
      }),
    );
}

function one(read: (moment: MetricMoment) => number | null): MetricRow["samples"] {
  return (moment) => [{ value: read(moment) }];
}

/** Every figure of the daemon. */
export const daemonMetricRows: readonly MetricRow[] = [
  {
    name: "elbro_build_info",
    type: "gauge",
    help: "Always 1; the versions are its labels.",
    labels: ["version", "node"],
    samples: () => [{ labels: { version: VERSION, node: process.versions.node }, value: 1 }],
  },
  {
    name: "elbro_health",
    type: "gauge",
    help: "Whether a check of /healthz is all right.",
    labels: ["check"],
    samples: ({ health }) =>
      health.checks.map(({ name, code }) => ({ labels: { check: name }, value: Number(code === "ok") })),
  },
  {
    name: "elbro_problems",
    type: "gauge",
    help: "Problems that last, by their code.",
    labels: ["code"],
    samples: ({ state }) => {
      const counts = new Map<string, number>();
      for (const { code } of state.problems) counts.set(code, (counts.get(code) ?? 0) + 1);
      return [...counts].map(([code, value]) => ({ labels: { code }, value }));
    },
  },
  {
    name: "elbro_service_quota_limit",
    type: "gauge",
    help: "Requests the service takes in a window, as it last told.",
    labels: ["account", "window"],
    samples: perWindow(({ limit }) => limit),
  },
  {
    name: "elbro_service_quota_remaining",
    type: "gauge",
    help: "Requests the service still takes in the present window, as it last told.",
    labels: ["account", "window"],
    samples: perWindow(({ left }) => left),
  },
  {
    name: "elbro_service_requests_today",
    type: "gauge",
    help: "Requests since UTC midnight by what they were for; from the ledger, restarts included.",
    labels: ["account", "share"],
    samples: ({ accounts }) =>
      accounts.flatMap(({ name, spent }) =>
        Object.entries(spent.byShare).map(([share, value]) => ({ labels: { account: name, share }, value })),
      ),
  },
  {
    name: "elbro_service_requests_total",
    type: "counter",
    help: "Requests to the service since the daemon started; the outcome is ok, a status, or what went wrong.",
    labels: ["account", "interface", "operation", "outcome"],
    samples: ({ deps }) =>
      deps.state.stats.asked.list().map(({ labels: [account = "", operation = "", outcome = ""], count }) => ({
        labels: { account, interface: interfaceOf.get(operation) ?? "other", operation, outcome },
        value: count,
      })),
  },
  {
    name: "elbro_series_age_seconds",
    type: "gauge",
    help: "Time since the service last answered with a series.",
    labels: ["account", "home", "series"],
    samples: ({ state, now }) =>
      state.series.map(({ account, owner, label, lastSuccessAt }) => ({
        labels: { account, home: owner?.id ?? "", series: label },
        value: lastSuccessAt === null ? null : Math.max(0, seconds(now - lastSuccessAt)),
      })),
  },
  {
    name: "elbro_backfill_days",
    type: "gauge",
    help: "Days of history, of all series together, that are known and that are wanted.",
    labels: ["part"],
    samples: ({ state: { backfill } }) =>
      backfill
        ? [
            { labels: { part: "known" }, value: backfill.known },
            { labels: { part: "wanted" }, value: backfill.wanted },
          ]
        : [],
  },
  {
    name: "elbro_mqtt_connected",
    type: "gauge",
    help: "Whether the broker is connected.",
    labels: [],
    samples: one(({ deps }) => Number(deps.mqtt.client.status().connected)),
  },
  {
    name: "elbro_mqtt_connections_total",
    type: "counter",
    help: "Connections to the broker that came about since the daemon started.",
    labels: [],
    samples: one(({ deps }) => deps.mqtt.client.status().connections),
  },
  {
    name: "elbro_mqtt_published_messages_total",
    type: "counter",
    help: "States that the broker has taken since the daemon started.",
    labels: [],
    samples: one(({ deps }) => deps.mqtt.client.status().published),
  },
  {
    name: "elbro_lan_requests_total",
    type: "counter",
    help: "Answers of the LAN API since the daemon started, by key and status; the key is empty for who came without.",
    labels: ["key", "status"],
    samples: ({ deps }) =>
      deps.state.stats.answered
        .list()
        .map(({ labels: [key = "", status = ""], count }) => ({ labels: { key, status }, value: count })),
  },
  {
    name: "elbro_events_listeners",
    type: "gauge",
    help: "Who listens to /events.",
    labels: [],
    samples: one(({ deps }) => deps.events.opened?.counts.listeners ?? 0),
  },
  {
    name: "elbro_events_dropped_listeners_total",
    type: "counter",
    help: "Listeners that were sent away because they did not keep up.",
    labels: [],
    samples: one(({ deps }) => deps.events.opened?.counts.dropped ?? 0),
  },
  {
    name: "elbro_database_bytes",
    type: "gauge",
    help: "Size of the database.",
    labels: [],
    samples: one(({ database }) => database.bytes),
  },
  {
    name: "elbro_database_log_bytes",
    type: "gauge",
    help: "Size of the log of what was written last and waits to be folded into the database.",
    labels: [],
    samples: one(({ database }) => database.logBytes),
  },
  {
    name: "elbro_database_written_rows_total",
    type: "counter",
    help: "Rows written to the database since the daemon started.",
    labels: [],
    samples: one(({ database }) => database.rowChanges),
  },
  {
    name: "elbro_uptime_seconds",
    type: "gauge",
    help: "Time since the daemon started.",
    labels: [],
    samples: one(({ deps }) => seconds(deps.clock.monotonicMs() - deps.state.stats.startedMs)),
  },
  {
    name: "elbro_event_loop_delay_seconds",
    type: "gauge",
    help: "How late the event loop came to its work since the last reading.",
    labels: ["quantile"],
    samples: ({ delays }) => [
      { labels: { quantile: "0.5" }, value: delays.median },
      { labels: { quantile: "1" }, value: delays.most },
    ],
  },
  {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Memory of the process.",
    labels: [],
    samples: one(() => process.memoryUsage.rss()),
  },
  {
    name: "nodejs_heap_size_used_bytes",
    type: "gauge",
    help: "Memory of the process that JavaScript objects take.",
    labels: [],
    samples: one(() => process.memoryUsage().heapUsed),
  },
  {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "Time the process has computed.",
    labels: [],
    samples: one(() => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
  },
];
