/** Requests to the service on behalf of a command, out of the LAN's share of the quota. */

import type { Deferred, FetchFailure } from "../core/fetching/fetch-outcome.ts";
import { textIn } from "../core/language/text.ts";
import { formatInstant } from "../core/time/interval.ts";
import type { Account } from "../service/client/account.ts";
import type { Address } from "../service/contract/resources.ts";
import { seriesOf } from "../service/contract/series-mapping.ts";
import type { ApiDeps } from "./deps.ts";

type AskDeps = Pick<ApiDeps, "clock" | "state" | "onSeriesChanged">;

/** Reason why a request was not sent or failed. */
export type Trouble = FetchFailure | Deferred;

/** Asks the service and stores the answer. Returns the reason of a failure; null on success. */
export function askService(
  { clock, state: { repository }, onSeriesChanged }: AskDeps,
  account: Account,
  operation: "addresses" | "requestCounts",
): Promise<Trouble | null> {
  const series = seriesOf(account.name, operation, {});
  return account.flights.run(series, null, async () => {
    const ask = { operation, params: {}, share: "lan", seriesId: repository.idOf(series), range: null } as const;
    const reply = await account.ask(ask);
    if (reply.kind !== "ok") return reply;
    const isChanged = await repository.keepAnswer(account.name, operation, {}, { ...reply, at: clock.now() });
    if (isChanged) onSeriesChanged(series);
    return null;
  });
}

/** Returns the stored addresses of an account; null if the service has never listed them. */
export function knownAddresses({ state }: AskDeps, { name }: Account): readonly Address[] | null {
  const series = { account: name, place: "", operation: "addresses", unit: "latest" } as const;
  return state.repository.store.latest(series) as readonly Address[] | null;
}

/** Returns whether a request only has to wait for quota. */
export function isPatience(trouble: Trouble): boolean {
  return trouble.kind === "deferred" && trouble.after === null;
}

export function troubleText(trouble: Trouble): string {
  switch (trouble.kind) {
    case "refused":
      return `the service rejects the request: ${[trouble.status, trouble.code].filter((part) => part !== null).join(" ")}: ${trouble.reason}`;
    case "malformed":
      return `the service's response does not match its documentation: ${textIn("en", trouble.why)}`;
    case "unreachable":
      return `the service cannot be reached: ${textIn("en", trouble.why)}`;
    case "deferred":
      return `no request before ${formatInstant(trouble.until)}: ${trouble.after ? troubleText(trouble.after) : textIn("en", trouble.why)}`;
  }
}
