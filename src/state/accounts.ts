/** The configured accounts, each with its own client, rate limiter and error policy. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config/schema.ts";
import { MAX_ATTEMPTS } from "../core/fetching/rate-limit.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { SeriesKey } from "../core/series/series.ts";
import type { Problems } from "../core/status/problem.ts";
import { VERSION } from "../core/status/version.ts";
import { DAY_MS, type EpochMs } from "../core/time/interval.ts";
import { Account } from "../service/client/account.ts";
import { CircuitBreaker } from "../service/client/circuit-breaker.ts";
import { createClient } from "../service/client/client.ts";
import { noteLostLedger } from "../service/client/lost-ledger.ts";
import type { Service } from "../service/client/open-service.ts";
import { Outage } from "../service/client/outage.ts";
import type { ProxySettings } from "../service/client/proxy.ts";
import { type AttemptLog, RateLimiter } from "../service/client/rate-limiter.ts";
import { AdaptiveRateLimits, LearnedRateLimits } from "../service/client/rate-limits.ts";
import type { OperationId } from "../service/contract/operations.ts";
import { seriesOf } from "../service/contract/series-mapping.ts";
import { thirdPartyToken } from "../service/third-party-token.ts";
import type { KeyValueStore } from "../storage/key-value-store.ts";
import { SPENDS_UNKNOWN } from "../storage/recovery.ts";
import type { SeriesRepository } from "./series-repository.ts";

export interface AccountsOptions {
  readonly config: Config;
  readonly service: Service;
  readonly repository: SeriesRepository;
  readonly settings: KeyValueStore;
  readonly clock: Clock;
  readonly problems: Problems;
  readonly random: () => number;
  /** Proxy named by the environment; null if it is not set. */
  readonly proxy?: ProxySettings | null;
  /** True if the database was lost and replaced by an older copy or an empty one. */
  readonly spendsUnknown?: boolean;
  /** For shards: returns whether requests of an account, made by another process, may be missing in the request log. */
  readonly spendsElsewhere?: (account: string) => boolean;
  readonly signal: AbortSignal;
  readonly onServerTime: (serverMs: EpochMs) => void;
  readonly onSpent: (account: string, operation: OperationId, outcome: string) => void;
}

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
}

/** Name of the third-party account in the request log and in problems. */
export const THIRD_PARTY = "third_party";

/** Length of a digest that distinguishes two keys and reveals neither. */
const KEY_MARK_LENGTH = 12;

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, KEY_MARK_LENGTH);
}

interface AccountParts {
  readonly options: AccountsOptions;
  readonly outage: Outage;
  readonly spendsUnknown: boolean;
  readonly recent: ReturnType<typeof recentAttempts>;
  readonly selected: () => Config["homes"];
}

interface AccountConfig {
  readonly name: string;
  readonly authorization: Authorization;
  readonly config: Config;
  readonly signal: AbortSignal;
}

function openAccount(
  { options, outage, spendsUnknown, recent, selected }: AccountParts,
  { name, authorization, config, signal }: AccountConfig,
): Account {
  const { service, clock, repository, settings: memory, problems, random, onServerTime, onSpent } = options;
  if (spendsUnknown || options.spendsElsewhere?.(name)) noteLostLedger(memory, name);
  const addresses = seriesOf(name, "addresses", {});
  noteKey(options, { name, authorization, addresses });
  const source =
    authorization.thirdParty === undefined
      ? new LearnedRateLimits(name, memory, polledCount(repository, addresses, selected))
      : new AdaptiveRateLimits(name, memory, config.third_party?.places.length);
  // Pauses of another key, or of another route to the service, do not apply to this one.
  const { base_url, ca } = config.service;
  const wayMark = digestOf([authorization, base_url, ca, options.proxy]);
  return new Account({
    name,
    client: createClient({
      get: service.get,
      basePath: service.basePath,
      userAgent: `elbro/${VERSION}`,
      authorization,
      secrets: secretsOf(config, options.proxy ?? null, authorization),
    }),
    rateLimiter: new RateLimiter({
      account: name,
      requestLog: { ...repository.spends, recent: recent(name) },
      memory,
      clock,
      source,
    }),
    circuitBreaker: new CircuitBreaker({ account: name, memory, clock, random, keyMark: wayMark }),
    clock,
    problems,
    outage,
    signal,
    onServerTime,
    onSpent: (operation, outcome) => onSpent(name, operation, outcome),
  });
}

