/**
 * Operations of the command line. They run in the daemon, or in the command's own process if there is no daemon.
 * Requests to the service use the account's rate limiter and request log, out of the LAN's share of the quota.
 */

import path from "node:path";
import type { Config } from "../../config/schema.ts";
import type { Deferred, FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import { textIn } from "../../core/language/text.ts";
import type { Home } from "../../core/prices/home-snapshot.ts";
import type { Level } from "../../core/prices/level.ts";
import { judgedPoints } from "../../core/prices/price-comparison.ts";
import type { SeriesKey } from "../../core/series/series.ts";
import { VERSION } from "../../core/status/version.ts";
import { type EpochMs, formatInstant, type Interval } from "../../core/time/interval.ts";
import type { Account } from "../../service/client/account.ts";
import type { BodyOf, OperationId, ParamsOf } from "../../service/contract/operations.ts";
import type { Address } from "../../service/contract/resources.ts";
import { rangeOf, seriesOf } from "../../service/contract/series-mapping.ts";
import type { State } from "../../state/open-state.ts";
import { damageIn } from "../../storage/damage-scan.ts";
import type { Storage } from "../../storage/open-storage.ts";
import { copyPathOf } from "../../storage/recovery.ts";
import { databaseTrouble } from "../../storage/write-check.ts";

/** Requests of the command line. */
export type AdminRequest =
  /** `here`: checks whether a daemon runs. */
  | { readonly ask: "here" | "addresses" | "backup" | "check" | "diagnostics" }
  | { readonly ask: "prices"; readonly home: string | null }
  | { readonly ask: "suggest"; readonly text: string };

/** Responses by request. */
export interface AdminResponses {
  readonly here: { readonly version: string };
  readonly addresses: Awaited<ReturnType<AdminApi["addresses"]>>;
  readonly backup: Awaited<ReturnType<AdminApi["backup"]>>;
  readonly prices: Awaited<ReturnType<AdminApi["prices"]>>;
  readonly suggest: Awaited<ReturnType<AdminApi["suggest"]>>;
  readonly check: Awaited<ReturnType<AdminApi["check"]>>;
  readonly diagnostics: object;
}

export interface DayPrices extends Interval {
  /** Local date, such as 2026-11-21. */
  readonly date: string;
  /** Ascending. Gaps are omitted. */
  readonly prices: readonly ShownPrice[];
}

export interface ShownPrice extends Interval {
  /** Local time of day in minutes. */
  readonly minuteOfDay: number;
  readonly price: number;
  readonly level: Level | null;
  readonly estimate: boolean;
}

/** Result of the check of a part. */
export interface CheckResult {
  readonly part: string;
  /** `untold` if it could not be checked, for instance because the quota does not allow it now. */
  readonly state: "works" | "fails" | "untold";
  readonly text: string;
}

/** Returns the result of a check. `trouble` is the reason of a failure; null if the part works. */
export function checkResultOf(part: string, trouble: string | null, otherwise: string): CheckResult {
  return { part, state: trouble === null ? "works" : "fails", text: trouble ?? otherwise };
}

export interface AdminApiDeps {
  readonly config: Pick<Config, "levels">;
  readonly clock: { now(): EpochMs };
  readonly state: Pick<State, "calendar" | "accounts" | "homes" | "homeReader" | "repository" | "thresholds">;
  readonly storage: Pick<Storage, "database" | "databasePath">;
  /** Called for a series whose stored rows were changed by an answer. */
  readonly onSeriesChanged: (series: SeriesKey) => void;
  /** Checks the connection to the broker. */
  readonly broker: () => Promise<CheckResult>;
  /** Checks the login to Home Assistant; null if it is not configured. */
  readonly homeAssistant: () => Promise<CheckResult | null>;
  /** Checks the login to the archive; null if it is not configured. */
  readonly archive: () => Promise<CheckResult | null>;
  readonly diagnostics: () => Promise<object>;
  /** Makes the verified copy of the database. Returns the reason of a failure; null on success. */
  readonly copyNow: () => Promise<string | null>;
}

/** Maximum number of accounts that are contacted, so that a check does not use up the quota of a minute. */
const MAX_CHECKED = 3;

export class AdminApi {
  readonly #deps: AdminApiDeps;

  constructor(deps: AdminApiDeps) {
    this.#deps = deps;
  }

  async answer(question: AdminRequest): Promise<AdminResponses[AdminRequest["ask"]]> {
    switch (question.ask) {
      case "here":
        return { version: VERSION };
      case "addresses":
        return this.addresses();
      case "prices":
        return this.prices(question.home);
      case "suggest":
        return this.suggest(question.text);
      case "check":
        return this.check();
      case "backup":
        return this.backup();
      case "diagnostics":
        return this.#deps.diagnostics();
    }
  }

  async backup() {
    const { copyNow, storage } = this.#deps;
    return { trouble: await copyNow(), copy: path.resolve(copyPathOf(storage.databasePath)) };
  }

  async addresses() {
    const { accounts, homes } = this.#deps.state;
    const listed = [];
    for (const account of accounts.consumers) {
      const trouble = this.#knownAddresses(account) === null ? await this.#ask(account, "addresses", {}) : null;
      const ids = new Map(homes.list().map((home) => [home.addressId, home.id]));
      const addresses = (this.#knownAddresses(account) ?? []).map((address) => knownAddress(address, ids));
      listed.push({ account: account.name, trouble, addresses });
    }
    return { accounts: listed };
  }

  #knownAddresses({ name }: Account): readonly Address[] | null {
    const series = { account: name, place: "", operation: "addresses", unit: "latest" } as const;
    return this.#deps.state.repository.store.latest(series) as readonly Address[] | null;
  }

  /** Returns the prices of a home; of the first one if `wanted` is null. */
  async prices(wanted: string | null) {
    const { homes } = this.#deps.state;
    const asked = homes.known ? [] : (await this.addresses()).accounts;
    const trouble = asked.map((each) => each.trouble).find((each) => each !== null) ?? null;
    const shown = [];
    const all = homes.list();
    const chosen = wanted === null ? all[0] : all.find(({ id }) => id === wanted);
    if (chosen) shown.push(await this.#pricesOf(chosen));
    return { homes: shown, known: homes.list().map(({ id }) => id), trouble };
  }

  async #pricesOf(home: Home) {
    const { clock, state } = this.#deps;
    const { homeReader, calendar, thresholds } = state;
    const now = clock.now();
    const today = calendar.day(now);
    const range = { start: today.start, end: calendar.add("day", today.start, 2) };
    const isKnown = (homeReader.timeline(home, now)?.points ?? []).some((point) => point.end > now && !point.estimate);
    const account = this.#deps.state.accounts.consumers.find(({ name }) => name === home.account);
    const params = { addressId: home.addressId, from: range.start, to: range.end, resolution: home.resolution };
    const trouble = isKnown || !account ? null : await this.#ask(account, "prices", params);
    const timeline = homeReader.timeline(home, now);
    const points = judgedPoints(timeline?.points ?? [], range, calendar, thresholds);
    /** Known prices of today and tomorrow. */
    const days = calendar.intervals("day", range).map((day): DayPrices => {
      const prices = points
        .filter(({ start }) => start >= day.start && start < day.end)
        .map(({ start, end, price, level, estimate }) => ({
          ...{ start, end, price, level, estimate },
          minuteOfDay: calendar.minuteOfDay(start),
        }));
      return { ...day, date: calendar.dateOf(day.start), prices };
    });
    return { id: home.id, name: home.name, currency: timeline?.currency ?? null, trouble, days, now };
  }

  async suggest(query: string) {
    const { clock, state } = this.#deps;
    const { accounts, repository } = state;
    const account = accounts.thirdParty;
    if (!account)
      return { suggestions: [], trouble: "the address search needs third_party.api_key and third_party.api_secret" };
    const series = seriesOf(account.name, "addressSuggestions", { query });
    const isFresh = repository.find(account.name, "addressSuggestions", { query }, clock.now())?.fresh === true;
    const trouble = isFresh ? null : await this.#ask(account, "addressSuggestions", { query });
    const rows = repository.store.latest(series) ?? [];
    return { suggestions: rows.map(({ id, suggestion }) => ({ id: String(id), text: String(suggestion) })), trouble };
  }

  async check() {
    const { state, broker, homeAssistant, archive } = this.#deps;
    const findings: CheckResult[] = [];
    for (const [i, account] of state.accounts.all.entries())
      findings.push(await this.#checkAccount(account, i < MAX_CHECKED));
    findings.push(await broker(), await this.#checkDatabase());
    const configured = [await homeAssistant(), await archive()].flatMap((finding) => finding ?? []);
    return { findings: [...findings, ...configured], keysMark: state.accounts.keysMark };
  }

  async #checkAccount(account: Account, isTried: boolean): Promise<CheckResult> {
    const part = `service (${account.name})`;
    if (!isTried) return { part, state: "untold", text: `not tested: a check tests at most ${MAX_CHECKED} accounts` };
    const isPartner = account === this.#deps.state.accounts.thirdParty;
    const trouble = await this.#try(account, isPartner ? "requestCounts" : "addresses", {});
    if (trouble) return { part, state: isPatience(trouble) ? "untold" : "fails", text: troubleText(trouble) };
    const { minute, day } = account.standing(this.#deps.clock.now());
    const left = [minute ? `${minute.left} this minute` : [], day ? `${day.left} today` : []].flat();
    const found = isPartner ? [] : [addressCount(this.#knownAddresses(account)?.length ?? 0)];
    return checkResultOf(
      part,
      null,
      ["it answers", ...found, ...(left.length > 0 ? [`requests left: ${left.join(", ")}`] : [])].join("; "),
    );
  }

  async #checkDatabase(): Promise<CheckResult> {
    const { database, databasePath } = this.#deps.storage;
    const trouble = (await databaseTrouble(database, databasePath)) ?? (damageIn(database).join(", ") || null);
    const chunks = database.prepare("select count(*) as n from chunk").get()?.n;
    return checkResultOf("database", trouble, `writable; ${chunks} chunks stored`);
  }

  /** Asks the service and stores the answer. Returns the reason of a failure; null on success. */
  async #ask<Id extends OperationId>(account: Account, operation: Id, params: ParamsOf<Id>): Promise<string | null> {
    const trouble = await this.#try(account, operation, params);
    return trouble && troubleText(trouble);
  }

  async #try<Id extends OperationId>(account: Account, operation: Id, params: ParamsOf<Id>): Promise<Trouble | null> {
    const { clock, onSeriesChanged } = this.#deps;
    const { repository } = this.#deps.state;
    const series = seriesOf(account.name, operation, params);
    const range = "from" in params ? rangeOf(operation, params) : null;
    return account.flights.run(series, range, async () => {
      const reply = await account.ask({ operation, params, share: "lan", seriesId: repository.idOf(series), range });
      if (reply.kind !== "ok") return reply;
      const kept = await repository.keepAnswer(
        account.name,
        operation,
        params,
        reply.body as BodyOf<Id>,
        clock.now(),
        reply.dropped,
      );
      if (kept) onSeriesChanged(series);
      return null;
    });
  }
}

function knownAddress(address: Address, homeIds: ReadonlyMap<string, string>) {
  const { id, label, formattedAddress, region, capabilities } = address;
  return {
    ...{ id, label, address: formattedAddress, region },
    /** Id of the home of this address; null if the configuration omits it. */
    home: homeIds.get(id) ?? null,
    capabilities: Object.keys(capabilities).filter((name) => (capabilities as Record<string, unknown>)[name] === true),
  };
}

function addressCount(count: number): string {
  return count === 1 ? "1 address" : `${count} addresses`;
}

type Trouble = FetchFailure | Deferred;

/** Returns whether the request only has to wait for quota. */
function isPatience(trouble: Trouble): boolean {
  return trouble.kind === "deferred" && trouble.after === null;
}

function troubleText(trouble: Trouble): string {
  switch (trouble.kind) {
    case "refused":
      return `the service rejects the request: ${[trouble.status, trouble.code].filter((part) => part !== null).join(" ")}: ${trouble.reason}`;
    case "malformed":
      return `the service's response does not match its documentation: ${textIn("en", trouble.why)}`;
    case "unreachable":
      return `the service cannot be reached: ${textIn("en", trouble.why)}`;
    case "deferred":
      return `no request before ${formatInstant(trouble.until)}: ${trouble.after ? troubleText(trouble.after) : trouble.why}`;
  }
}
