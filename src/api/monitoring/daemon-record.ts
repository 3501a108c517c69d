/** The state of the whole daemon, read once for the system report, the metrics and the diagnostics. */
import { statSync } from "node:fs";
import { shares } from "../../core/fetching/rate-limit.ts";
import { DAY_MS, type EpochMs, stepStart } from "../../core/time/interval.ts";
import type { SeriesRepository } from "../../state/series-repository.ts";
import { inSlices } from "../../state/slices.ts";
import type { ApiDeps } from "../deps.ts";
import type { HealthReport } from "./health.ts";

export type DaemonRecord = Awaited<ReturnType<typeof daemonRecord>>;

/** Reads the accounts in slices. */
export async function daemonRecord(deps: ApiDeps, health: HealthReport, now: EpochMs) {
  const { clock, events, mqtt, plugs, storage } = deps;
  const { homes, stats, repository, plans, isTimeTrusted, daemonState } = deps.state;
  const { interfaces, ...state } = await daemonState(now);
  const spent = new Map<string, ReturnType<typeof spentToday>>();
  await inSlices(interfaces, ({ account }) => void spent.set(account, spentToday(repository, account, now)));
  return {
    ...state,
    now,
    health,
    uptimeMs: clock.monotonicMs() - stats.startedMs,
    timeTrusted: isTimeTrusted(now),
    interfaces: interfaces.map((each) => ({
      ...each,
      spent: spent.get(each.account) ?? { byShare: {}, byOutcome: {} },
    })),
    /** Requests since the start: to the service by account, operation and outcome, and of the LAN by key and status. */
    asked: stats.asked.list(),
    answered: stats.answered.list(),
    broker: mqtt.client.status(),
    listeners: events.hub.counts,
    plans: plans.snapshots,
    plugs: plugs.snapshots(),
    archive: stats.archive,
    database: databaseSizes(storage),
    /** `home`: name of the home that a problem concerns. */
    pastProblems: stats.problems
      .list()
      .map((problem) => ({ ...problem, home: homes.at(problem.address ?? "")?.name ?? null })),
  };
}

/** Counts an account's requests since UTC midnight in the request log, by share and by outcome. */
function spentToday({ requestLog }: SeriesRepository, account: string, now: EpochMs) {
  const byShare: Record<string, number> = Object.fromEntries(shares.map((share) => [share, 0]));
  const byOutcome: Record<string, number> = {};
  for (const { share, status } of requestLog.spentSince(account, stepStart(now, DAY_MS))) {
    const outcome = status === null ? "open" : status === 0 ? "no_answer" : String(status);
    byShare[share] = (byShare[share] ?? 0) + 1;
    byOutcome[outcome] = (byOutcome[outcome] ?? 0) + 1;
  }
  return { byShare, byOutcome };
}

/** `logBytes` is the size of the write-ahead log; null if the file does not exist. `rowChanges` counts from the start. */
function databaseSizes({ database, databasePath }: ApiDeps["storage"]) {
  const found = database
    .prepare(
      "select page_count * page_size as bytes, total_changes() as changes from pragma_page_count, pragma_page_size",
    )
    .get();
  return {
    bytes: Number(found?.bytes),
    logBytes: statSync(`${databasePath}-wal`, { throwIfNoEntry: false })?.size ?? null,
    rowChanges: Number(found?.changes),
  };
}