/** Forgets what belongs to an earlier key of an account, and asks for its addresses again. */
function noteKey(
  { settings: memory, repository }: Pick<AccountsOptions, "settings" | "repository">,
  { name, authorization, addresses }: Pick<AccountConfig, "name" | "authorization"> & { readonly addresses: SeriesKey },
): void {
  const keyMark = digestOf(authorization);
  const knownMark = memory.read(`key_mark/${name}`);
  if (knownMark === keyMark) return;
  const keepMark = () => memory.write(`key_mark/${name}`, keyMark);
  // Limits and addresses of another key do not apply to this one.
  if (knownMark !== null) for (const prefix of ["limits", "per-day"]) memory.write(`${prefix}/${name}`, "");
  if (authorization.thirdParty === undefined) repository.askAgain(addresses, keepMark);
  else keepMark();
}

/** Opens every account that has a key. Sends no request by itself. */
export function openAccounts(options: AccountsOptions): Accounts {
  const outage = new Outage(options.problems);
  const spendsUnknown = options.spendsUnknown === true || options.settings.read(SPENDS_UNKNOWN) === "yes";
  const recent = recentAttempts(options);
  let selected = options.config.homes;
  const parts = { options, outage, spendsUnknown, recent, selected: () => selected };
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
      const account = openAccount(parts, { name, authorization, config: next, signal });
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

/** Returns a text that changes with the service and the keys of a configuration. It reveals no key. */
export function keysMarkOf(config: Config): string {
  return digestOf([config.service.base_url, ...authorizationsIn(config)]);
}

/** Returns a function that counts the addresses of a stored list that are polled: those that the configuration selects. */
function polledCount({ store }: SeriesRepository, addresses: SeriesKey, selected: () => Config["homes"]): () => number {
  let counted: { readonly version: number | null; readonly homes: Config["homes"]; readonly count: number } | null =
    null;
  return () => {
    const [version, homes] = [store.versionOf(addresses), selected()];
    if (counted?.version !== version || counted.homes !== homes) {
      const ids = homes && new Set(homes.map(({ address_id }) => address_id.toLowerCase()));
      const rows = store.latest(addresses) ?? [];
      counted = { version, homes, count: rows.filter(({ id }) => ids?.has(String(id).toLowerCase()) ?? true).length };
    }
    return counted.count;
  };
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

/** Header of an account's requests, by interface. */
interface Authorization {
  readonly consumer?: string;
  readonly thirdParty?: string;
}

interface OpenAccount {
  readonly authorization: Authorization;
  readonly account: Account;
  readonly end: AbortController;
}

/** Returns the accounts that have a key, by name. Shape: those of the consumer interface first. */
function authorizationsIn({ consumer = [], third_party }: Config): Map<string, Authorization> {
  const consumers = [consumer].flat().flatMap(({ name, api_key }): [string, Authorization][] => {
    return api_key === undefined ? [] : [[name, { consumer: `Bearer ${api_key}` }]];
  });
  const { api_key: apiKey, api_secret: apiSecret, hash_encoding = "hex" } = third_party ?? {};
  if (apiKey === undefined || apiSecret === undefined) return new Map(consumers);
  const thirdParty = `Bearer ${thirdPartyToken({ apiKey, apiSecret }, hash_encoding)}`;
  return new Map([...consumers, [THIRD_PARTY, { thirdParty }]]);
}

/** Returns the secrets that must not appear in a text: keys, tokens made of them, and proxy passwords. */
function secretsOf(config: Config, proxy: ProxySettings | null, authorization: Authorization): string[] {
  const keys = [config.third_party?.api_key];
  const tokens = Object.values(authorization).map((value: string) => value.replace(/^Bearer /, ""));
  const passwords = [proxy?.httpProxy, proxy?.httpsProxy].map((url) => URL.parse(url ?? "")?.password);
  const all = [...tokens, config.third_party?.api_secret, ...keys, ...passwords];
  return all.flatMap((secret) => (secret ? [secret, encodeURIComponent(secret)] : []));
}
