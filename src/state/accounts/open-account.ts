/** Opens one account, in use or only to try it: its client, rate limiter and error policy. */
import { createHash, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import type { Config } from "../../config/schema/schema.ts";
import { priceNeed } from "../../core/fetching/fetch-schedule.ts";
import type { PriceReserve, Share } from "../../core/fetching/rate-limit.ts";
import type { Clock } from "../../core/runtime/clock.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import type { SeriesKey } from "../../core/series/series.ts";
import { Problems } from "../../core/status/problem.ts";
import { VERSION } from "../../core/status/version.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { MAX_OFFSET_MS } from "../../core/time/schedule-slots.ts";
import { Account } from "../../service/client/account.ts";
import { CircuitBreaker } from "../../service/client/circuit-breaker.ts";
import { openService, type Service } from "../../service/client/open-service.ts";
import { Outage } from "../../service/client/outage.ts";
import type { ProxySettings } from "../../service/client/proxy.ts";
import { type AttemptLog, RateLimiter, type RateLimitSource } from "../../service/client/rate-limiter.ts";
import { AdaptiveRateLimits, LearnedRateLimits } from "../../service/client/rate-limits.ts";
import type { OperationId } from "../../service/contract/operations.ts";
import { seriesOf } from "../../service/contract/series-mapping.ts";
import { thirdPartyToken } from "../../service/third-party-token.ts";
import { nameAt, sourceOf } from "../../storage/data-source.ts";
import type { SeriesRepository } from "../series-repository.ts";

export interface AccountsOptions {
  readonly config: Config;
  readonly service: Service;
  readonly repository: SeriesRepository;
  readonly settings: KeyValue;
  readonly clock: Clock;
  readonly problems: Problems;
  readonly random: () => number;
  readonly calendar: Calendar;
  /** Proxy named by the environment; null if it is not set. */
  readonly proxy?: ProxySettings | null;
  readonly isDemo?: boolean;
  /** True if the database was lost and replaced by an older copy or an empty one. */
  readonly spendsUnknown?: boolean;
  /** For shards: returns whether requests of an account, made by another process, may be missing in the request log. */
  readonly spendsElsewhere?: (account: string) => boolean;
  readonly signal: AbortSignal;
  readonly onServerTime: (serverMs: EpochMs) => void;
  readonly onSpent: (account: string, operation: OperationId, outcome: string) => void;
}

/** Name of the third-party account in the request log and in problems. */
export const THIRD_PARTY = "third_party";

/** Length of a digest that distinguishes two keys and reveals neither. */
const KEY_MARK_LENGTH = 12;
/** Time limit of a trial, which somebody waits for. */
const TRIED_MS = 20_000;

export function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, KEY_MARK_LENGTH);
}

export interface AccountConfig {
  readonly name: string;
  readonly authorization: Authorization;
  readonly config: Config;
  readonly signal: AbortSignal;
}

/** What differs between an account in use and one that is only tried. */
interface AccountParts {
  readonly requestLog: AttemptLog;
  readonly limits: RateLimitSource;
  /** Pauses of another key, or of another way to the service, do not apply to this one. */
  readonly keyMark: string;
  readonly outage: Outage;
  readonly isLogIncomplete?: boolean;
}

function openAccount(
  options: AccountsOptions,
  { name, authorization, config, signal }: AccountConfig,
  { requestLog, limits: source, keyMark, outage, isLogIncomplete = false }: AccountParts,
): Account {
  const { service, clock, settings: memory, problems, random, onServerTime, proxy = null } = options;
  const secrets = secretsOf(config, proxy, authorization);
  return new Account({
    name,
    client: service.client({ account: name, userAgent: `elbro/${VERSION}`, authorization, secrets }),
    rateLimiter: new RateLimiter({ account: name, requestLog, memory, clock, source, isLogIncomplete }),
    circuitBreaker: new CircuitBreaker({ account: name, memory, clock, random, keyMark }),
    clock,
    problems,
    outage,
    signal,
    onServerTime,
    onSpent: (operation, outcome) => options.onSpent(name, operation, outcome),
  });
}

