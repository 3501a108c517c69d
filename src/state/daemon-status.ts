/** The daemon's own state, read from accounts, storage and problems. */

import type { Home } from "../core/prices/home-snapshot.ts";
import type { SeriesKey } from "../core/series/series.ts";
import {
  type BackfillState,
  type DaemonState,
  type SeriesFreshness,
  serviceStateOf,
} from "../core/status/daemon-status.ts";
import type { Problems } from "../core/status/problem.ts";
import { VERSION } from "../core/status/version.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { DAY_MS, type EpochMs, type Interval } from "../core/time/interval.ts";
import { byCapability, labelOf } from "../service/contract/polled-series.ts";
import { operationIdOf, seriesOf } from "../service/contract/series-mapping.ts";
import type { Accounts } from "./accounts.ts";
import type { Homes } from "./homes.ts";
import type { SeriesRepository } from "./series-repository.ts";

export interface DaemonStateDeps {
  readonly accounts: Accounts;
  readonly homes: Homes;
  readonly repository: SeriesRepository;
  readonly calendar: Calendar;
  readonly problems: Problems;
  readonly startedAt: EpochMs;
  /** Start of the wanted history at `now`. */
  readonly historyFrom: (now: EpochMs) => EpochMs;
}

/** Reads the state of the daemon: service, quota, ages of the series, back-fill and problems. */
export function daemonState(deps: DaemonStateDeps, now: EpochMs): DaemonState {
  const { accounts, homes, repository, problems, startedAt } = deps;
  const list = problems.list();
  return {
    version: VERSION,
    startedAt,
    problems: list,
    interfaces: accounts.all.map((account) => {
      const partner = account === accounts.thirdParty;
      const { minute, day } = account.standing(now);
      return {
        account: account.name,
        interface: partner ? "third_party" : "consumer",
        service:
          account.trouble ?? serviceStateOf(account.name, answeredAt(repository, account.name, partner) !== null, list),
        minuteLeft: minute?.left ?? null,
        dayLeft: day?.left ?? null,
        requestsToday: repository.requestLog.countSince(account.name, Math.floor(now / DAY_MS) * DAY_MS),
      };
    }),
    series: homes.list().flatMap((home) => freshnessOf(home, homes, repository)),
    backfill: backfillState(deps, now),
  };
}

/** How much of the wanted history was asked. History is filled from the newest day on, so one gap is left at most. */
function backfillState(
  { homes, repository, calendar, historyFrom }: DaemonStateDeps,
  now: EpochMs,
): BackfillState | null {
  const within = { start: calendar.startOf("day", historyFrom(now)), end: calendar.startOf("day", now) };
  const days = (range: Interval) => Math.round((range.end - range.start) / DAY_MS);
  let known = 0;
  let wanted = 0;
  for (const home of homes.list()) {
    for (const series of seriesOfHome(home, homes)) {
      if (series.unit === "latest") continue;
      const gap = repository.stateOf(series).newestGap(within);
      wanted += days(within);
      known += days(within) - (gap ? days({ start: within.start, end: gap.end }) : 0);
    }
  }
  return wanted === 0 ? null : { known, wanted };
}

function answeredAt(repository: SeriesRepository, account: string, partner: boolean): EpochMs | null {
  const series = partner ? seriesOf(account, "requestCounts", {}) : seriesOf(account, "addresses", {});
  return repository.stateOf(series).answeredAt;
}

/** The series that are polled for a home. Shape: in the order of the capability flags. */
function seriesOfHome(home: Home, homes: Homes): SeriesKey[] {
  const target = homes.targets(home.account).find(({ addressId }) => addressId === home.addressId);
  return target?.series.map(({ series }) => series).toSorted(byCapability) ?? [];
}

function freshnessOf(home: Home, homes: Homes, repository: SeriesRepository): SeriesFreshness[] {
  return seriesOfHome(home, homes).map((series) => ({
    owner: { id: home.id, name: home.name },
    account: home.account,
    label: labelOf(operationIdOf(series)),
    lastSuccessAt: repository.stateOf(series).answeredAt,
  }));
}
