/** State of the whole daemon: quota, requests, series ages, broker, plugs, versions, and problems with advice. */
import { statSync } from "node:fs";
import type { Config } from "../../config/schema/schema.ts";
import { shares } from "../../core/fetching/rate-limit.ts";
import type { Language } from "../../core/language/language.ts";
import { textIn } from "../../core/language/text.ts";
import type { DaemonState, SeriesFreshness } from "../../core/status/daemon-status.ts";
import { problemIn } from "../../core/status/problem.ts";
import type { PastProblem } from "../../core/status/problem-history.ts";
import { isNewer } from "../../core/status/release-update.ts";
import { VERSION } from "../../core/status/version.ts";
import type { Counter } from "../../core/text/counter.ts";
import { wire } from "../../core/text/wire.ts";
import { DAY_MS, type EpochMs, SECOND_MS } from "../../core/time/interval.ts";
import { publishedPlugState } from "../../mqtt/topics/plug-topics.ts";
import type { Account } from "../../service/client/account.ts";
import type { SeriesRepository } from "../../state/series-repository.ts";
import { inSlices } from "../../state/slices.ts";
import type { ApiDeps } from "../deps.ts";
import type { ValueOf } from "../schema.ts";
import { type HealthReport, healthBody } from "./health.ts";
import type { system } from "./monitoring-schemas.ts";

export type SystemReport = ValueOf<typeof system>;

/** Makes the report in slices. `language` is the language of advice and details. */
export async function systemReport(
  deps: ApiDeps,
  health: HealthReport,
  now: EpochMs,
  language: Language,
): Promise<SystemReport> {
  const { startedAt, stats, isTimeTrusted, accounts, daemonState } = deps.state;
  const state = await daemonState(now);
  const known = new Map(state.interfaces.map((each) => [each.account, each]));
  const asked = Map.groupBy(stats.asked.list(), ({ labels: [account = ""] }) => account);
  const interfaces: InterfaceReport[] = [];
  await inSlices(accounts.all, (account) => {
    const own = { known: known.get(account.name), asked: asked.get(account.name) ?? [] };
    interfaces.push(interfaceReport(deps, account, own, now));
  });
  const series: SeriesAge[] = [];
  await inSlices(state.series, (each) => void series.push(seriesAge(each, now)));
  return {
    ...wire({
      version: VERSION,
      node: process.versions.node,
      now,
      startedAt,
      uptimeSeconds: Math.floor((deps.clock.monotonicMs() - stats.startedMs) / SECOND_MS),
      timeTrusted: isTimeTrusted(now),
    }),
    health: healthBody(health, true),
    interfaces,
    series,
    backfill: state.backfill && { days_known: state.backfill.known, days_wanted: state.backfill.wanted },
    update: state.update && { ...state.update, newer: isNewer(state.update.version, VERSION) },
    broker: { ...brokerReport(deps.config), ...brokerStatus(deps, language) },
    plugs: deps.plugs.snapshots().map((plug) => ({ id: plug.id, ...publishedPlugState(plug) })),
    lan: {
      listeners: deps.events.hub.counts.listeners,
      requests: stats.answered.list().map(({ labels: [key = "", status = ""], count }) => ({
        key: key === "" ? null : key,
        status: Number(status),
        count,
      })),
    },
    database: databaseReport(deps.storage),
    memory: memoryReport(),
    problems: stats.problems.list().map((problem) => problemReport(problemIn(language, problem))),
  };
}

function brokerStatus({ mqtt }: ApiDeps, language: Language) {
  const { connected, trouble, connections, published } = mqtt.client.status();
  return { connected, trouble: trouble && textIn(language, trouble), connections, published };
}

/** Counts an account's requests since UTC midnight in the request log, by share and by outcome. */
export function spentToday(repository: SeriesRepository, account: string, now: EpochMs) {
  const byShare: Record<string, number> = Object.fromEntries(shares.map((share) => [share, 0]));
  const byOutcome: Record<string, number> = {};
  for (const { share, status } of repository.requestLog.spentSince(account, Math.floor(now / DAY_MS) * DAY_MS)) {
    const outcome = status === null ? "open" : status === 0 ? "no_answer" : String(status);
    byShare[share] = (byShare[share] ?? 0) + 1;
    byOutcome[outcome] = (byOutcome[outcome] ?? 0) + 1;
  }
  return { by_share: byShare, by_outcome: byOutcome };
}

type SeriesAge = ReturnType<typeof seriesAge>;

function seriesAge({ owner, account, label, lastSuccessAt }: SeriesFreshness, now: EpochMs) {
  const ageSeconds = lastSuccessAt === null ? null : Math.max(0, Math.floor((now - lastSuccessAt) / SECOND_MS));
  const { id: home = null, name = null } = owner ?? {};
  return wire({ home, name, account, series: label, lastSuccessAt, ageSeconds });
}

type InterfaceReport = ReturnType<typeof interfaceReport>;

/** Part of the daemon's state that belongs to one account. */
interface OfAccount {
  readonly known: DaemonState["interfaces"][number] | undefined;
  readonly asked: ReturnType<Counter["list"]>;
}

function interfaceReport(
  { state: { repository } }: ApiDeps,
  account: Account,
  { known, asked }: OfAccount,
  now: EpochMs,
) {
  const { minute, day } = account.standing(now);
  return {
    account: account.name,
    interface: known?.interface ?? null,
    state: known?.service ?? null,
    quota: wire({ minute, day }),
    today: { requests: known?.requestsToday ?? null, ...spentToday(repository, account.name, now) },
    since_start: asked.map(({ labels: [, operation = "", outcome = ""], count }) => ({ operation, outcome, count })),
  };
}

function brokerReport(config: Config) {
  const { url } = config.mqtt;
  return url === undefined
    ? ({ kind: "inside", host: null } as const)
    : ({ kind: "configured", host: new URL(url).host } as const);
}

/** Returns sizes of the database. `log_bytes` is the size of the write-ahead log; null if the file does not exist. */
export function databaseReport({ database, databasePath }: ApiDeps["storage"]) {
  const found = database
    .prepare(
      "select page_count * page_size as bytes, total_changes() as changes from pragma_page_count, pragma_page_size",
    )
    .get();
  return {
    bytes: Number(found?.bytes),
    log_bytes: statSync(`${databasePath}-wal`, { throwIfNoEntry: false })?.size ?? null,
    /** Number of rows written since the start. */
    row_changes: Number(found?.changes),
  };
}

function memoryReport() {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  return { rss_bytes: rss, heap_used_bytes: heapUsed, heap_total_bytes: heapTotal, external_bytes: external };
}

function problemReport({ code, subject, since, endedAt, advice, detail, requestId }: PastProblem) {
  return wire({ code, subject, since, endedAt, advice, detail, requestId });
}
