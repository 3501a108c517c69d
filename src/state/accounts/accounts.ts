/** The configured accounts, each with its own client, rate limiter and error policy. */
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/schema/schema.ts";
import { MAX_ATTEMPTS } from "../../core/fetching/rate-limit.ts";
import { DAY_MS } from "../../core/time/interval.ts";
import type { Account } from "../../service/client/account.ts";
import { Outage } from "../../service/client/outage.ts";
import type { ProxySettings } from "../../service/client/proxy.ts";
import type { AttemptLog } from "../../service/client/rate-limiter.ts";
import { SPENDS_UNKNOWN } from "../../storage/recovery/recovery.ts";
import {
  type AccountConfig,
  type AccountsOptions,
  type Authorization,
  asTried,
  authorizationsIn,
  digestOf,
  openTried,
  openUsed,
  THIRD_PARTY,
  type TriedAccount,
  wayMarkOf,
} from "./open-account.ts";

export interface Accounts {
  readonly consumers: readonly Account[];
  readonly thirdParty: Account | null;
  readonly named: (name: string) => Account | null;
  /** Every account, those of the consumer interface first. */
  readonly all: readonly Account[];
  /** See `keysMarkOf`. */
  readonly keysMark: string;
  /** Opens accounts that are new or have another key. Ends the requests of the others and of those that are gone. */
  configure(config: Config): void;
  /** Opens the accounts of a configuration to test them, in their order: those in use, and others only for that. */
  tried(config: Config, proxy: ProxySettings | null): readonly TriedAccount[];
}

/** Opens every account that has a key. Sends no request by itself. */
export function openAccounts(options: AccountsOptions): Accounts {
  const outage = new Outage(options.problems);
  const spendsUnknown = options.spendsUnknown === true || options.settings.read(SPENDS_UNKNOWN) === "yes";
  const recent = recentAttempts(options);
  let selected = options.config.homes;
  const byName = new Map<string, OpenAccount>();
  let consumers: readonly Account[] = [];
  let thirdParty: Account | null = null;
  let all: readonly Account[] = [];
  let keysMark = "";
  const configure = (next: Config) => {
    keysMark = keysMarkOf({ ...next, service: options.config.service });
    selected = next.homes;
    const wanted = authorizationsIn(next);
    for (const [name, { authorization, end }] of byName) {
      if (isDeepStrictEqual(wanted.get(name), authorization)) continue;
      end.abort();
      byName.delete(name);
      outage.forget(name);
      for (const { subject } of options.problems.list())
        if (subject === name || subject.startsWith(`${name} `)) options.problems.end(subject);
    }
    all = [...wanted].map(([name, authorization]) => {
      const known = byName.get(name);
      if (known) return known.account;
      const end = new AbortController();
      const signal = AbortSignal.any([options.signal, end.signal]);
      const used = { outage, spendsUnknown, recent: recent(name), selected: () => selected };
      const account = openUsed(options, { name, authorization, config: next, signal }, used);
      byName.set(name, { authorization, account, end });
      return account;
    });
    thirdParty = byName.get(THIRD_PARTY)?.account ?? null;
    consumers = all.filter((account) => account !== thirdParty);
  };
  configure(options.config);
  // Each account has recorded its unknown requests.
  if (spendsUnknown) options.settings.write(SPENDS_UNKNOWN, "");
  return {
    configure,
    tried: (config, proxy) => triedIn(config, { ...options, proxy }, options, byName),
    named: (name) => (name === THIRD_PARTY ? null : (byName.get(name)?.account ?? null)),
    get thirdParty() {
      return thirdParty;
    },
    get consumers() {
      return consumers;
    },
    get all() {
      return all;
    },
    get keysMark() {
      return keysMark;
    },
  };
}

function triedIn(
  config: Config,
  options: AccountsOptions,
  { config: usedConfig, proxy: usedProxy }: AccountsOptions,
  byName: ReadonlyMap<string, OpenAccount>,
): readonly TriedAccount[] {
  return [...authorizationsIn(config)].map(([name, authorization]) => {
    const wanted: AccountConfig = { name, authorization, config, signal: options.signal };
    const used = byName.get(name);
    const usedMark = used && wayMarkOf({ ...used, config: usedConfig }, usedProxy);
    const isUsed = usedMark === wayMarkOf(wanted, options.proxy);
    return used && isUsed ? asTried(used.account) : openTried(options, wanted, used?.account ?? null);
  });
}

/** Returns a text that changes with the service and the keys of a configuration. It reveals no key. */
export function keysMarkOf(config: Config): string {
  return digestOf([config.service.base_url, ...authorizationsIn(config)]);
}

/** Days of attempts that are read: an attempt counts for one day, and clocks may be off by one day. */
const COUNTED_DAYS = 3;

/** Reads the attempts that may still count, for all accounts at once. Returns a function for those of one account. */
function recentAttempts({
  repository: { requestLog },
  clock,
}: AccountsOptions): (account: string) => AttemptLog["recent"] {
  const newest = Math.min(requestLog.serverTime() ?? Number.NEGATIVE_INFINITY, clock.now());
  const all = requestLog.recentOfAll(MAX_ATTEMPTS, newest - COUNTED_DAYS * DAY_MS);
  const read = new Set<string>();
  // Each is read once, when its rate limiter is made, and then released. An account that returns is read alone.
  return (account) => (name, count) => {
    if (read.has(account)) return requestLog.recent(name, count);
    read.add(account);
    const own = all.get(account) ?? [];
    all.delete(account);
    return own;
  };
}

interface OpenAccount {
  readonly authorization: Authorization;
  readonly account: Account;
  readonly end: AbortController;
}
