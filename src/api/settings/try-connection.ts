/** Tests of connections: service, broker, Home Assistant, archive. The service is asked by its accounts only. */

import type { Config } from "../../config/schema/schema.ts";
import type { ConnectionName } from "../../config/settings.ts";
import type { Deferred, FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import { judge } from "../../core/fetching/retry-policy.ts";
import { message, reasonOf, type Text } from "../../core/language/text.ts";
import { connectionTo } from "../../mqtt/broker/start-broker.ts";
import { detailOf } from "../../service/client/account-problems.ts";
import type { ProxySettings } from "../../service/client/proxy.ts";
import type { OperationId, ParamsOf } from "../../service/contract/operations.ts";
import type { Address } from "../../service/contract/resources.ts";
import { seriesOf } from "../../service/contract/series-mapping.ts";
import { THIRD_PARTY, type TriedAccount } from "../../state/accounts/open-account.ts";
import type { ApiDeps } from "../deps.ts";

const HOME_ASSISTANT_MS = 12_000;
/** Maximum number of accounts that are asked, so that a test does not use up the quota of a minute. */
export const MAX_TRIED = 3;

/** Result of a test. */
export interface Trial {
  readonly works: boolean;
  /** Problem that it would be in use, or what is wrong with the connection; null if it works. */
  readonly code: string | null;
  readonly facts: {
    /** What was found; null if it works. */
    readonly detail: Text | null;
    /** Addresses of a key of the service. */
    readonly addresses?: readonly Address[];
    /** Addresses that match the one of a place. */
    readonly suggestions?: readonly string[];
  };
}

/** Place of a third-party account that is asked for; without one, its request counts are. */
export type TriedPlace = { readonly region?: string | undefined; readonly address?: string | undefined };

export interface TrialDeps extends Pick<ApiDeps, "clock" | "onSeriesChanged"> {
  readonly state: Pick<ApiDeps["state"], "accounts" | "repository">;
}

const WORKS: Trial = { works: true, code: null, facts: { detail: null } };
const NOT_SET = failed("not_set", message("connection.not_set"));
/** Code of a test that has to wait for the quota. */
export const WAITS = "waiting_for_quota";

function failed(code: string, detail: Text | null): Trial {
  return { works: false, code, facts: { detail } };
}

/** Tests a connection of a configuration, which may not be in use. A test publishes and changes nothing. */
export async function tryConnection(
  deps: TrialDeps,
  kind: ConnectionName | "archive",
  config: Config,
  { proxy, place = {} }: { readonly proxy: ProxySettings | null; readonly place?: TriedPlace },
): Promise<Trial> {
  const { archive, home_assistant, mqtt } = config;
  switch (kind) {
    case "service": {
      const trials: Trial[] = [];
      for (const tried of deps.state.accounts.tried(config, proxy).slice(0, MAX_TRIED))
        trials.push(await tryAccount(deps, tried, place));
      return trials.find(({ works }) => !works) ?? trials[0] ?? NOT_SET;
    }
    case "mqtt": {
      if (mqtt.url === undefined) return NOT_SET;
      const { tryBroker } = await import("../../mqtt/client/check-connection.ts");
      const detail = await tryBroker(connectionTo(null, config));
      return detail === null ? WORKS : failed("broker", detail);
    }
    case "home_assistant": {
      if (!home_assistant) return NOT_SET;
      const { HomeAssistantClient } = await import("../../integrations/homeassistant/websocket-client.ts");
      return tryLogin(() => HomeAssistantClient.connect(home_assistant, AbortSignal.timeout(HOME_ASSISTANT_MS)));
    }
    case "archive": {
      if (!archive) return NOT_SET;
      const { PostgresArchive } = await import("../../integrations/archive/postgres-archive.ts");
      return tryLogin(() => PostgresArchive.check(archive, new AbortController().signal));
    }
  }
}

/** Logs in and disconnects. */
async function tryLogin(login: () => Promise<{ close(): unknown }>): Promise<Trial> {
  try {
    (await login()).close();
    return WORKS;
  } catch (error) {
    return failed(String(Object(error).kind ?? "unreachable"), reasonOf(error, "no connection"));
  }
}

/** Asks the service with one request. The answer is stored if the account is in use. */
export async function tryAccount(deps: TrialDeps, tried: TriedAccount, place: TriedPlace = {}): Promise<Trial> {
  await using opened = tried;
  const { account, isUsed, share } = opened;
  const { repository } = deps.state;
  const { operation, params } = questionOf(account.name, place);
  const series = seriesOf(account.name, operation, params);
  return await account.flights.run(series, null, async () => {
    const seriesId = isUsed ? repository.idOf(series) : null;
    const reply = await account.ask({ operation, params, share, seriesId, range: null });
    if (reply.kind !== "ok") return trialOf(reply);
    const at = deps.clock.now();
    const isChanged = isUsed && (await repository.keepAnswer(account.name, operation, params, { ...reply, at }));
    if (isChanged) deps.onSeriesChanged(series);
    return answered(operation, reply.body);
  });
}

function questionOf(
  account: string,
  { address, region }: TriedPlace,
): { readonly operation: OperationId; readonly params: ParamsOf<OperationId> } {
  if (account !== THIRD_PARTY) return { operation: "addresses", params: {} };
  if (address !== undefined) return { operation: "addressSuggestions", params: { query: address } };
  if (region !== undefined) return { operation: "regionPrices", params: { region } };
  return { operation: "requestCounts", params: {} };
}

function answered(operation: OperationId, body: unknown): Trial {
  if (operation === "addresses")
    return { ...WORKS, facts: { detail: null, addresses: (body as { readonly data: readonly Address[] }).data } };
  const rows = body as readonly { readonly suggestion?: string }[];
  // A place that the service knows has rows.
  if (rows.length === 0 && operation !== "requestCounts") return failed("address_gone", null);
  return { ...WORKS, facts: { detail: null, suggestions: rows.flatMap(({ suggestion }) => suggestion ?? []) } };
}

function trialOf(reply: FetchFailure | Deferred): Trial {
  const failure = reply.kind === "deferred" ? reply.after : reply;
  const problem = failure && (judge(failure, 0, () => 0, "prices").problem ?? "service_trouble");
  return failed(problem ?? WAITS, detailOf(reply));
}