export interface UsedOptions extends Pick<AccountParts, "outage"> {
  readonly spendsUnknown: boolean;
  readonly recent: AttemptLog["recent"];
  readonly selected: () => Config["homes"];
}

/** Opens an account of the configuration in use. Sends no request by itself. */
export function openUsed(options: AccountsOptions, account: AccountConfig, used: UsedOptions): Account {
  const { settings: memory, repository } = options;
  const { name, authorization } = account;
  const isLogIncomplete = used.spendsUnknown || options.spendsElsewhere?.(name) === true;
  const keyMark = wayMarkOf(account, options.proxy);
  noteKey(options, account, keyMark);
  const polled = polledPrices(repository, seriesOf(name, "addresses", {}), used.selected);
  const limits =
    authorization.thirdParty === undefined
      ? new LearnedRateLimits(name, memory, () => polled().length, priceReserve(options, name, polled))
      : new AdaptiveRateLimits(name, memory, account.config.third_party?.places.length);
  const requestLog = { ...repository.spends, recent: used.recent };
  return openAccount(options, account, { requestLog, limits, keyMark, outage: used.outage, isLogIncomplete });
}

/** Account that is asked on behalf of the owner, to test it. */
export interface TriedAccount extends AsyncDisposable {
  readonly account: Account;
  /** True if it is in use, so that its answers are stored. */
  readonly isUsed: boolean;
  /** Part of the quota that it may use: all if nothing else uses it. */
  readonly share: Share;
}

/** Returns an account in use, to test it. */
export function asTried(account: Account): TriedAccount {
  return { account, isUsed: true, share: "lan", [Symbol.asyncDispose]: async () => undefined };
}

/**
 * Opens an account that is not in use, to try it. Its attempts are in the request log for the account that it becomes,
 * and count for `used`, the account of that name, because both keys may be of one customer. It is silent after a 429
 * like that one. What it learns of its limits is kept until it is used.
 */
export function openTried(options: AccountsOptions, account: AccountConfig, used: Account | null): TriedAccount {
  const { repository, proxy } = options;
  const { name, config, authorization } = account;
  const source = sourceOf(config.service.base_url, false);
  const isSameService = source === sourceOf(options.config.service.base_url, options.isDemo ?? false);
  const logged = isSameService ? name : nameAt(source, name);
  const settings = triedMemory(options.settings, name, { mark: wayMarkOf(account, proxy), isSameService });
  const limits =
    authorization.thirdParty === undefined
      ? new LearnedRateLimits(name, settings, () => 1)
      : new AdaptiveRateLimits(name, settings);
  const { spends } = repository;
  const requestLog: AttemptLog = {
    ...spends,
    recent: (_, count) => spends.recent(logged, count),
    giveBack: (_, id) => spends.giveBack(logged, id),
    spend(spend) {
      const id = spends.spend({ ...spend, account: logged });
      if (id !== null && isSameService) used?.countTried(id, spend.share);
      return id;
    },
  };
  const problems = new Problems(() => undefined);
  const service = openService({ config, proxy: proxy ?? null });
  const signal = AbortSignal.any([account.signal, AbortSignal.timeout(TRIED_MS)]);
  const parts: AccountParts = {
    requestLog,
    // A person paces the trials.
    limits: {
      budget: (now) => limits.budget(now).filter((each) => each.name !== "pace"),
      learn: limits.learn.bind(limits),
    },
    // Of other trials, only the pauses after a 429 apply.
    keyMark: randomUUID(),
    outage: new Outage(problems),
  };
  const tried = { ...options, service, settings, problems, onServerTime: () => undefined };
  return {
    account: openAccount(tried, { ...account, signal }, parts),
    isUsed: false,
    share: isSameService ? "lan" : "prices",
    [Symbol.asyncDispose]: service.close,
  };
}

const storedTrial = z.object({ mark: z.string(), values: z.record(z.string(), z.string()) });

/** Name of what a tried account has learned; one per account. */
function triedName(account: string): string {
  return `tried/${account}`;
}

