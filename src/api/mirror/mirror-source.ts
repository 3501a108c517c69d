/** Data source of the mirror: storage, and requests to the service out of the LAN's share of the quota. */

import { message } from "../../core/language/text.ts";
import { WHOLE } from "../../core/series/series.ts";
import { type EpochMs, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import { localError } from "../../http/errors.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import { ResponseCache } from "../../http/response-cache.ts";
import type { Route, RouteContext } from "../../http/route.ts";
import type { Account } from "../../service/client/account.ts";
import { UNCAPPED_CLIENT_RANGE } from "../../service/contract/limits.ts";
import { type OperationId, operationOf, type ParamsOf } from "../../service/contract/operations.ts";
import { capEnd } from "../../service/contract/range.ts";
import type { Address } from "../../service/contract/resources.ts";
import { rangeOf, seriesOf } from "../../service/contract/series-mapping.ts";
import { type Found, foundIn, type UnstoredAnswer } from "../../state/stored-answer.ts";
import type { ApiDeps } from "../deps.ts";
import { type Asked, type MirrorSource, mirrorHandlers } from "./mirror.ts";
import { upcomingOnly, upcomingStart } from "./upcoming-rows.ts";

/** Wait before the next request if an incomplete answer could not be written to the database. */
const UNKEPT_WAIT_MS = MINUTE_MS;

type CrashReport = Pick<RouteContext, "onCrash" | "newRequestId">;

export function mirrorRoutes(deps: ApiDeps, report: CrashReport): readonly Route[] {
  const { clock, state } = deps;
  const sleep = (ms: number, signal: AbortSignal) => clock.sleepUntil(clock.now() + ms, signal);
  return operationRoutes(mirrorHandlers(mirrorSource(deps, report), new ResponseCache(), sleep), state.calendar);
}

function mirrorSource(deps: ApiDeps, { onCrash, newRequestId }: CrashReport): MirrorSource {
  const { repository, homes } = deps.state;
  const source: MirrorSource = {
    onLateCrash: (error) => onCrash(error, newRequestId()),
    refusal(operation, params) {
      // The service knows nothing of a former home any more, so what is stored of it is final.
      const isStored = homes.formerAt(addressIn(params)) && source.find(operation, params, deps.clock.now());
      return isStored ? null : refusalOf(deps, operation, params);
    },
    find(operation, params, now, askedSince) {
      const isFormer = homes.formerAt(addressIn(params)) !== null;
      const found = accountsFor(deps, operation, params).map(({ name }) => {
        const whole = repository.find(name, operation, params, { now, askedSince });
        const stored = isFormer ? (whole ?? repository.findPart(name, operation, params, now)) : whole;
        const part = stored && isFormer ? { ...stored, fresh: true } : stored;
        return (
          part &&
          upcomingOnly(part, operation, () => upcomingStart(repository, { account: name, operation, params }, now))
        );
      });
      return joined(found);
    },
    findPart(operation, params, now) {
      const accounts = accountsFor(deps, operation, params);
      return joined(accounts.map(({ name }) => repository.findPart(name, operation, params, now)));
    },
    async ask(operation, params, askedSince) {
      const accounts = accountsFor(deps, operation, params);
      const [first] = accounts;
      if (!first) return localError("forbidden", message("refused.no_service_key"));
      const key = JSON.stringify([operation, params]);
      const inFlight = first.flights.equal(key) as Promise<Asked> | null;
      return inFlight ?? first.flights.share(key, () => askAll(deps, accounts, { operation, params, askedSince }));
    },
  };
  return source;
}

/** Asks the service with each account, and joins the answers. */
async function askAll<Id extends OperationId>(
  deps: ApiDeps,
  accounts: readonly Account[],
  wanted: Wanted<Id>,
): Promise<Asked> {
  const { clock, state } = deps;
  const { operation, params, askedSince } = wanted;
  const results: Asked[] = [];
  for (const account of accounts) results.push(await askAccount(deps, account, wanted));
  const failed = results.find(({ kind }) => kind !== "kept" && kind !== "unkept");
  if (failed || results.every(({ kind }) => kind === "kept")) return failed ?? { kind: "kept", at: clock.now() };
  const found = results.map((result, i) =>
    result.kind === "unkept"
      ? result.found
      : state.repository.find(accounts[i]?.name ?? "", operation, params, { now: clock.now(), askedSince }),
  );
  const all = joined(found);
  return all ? { kind: "unkept", found: all } : { kind: "kept", at: clock.now() };
}

/** Returns the error that the service would certainly return, judged by the known addresses; null for any other. */
function refusalOf({ state: { homes, accounts } }: ApiDeps, operation: OperationId, params: ParamsOf<OperationId>) {
  const { capability, interface: face } = operationOf(operation);
  const addressId = addressIn(params);
  if (face !== "consumer" || addressId === "" || !homes.known) return null;
  const address = homes.address(addressId);
  if (!address) {
    const unlisted = accounts.consumers.find(({ name }) => !homes.isListed(name))?.name;
    return unlisted === undefined
      ? localError("resource_not_found", message("refused.no_address"))
      : localError("entitlement_unavailable", message("refused.addresses_unknown", { account: unlisted }));
  }
  if (capability === undefined || address.capabilities[capability]) return null;
  return localError("feature_unavailable", message("refused.no_capability", { capability }));
}

/** Returns the account whose key gives access to what a request names; null without one. */
function accountFor({ state: { accounts, homes } }: ApiDeps, operation: OperationId, params: ParamsOf<OperationId>) {
  if (operationOf(operation).interface === "thirdParty") return accounts.thirdParty;
  const owner = homes.accountOf(addressIn(params));
  return accounts.named(owner ?? "") ?? accounts.consumers[0] ?? null;
}

/** Returns the accounts whose responses together answer a request: all for the list of addresses, otherwise one. */
function accountsFor(deps: ApiDeps, operation: OperationId, params: ParamsOf<OperationId>): readonly Account[] {
  const { consumers } = deps.state.accounts;
  if (operation === "addresses" && consumers.length > 0) return consumers;
  const account = accountFor(deps, operation, params);
  return account ? [account] : [];
}

/** Asks the service for what is missing or old, with the key of one account, and stores the answers. */
async function askAccount<Id extends OperationId>(deps: ApiDeps, account: Account, wanted: Wanted<Id>): Promise<Asked> {
  const { clock, onSeriesChanged, state } = deps;
  const { repository } = state;
  const { operation, params } = wanted;
  const series = seriesOf(account.name, operation, params);
  const seriesId = repository.idOf(series);
  const askPart = async (part: typeof params, range: Interval | null): Promise<Asked | null> => {
    const reply = await account.ask({ operation, params: part, share: "lan", seriesId, range });
    if (reply.kind !== "ok") return reply;
    const at = clock.now();
    const changed = await repository.keepAnswer(account.name, operation, part, { ...reply, at });
    if (changed === null) return unkept({ operation, wanted: params, sent: part, body: reply.body, at });
    if (changed) onSeriesChanged(series);
    return null;
  };
  await waitForRequestsInFlight(deps, account, wanted);
  for (const part of partsToAsk(deps, account.name, wanted)) {
    const range = operationOf(operation).range ? rangeOf(operation, part) : null;
    const ended = await account.flights.run(series, range, () => askPart(part, range));
    if (ended) return ended;
  }
  return { kind: "kept", at: clock.now() };
}

/** Joins the responses of accounts, each address once. Null if all are missing, not fresh if one is. */
function joined(found: readonly (Found | null)[]): Found | null {
  const known = found.filter((each) => each !== null);
  const [first] = known;
  if (!first || found.length === 1) return first ?? null;
  return {
    version: known.map(({ version }) => version).join(" "),
    answeredAt: Math.min(...known.map(({ answeredAt }) => answeredAt)),
    fresh: known.length === found.length && known.every(({ fresh }) => fresh),
    read() {
      const bodies = known.map(({ read }) => JSON.parse(read().toString()) as { readonly data: readonly Address[] });
      const rows = new Map<string, Address>();
      for (const row of bodies.flatMap(({ data }) => data))
        if (!rows.has(row.id.toLowerCase())) rows.set(row.id.toLowerCase(), row);
      return Buffer.from(JSON.stringify({ ...bodies[0], data: [...rows.values()] }));
    },
  };
}

/** Request of a LAN client, with the time before which an answer is not accepted. */
interface Wanted<Id extends OperationId> {
  readonly operation: Id;
  readonly params: ParamsOf<Id>;
  readonly askedSince: EpochMs;
}

/** Waits for requests in flight, such as scheduled ones, that fetch a part of the missing data. */
async function waitForRequestsInFlight<Id extends OperationId>(
  { clock, state: { repository } }: ApiDeps,
  { name, flights }: Account,
  { operation, params, askedSince }: Wanted<Id>,
): Promise<void> {
  const series = seriesOf(name, operation, params);
  const lacking = () =>
    operationOf(operation).range
      ? repository.staleRange(name, operation, params, { now: clock.now(), askedSince })
      : WHOLE;
  for (;;) {
    const range = lacking();
    const flight = range && flights.overlapping(series, range);
    if (!flight) return;
    await flight;
  }
}

/** Returns the result of an answer that could not be stored. If it is incomplete, the next request has to wait. */
function unkept<Id extends OperationId>(answer: UnstoredAnswer<Id>): Asked {
  const found = foundIn(answer);
  if (found) return { kind: "unkept", found };
  const why = message("held.not_writable");
  return { kind: "deferred", until: answer.at + UNKEPT_WAIT_MS, why, after: null, isQuota: false };
}

function addressIn(params: ParamsOf<OperationId>): string {
  return "addressId" in params ? params.addressId : "";
}

/** Returns the requests for the missing data: whole chunks, within the service's range limits, ascending. */
function partsToAsk<Id extends OperationId>(
  { clock, state: { repository, calendar } }: ApiDeps,
  account: string,
  { operation, params, askedSince }: Wanted<Id>,
): ParamsOf<Id>[] {
  const { range } = operationOf(operation);
  if (!range)
    return repository.find(account, operation, params, { now: clock.now(), askedSince })?.fresh ? [] : [params];
  const stale = repository.staleRange(account, operation, params, { now: clock.now(), askedSince });
  const unit = seriesOf(account, operation, params).unit;
  const cap = range.caps[unit] ?? UNCAPPED_CLIENT_RANGE;
  const parts: ParamsOf<Id>[] = [];
  for (let start = stale?.start ?? 0, end = 0; stale && start < stale.end; start = end) {
    end = Math.min(stale.end, capEnd(start, cap, calendar));
    parts.push({ ...params, from: start, to: end });
  }
  return parts;
}
