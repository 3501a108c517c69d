/** The daemon's own state, read from accounts, storage and problems. */

import type { Home } from "../core/prices/home-snapshot.ts";
import type { SeriesKey, SeriesOperation } from "../core/series/series.ts";
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
      const left = account.left(now);
      return {
        account: account.name,
        interface: partner ? "third_party" : "consumer",
        service: serviceStateOf(account.name, answeredAt(repository, account.name, partner) !== null, list),
        minuteLeft: left.minute,
        dayLeft: left.day,
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
    for (const operation of operationsOf(home, homes)) {
      if (operation === "forecastPrices") continue;
      const gap = repository.stateOf(seriesOf(home, operation)).newestGap(within);
      wanted += days(within);
      known += days(within) - (gap ? days({ start: within.start, end: gap.end }) : 0);
    }
  }
  return wanted === 0 ? null : { known, wanted };
}

function answeredAt(repository: SeriesRepository, account: string, partner: boolean): EpochMs | null {
  const series = partner
    ? ({ place: "{}", operation: "requestCounts" } as const)
    : ({ place: "", operation: "addresses" } as const);
  return repository.stateOf({ account, ...series, unit: "latest" }).answeredAt;
}

function operationsOf(home: Home, homes: Homes): SeriesOperation[] {
  const target = homes.targets(home.account).find(({ addressId }) => addressId === home.addressId);
  return [...(target?.operations ?? [])];
}

const LABELS: Readonly<Partial<Record<SeriesOperation, string>>> = {
  prices: "prices",
  forecastPrices: "forecast",
  consumption: "consumption",
  consumptionCosts: "costs",
  solarExport: "export",
  solarExportRevenue: "revenue",
};

function freshnessOf(home: Home, homes: Homes, repository: SeriesRepository): SeriesFreshness[] {
  return operationsOf(home, homes).map((operation) => ({
    owner: { id: home.id, name: home.name },
    account: home.account,
    label: LABELS[operation] ?? operation,
    lastSuccessAt: repository.stateOf(seriesOf(home, operation)).answeredAt,
  }));
}

function seriesOf({ account, addressId, resolution }: Home, operation: SeriesOperation): SeriesKey {
  const place = addressId;
  if (operation === "forecastPrices") return { account, place, operation, unit: "latest" };
  return { account, place, operation, unit: operation === "prices" ? resolution : "hour" };
}
