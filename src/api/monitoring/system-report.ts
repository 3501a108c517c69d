/** State of the whole daemon: quota, requests, series ages, broker, plugs, versions, and problems with advice. */
import type { Config } from "../../config/schema/schema.ts";
import type { Language } from "../../core/language/language.ts";
import { textIn } from "../../core/language/text.ts";
import { problemIn } from "../../core/status/problem.ts";
import { isNewer } from "../../core/status/release-update.ts";
import { wire } from "../../core/text/wire.ts";
import { SECOND_MS } from "../../core/time/interval.ts";
import { publishedPlugState } from "../../mqtt/topics/plug-topics.ts";
import type { ValueOf } from "../schema.ts";
import type { DaemonRecord } from "./daemon-record.ts";
import { healthBody } from "./health.ts";
import type { system } from "./monitoring-schemas.ts";

export type SystemReport = ValueOf<typeof system>;

/** `language` is the language of advice and details. */
export function systemReport(record: DaemonRecord, { mqtt: { url } }: Config, language: Language): SystemReport {
  const { version, now, startedAt, timeTrusted, backfill, update, broker, database } = record;
  const { connected, trouble, connections, published } = broker;
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  return wire({
    version,
    node: process.versions.node,
    now,
    startedAt,
    uptimeSeconds: Math.floor(record.uptimeMs / SECOND_MS),
    timeTrusted,
    health: healthBody(record.health, true),
    interfaces: interfacesOf(record),
    series: record.series.map(({ owner, account, label, lastSuccessAt }) => ({
      home: owner?.id ?? null,
      name: owner?.name ?? null,
      account,
      series: label,
      lastSuccessAt,
      ageSeconds: lastSuccessAt === null ? null : Math.max(0, Math.floor((now - lastSuccessAt) / SECOND_MS)),
    })),
    backfill: backfill && { daysKnown: backfill.known, daysWanted: backfill.wanted },
    update: update && { ...update, newer: isNewer(update.version, version) },
    broker: {
      kind: url === undefined ? "inside" : "configured",
      host: url === undefined ? null : new URL(url).host,
      connected,
      trouble: trouble && textIn(language, trouble),
      connections,
      published,
    },
    plugs: record.plugs.map((plug) => ({ id: plug.id, ...publishedPlugState(plug) })),
    lan: {
      listeners: record.listeners.listeners,
      requests: record.answered.map(({ labels: [key = "", status = ""], count }) => ({
        key: key === "" ? null : key,
        status: Number(status),
        count,
      })),
    },
    database,
    memory: { rssBytes: rss, heapUsedBytes: heapUsed, heapTotalBytes: heapTotal, externalBytes: external },
    problems: record.pastProblems.map((problem) => {
      const { code, subject, home, since, endedAt, advice, detail, requestId } = problemIn(language, problem);
      return { code, subject, home, since, endedAt, advice, detail, requestId };
    }),
  });
}

function interfacesOf({ interfaces, asked }: DaemonRecord) {
  const byAccount = Map.groupBy(asked, ({ labels: [account = ""] }) => account);
  return interfaces.map(({ account, interface: name, service, quota, requestsToday, spent }) => ({
    account,
    interface: name,
    state: service,
    quota,
    today: { requests: requestsToday, ...spent },
    sinceStart: (byAccount.get(account) ?? []).map(({ labels: [, operation = "", outcome = ""], count }) => {
      return { operation, outcome, count };
    }),
  }));
}
