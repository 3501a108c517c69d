/** The daemon's own state, made from accounts, storage and problems. */

import { isDeepStrictEqual } from "node:util";
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
import { DAY_MS, type EpochMs, type Interval, stepStart } from "../core/time/interval.ts";
import type { Account } from "../service/client/account.ts";
import { byCapability, seriesLabel } from "../service/contract/polled-series.ts";
import { operationIdOf, seriesOf } from "../service/contract/series-mapping.ts";
import type { Accounts } from "./accounts/accounts.ts";
import type { Homes } from "./homes.ts";
import type { RuntimeStats } from "./runtime-stats.ts";
import type { SeriesRepository } from "./series-repository.ts";
import { inSlices } from "./slices.ts";

export interface DaemonStateDeps {
  readonly accounts: Accounts;
  readonly homes: Homes;
  readonly repository: SeriesRepository;
  readonly calendar: Calendar;
  readonly problems: Problems;
  readonly stats: Pick<RuntimeStats, "update">;
  readonly startedAt: EpochMs;
  readonly historyFrom: (now: EpochMs) => EpochMs;
}

/** State of one account, for a revision of its data and a day. */
interface AccountState {
  readonly revision: number;
  readonly day: EpochMs;
  /** Ids and names of its homes, which a new configuration may change. */
  readonly named: readonly string[];
  readonly answered: boolean;
  readonly series: readonly SeriesFreshness[];
  readonly backfill: BackfillState;
}

/** State of the daemon. The part of an account is cached until its revision, its homes' names or the day changes. */
export class DaemonStates {
  readonly #deps: DaemonStateDeps;
  /** Keyed by account name. Bounded by the accounts. */
  readonly #accounts = new Map<string, AccountState>();

  constructor(deps: DaemonStateDeps) {
    this.#deps = deps;
  }

  async at(now: EpochMs): Promise<DaemonState> {
    const { accounts, repository, problems, stats, startedAt } = this.#deps;
    const { all } = accounts;
    await inSlices(repository.requestLog.reading(), () => undefined);
    const states: AccountState[] = [];
    await inSlices(all, (account) => void states.push(this.#stateOf(account, now)));
    const known = states.reduce((sum, { backfill }) => sum + backfill.known, 0);
    const wanted = states.reduce((sum, { backfill }) => sum + backfill.wanted, 0);
    const waiting = all[states.findIndex(({ backfill }) => backfill.known < backfill.wanted)];
    return {
      version: VERSION,
      startedAt,
      update: stats.update,
      problems: problems.list(),
      interfaces: all.map((account, i) => ({
        account: account.name,
        interface: account === accounts.thirdParty ? "third_party" : "consumer",
        service: account.trouble ?? serviceStateOf(problems.of(account.name), states[i]?.answered === true),
        quota: account.standing(now),
        requestsToday: repository.requestLog.countSince(account.name, stepStart(now, DAY_MS)),
      })),
      series: states.flatMap(({ series }) => series),
      backfill: wanted === 0 ? null : { known, wanted, pause: waiting?.backfillPause(now) ?? null },
    };
  }

  #stateOf(account: Account, now: EpochMs): AccountState {
    const { accounts, homes, repository, calendar, historyFrom } = this.#deps;
    const revision = repository.revisionOf(account.name);
    const day = calendar.startOf("day", now);
    const before = this.#accounts.get(account.name);
    const named = homes.of(account.name).map(({ id, name }) => `${id} ${name}`);
    if (before?.revision === revision && before.day === day && isDeepStrictEqual(before.named, named)) return before;
    const within = { start: calendar.startOf("day", historyFrom(now)), end: day };
    const targets = new Map(homes.targets(account.name).map((target) => [target.addressId, target]));
    const polled = homes.of(account.name).flatMap((home) => {
      const series = targets.get(home.addressId)?.series.map((each) => each.series) ?? [];
      return series.toSorted(byCapability).map((each) => [home, each] as const);
    });
    const listed = account === accounts.thirdParty ? "requestCounts" : "addresses";
    const state: AccountState = {
      revision,
      day,
      named,
      answered: repository.stateOf(seriesOf(account.name, listed, {})).answeredAt !== null,
      series: polled.map(([{ id, name }, series]) => ({
        owner: { id, name },
        account: account.name,
        label: seriesLabel(operationIdOf(series)),
        lastSuccessAt: repository.stateOf(series).answeredAt,
      })),
      backfill: backfillOf(polled, repository, within),
    };
    this.#accounts.set(account.name, state);
    return state;
  }
}

/** Returns the fetched part of the wanted history, which is filled from the newest day back: at most one gap. */
function backfillOf(
  polled: readonly (readonly [Home, SeriesKey])[],
  repository: SeriesRepository,
  within: Interval,
): BackfillState {
  const days = (range: Interval) => Math.round((range.end - range.start) / DAY_MS);
  let known = 0;
  let wanted = 0;
  for (const [, series] of polled) {
    if (series.unit === "latest") continue;
    const gap = repository.stateOf(series).newestGap(within);
    wanted += days(within);
    known += days(within) - (gap ? days({ start: within.start, end: gap.end }) : 0);
  }
  return { known, wanted };
}