/** Memory of a tried account: that of the account of its name at the same service, and what it writes apart from that. */
function triedMemory(
  memory: KeyValue,
  account: string,
  way: { readonly mark: string; readonly isSameService: boolean },
) {
  const stored = readJson(memory, triedName(account), storedTrial);
  const values = new Map(Object.entries(stored?.mark === way.mark ? stored.values : {}));
  return {
    read: (name: string) => values.get(name) ?? (way.isSameService ? memory.read(name) : null),
    write(name: string, value: string) {
      values.set(name, value);
      memory.write(triedName(account), JSON.stringify({ mark: way.mark, values: Object.fromEntries(values) }));
    },
  };
}

/** Returns a text that differs for another key and another way to the service. It reveals no key. */
export function wayMarkOf(
  { authorization, config }: Pick<AccountConfig, "authorization" | "config">,
  proxy: ProxySettings | null | undefined,
): string {
  const { base_url, ca } = config.service;
  return digestOf([authorization, base_url, ca, proxy]);
}

/** Forgets what belongs to an earlier key of an account, except what a trial of this one learned; asks for its addresses. */
function noteKey({ settings: memory, repository }: AccountsOptions, account: AccountConfig, wayMark: string): void {
  const { name, authorization } = account;
  const keyMark = digestOf(authorization);
  const knownMark = memory.read(`key_mark/${name}`);
  if (knownMark === keyMark) return;
  const keepMark = () => memory.write(`key_mark/${name}`, keyMark);
  // Limits and addresses of another key do not apply to this one.
  if (knownMark !== null) for (const prefix of ["limits", "per-day"]) memory.write(`${prefix}/${name}`, "");
  const tried = readJson(memory, triedName(name), storedTrial);
  if (tried?.mark === wayMark) for (const [key, value] of Object.entries(tried.values)) memory.write(key, value);
  if (authorization.thirdParty === undefined) repository.askAgain(seriesOf(name, "addresses", {}), keepMark);
  else keepMark();
}

/** Returns a function that returns the price series of the addresses that are polled: those that the configuration selects. */
function polledPrices({ store }: SeriesRepository, addresses: SeriesKey, selected: () => Config["homes"]) {
  let known: { readonly of: readonly unknown[]; readonly series: readonly SeriesKey[] } | null = null;
  return () => {
    const of = [store.versionOf(addresses), selected()];
    if (!known || !isDeepStrictEqual(known.of, of)) {
      const homes = selected() && new Map(selected()?.map((home) => [home.address_id.toLowerCase(), home]));
      const rows = (store.latest(addresses) ?? []).filter(({ id }) => homes?.has(String(id).toLowerCase()) ?? true);
      const series = rows.map(({ id }): SeriesKey => {
        const unit = homes?.get(String(id).toLowerCase())?.resolution ?? "fifteenMinutes";
        return { ...addresses, place: String(id), operation: "prices", unit };
      });
      known = { of, series };
    }
    return known.series;
  };
}

/** Returns a function that returns what prices may still need today. It reads again after an answer or a slot. */
function priceReserve(
  { repository, clock, calendar }: AccountsOptions,
  account: string,
  polled: () => readonly SeriesKey[],
) {
  let known: {
    readonly of: readonly unknown[];
    readonly from: EpochMs;
    readonly need: ReturnType<typeof priceNeed>;
  } | null = null;
  return (): PriceReserve => {
    const now = clock.now();
    const of = [repository.revisionOf(account), polled()];
    const isKnown = known?.of.every((each, i) => each === of[i]) && known.from <= now && now < known.need.until;
    if (!known || !isKnown) {
      const states = polled().map((series) => repository.stateOf(series));
      known = { of, from: now, need: priceNeed({ now, calendar, offsetMs: MAX_OFFSET_MS }, states) };
    }
    const { count, until } = known.need;
    return { count, until: clock.monotonicMs() + until - now };
  };
}

/** Header of an account's requests, by interface. */
export interface Authorization {
  readonly consumer?: string;
  readonly thirdParty?: string;
}

/** Returns the accounts that have a key, by name. Shape: those of the consumer interface first. */
export function authorizationsIn({ consumer = [], third_party }: Config): Map<string, Authorization> {
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
