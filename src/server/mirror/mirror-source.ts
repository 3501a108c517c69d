/** Data source of the mirror: storage, and requests to the service out of the LAN's share of the quota. */

import { type SeriesKey, WHOLE } from "../../core/series/series.ts";
import { type EpochMs, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import type { Account } from "../../service/client/account.ts";
import { contractError } from "../../service/contract/errors.ts";
import { UNCAPPED_CLIENT_RANGE } from "../../service/contract/limits.ts";
import { type OperationId, operationOf, type ParamsOf } from "../../service/contract/operations.ts";
import { capEnd } from "../../service/contract/range.ts";
import { rangeOf, seriesOf } from "../../service/contract/series-mapping.ts";
import type { MountOptions } from "../../service/serve/mount.ts";
import type { State } from "../../state/open-state.ts";
import { foundIn, type Unkept } from "../../state/response-assembly.ts";
import type { RouteContext } from "../http/route.ts";
import { DATA_HEADERS } from "../http/security-headers.ts";
import { type Asked, type MirrorSource, mirrorHandlers } from "./mirror.ts";
import { ResponseCache } from "./response-cache.ts";
import { UpcomingStart, upcomingOnly } from "./upcoming-rows.ts";

/** Wait before the next request if an incomplete answer could not be written to the database. */
const UNKEPT_WAIT_MS = MINUTE_MS;

export interface MirrorDeps {
  readonly clock: { now(): EpochMs };
  readonly state: Pick<State, "accounts" | "homes" | "repository" | "calendar">;
  /** Called for a series whose stored rows were changed by a request of the LAN. */
  readonly onSeriesChanged: (series: SeriesKey) => void;
}

/** Returns the options by which the service's operations are mounted for the LAN. */
export function mirrorOptions(deps: MirrorDeps, admit: MountOptions["admit"], context: RouteContext): MountOptions {
  return {
    ...context,
    handlers: mirrorHandlers(mirrorSource(deps, context), new ResponseCache()),
    admit,
    calendar: deps.state.calendar,
    headers: DATA_HEADERS,
  };
}

function mirrorSource(deps: MirrorDeps, { onCrash, newRequestId }: RouteContext): MirrorSource {
  const { clock, onSeriesChanged } = deps;
  const { accounts, homes, repository } = deps.state;
  const starts = new UpcomingStart(repository);
  const accountFor = (operation: OperationId, params: ParamsOf<OperationId>): Account | null => {
    if (operationOf(operation).interface === "thirdParty") return accounts.thirdParty;
    const owner = homes.accountOf(addressIn(params));
    return accounts.named(owner ?? "") ?? accounts.consumers[0] ?? null;
  };
  return {
    onLateCrash: (error) => onCrash(error, newRequestId()),
    refusal(operation, params) {
      const { capability, interface: face } = operationOf(operation);
      const addressId = addressIn(params);
      if (face !== "consumer" || addressId === "" || !homes.known) return null;
      const address = homes.address(addressId);
      if (!address) return contractError("resource_not_found", "this account has no address with this id");
      if (capability === undefined || address.capabilities[capability]) return null;
      return contractError("feature_unavailable", `this address has no ${capability}`);
    },
    find(operation, params, now, askedSince) {
      const account = accountFor(operation, params);
      const found = account && repository.find(account.name, operation, params, now, askedSince);
      return found && upcomingOnly(found, operation, () => starts.of(account.name, operation, params, now));
    },
    findPart(operation, params, now) {
      const account = accountFor(operation, params);
      return account && repository.findPart(account.name, operation, params, now);
    },
    async ask(operation, params, askedSince) {
      const account = accountFor(operation, params);
      if (!account) {
        const { code, reason } = contractError(
          "forbidden",
          "elbro has no key for this interface of the service; set it in the configuration",
        );
        return { kind: "refused", status: 403, code, reason, retryAfterMs: null, requestId: null };
      }
      const series = seriesOf(account.name, operation, params);
      const seriesId = repository.idOf(series);
      const askPart = async (part: typeof params, range: Interval | null): Promise<Asked | null> => {
        const reply = await account.ask({ operation, params: part, share: "lan", seriesId, range });
        if (reply.kind !== "ok") return reply;
        const at = clock.now();
        const changed = await repository.keepAnswer(account.name, operation, part, reply.body, at, reply.dropped);
        if (changed === null) return unkept({ operation, wanted: params, asked: part, body: reply.body, at });
        if (changed) onSeriesChanged(series);
        return null;
      };
      await waitForRequestsInFlight(deps, account, { operation, params, askedSince });
      for (const part of partsToAsk(deps, account.name, { operation, params, askedSince })) {
        const range = operationOf(operation).range ? rangeOf(operation, part) : null;
        const ended = await account.flights.run(series, range, () => askPart(part, range));
        if (ended) return ended;
      }
      return { kind: "kept", at: clock.now() };
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
  { clock, state: { repository } }: MirrorDeps,
  { name, flights }: Account,
  { operation, params, askedSince }: Wanted<Id>,
): Promise<void> {
  const series = seriesOf(name, operation, params);
  const lacking = () =>
    operationOf(operation).range ? repository.staleRange(name, operation, params, clock.now(), askedSince) : WHOLE;
  for (;;) {
    const range = lacking();
    const flight = range && flights.overlapping(series, range);
    if (!flight) return;
    await flight;
  }
}

/** Returns the result of an answer that could not be stored. If it is incomplete, the next request has to wait. */
function unkept<Id extends OperationId>(answer: Unkept<Id>): Asked {
  const found = foundIn(answer);
  if (found) return { kind: "unkept", found };
  const why = "the database cannot be written, so elbro sends no requests";
  return { kind: "deferred", until: answer.at + UNKEPT_WAIT_MS, why, after: null, isUnwritten: true };
}

/** Returns the address id of a request; empty if it has none. */
function addressIn(params: ParamsOf<OperationId>): string {
  return "addressId" in params ? params.addressId : "";
}

/**
 * Returns the requests that fetch the missing data: whole chunks, in parts within the service's range limits.
 * Ascending.
 */
function partsToAsk<Id extends OperationId>(
  { clock, state: { repository, calendar } }: MirrorDeps,
  account: string,
  { operation, params, askedSince }: Wanted<Id>,
): ParamsOf<Id>[] {
  const { range } = operationOf(operation);
  if (!range) return repository.find(account, operation, params, clock.now(), askedSince)?.fresh ? [] : [params];
  const stale = repository.staleRange(account, operation, params, clock.now(), askedSince);
  const unit = seriesOf(account, operation, params).unit;
  const cap = range.caps[unit] ?? UNCAPPED_CLIENT_RANGE;
  const parts: ParamsOf<Id>[] = [];
  for (let start = stale?.start ?? 0, end = 0; stale && start < stale.end; start = end) {
    end = Math.min(stale.end, capEnd(start, cap, calendar));
    parts.push({ ...params, from: start, to: end });
  }
  return parts;
}
