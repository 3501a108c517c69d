/** Tests of the set-up's steps: key of the service, place of a third-party key, broker, Home Assistant. */
import type { Config } from "../../config/schema.ts";
import type { FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import { judge } from "../../core/fetching/retry-policy.ts";
import type { Text } from "../../core/language/text.ts";
import type { ServiceProblemCode } from "../../core/status/problem-catalog.ts";
import { VERSION } from "../../core/status/version.ts";
import { type ClientOptions, createClient } from "../../service/client/client.ts";
import { openService } from "../../service/client/open-service.ts";
import type { ProxySettings } from "../../service/client/proxy.ts";
import type { OperationId, ParamsOf } from "../../service/contract/operations.ts";
import type { Address } from "../../service/contract/resources.ts";
import { thirdPartyToken } from "../../service/third-party-token.ts";

const SERVICE_MS = 20_000;
const HOME_ASSISTANT_MS = 12_000;

/** Result of a trial. `problem` is null if it works; `detail` is translated when it is shown. */
export interface Trial {
  readonly works: boolean;
  readonly problem: string | null;
  readonly detail: Text | null;
}

export interface ServiceTrial extends Trial {
  readonly problem: ServiceProblemCode | null;
  readonly addresses: readonly (Pick<Address, "id" | "label" | "region"> & { readonly address: string })[];
}

export interface ThirdPartyTrial extends Trial {
  readonly problem: ServiceProblemCode | null;
  /** Addresses that match the one of the place. */
  readonly suggestions: readonly string[];
}

const WORKS = { works: true, problem: null, detail: null } as const;

/** Requests the addresses of a key from the service, with one request. */
export async function tryService(
  service: Config["service"],
  apiKey: string,
  proxy: ProxySettings | null,
): Promise<ServiceTrial> {
  const authorization = { consumer: `Bearer ${apiKey}` };
  const answer = await askOnce({ service, proxy, authorization, secrets: [apiKey] }, "addresses", {});
  if (answer.kind !== "ok") return { ...failed(answer), addresses: [] };
  const { data } = answer.body as unknown as { readonly data: readonly Address[] };
  const addresses = data.map(({ id, label, formattedAddress: address, region }) => ({ id, label, address, region }));
  return { ...WORKS, addresses };
}

/** Tests a key pair with one request: for the addresses or the region of a place, or for the used quota. */
export async function tryThirdParty(
  service: Config["service"],
  { api_key = "", api_secret = "", hash_encoding }: NonNullable<Config["third_party"]>,
  proxy: ProxySettings | null,
  { region, address }: { readonly region?: string | undefined; readonly address?: string | undefined } = {},
): Promise<ThirdPartyTrial> {
  const token = thirdPartyToken({ apiKey: api_key, apiSecret: api_secret }, hash_encoding);
  const authorization = { thirdParty: `Bearer ${token}` };
  const asked = { service, proxy, authorization, secrets: [api_secret, token] };
  if (address !== undefined) {
    const found = await askOnce(asked, "addressSuggestions", { query: address });
    const suggestions = found.kind === "ok" ? found.body.map(({ suggestion }) => suggestion) : [];
    return { ...placeTrial(found, suggestions), suggestions };
  }
  if (region !== undefined) {
    const prices = await askOnce(asked, "regionPrices", { region });
    return { ...placeTrial(prices, prices.kind === "ok" ? prices.body : []), suggestions: [] };
  }
  const counts = await askOnce(asked, "requestCounts", {});
  return { ...(counts.kind === "ok" ? WORKS : failed(counts)), suggestions: [] };
}

/** A place that the service knows has rows. */
function placeTrial(answer: { readonly kind: "ok" } | FetchFailure, rows: readonly unknown[]) {
  if (answer.kind !== "ok") return failed(answer);
  return rows.length > 0 ? WORKS : ({ works: false, problem: "address_gone", detail: null } as const);
}

interface Asked extends Pick<ClientOptions, "authorization"> {
  readonly service: Config["service"];
  readonly proxy: ProxySettings | null;
  readonly secrets: readonly string[];
}

async function askOnce<Id extends OperationId>(
  { service, proxy, authorization, secrets }: Asked,
  operation: Id,
  params: ParamsOf<Id>,
) {
  const { get, basePath, close } = openService({ config: { service }, proxy });
  try {
    const client = createClient({
      get,
      basePath,
      userAgent: `elbro/${VERSION}`,
      authorization,
      secrets: secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]),
    });
    return await client(operation, params, { signal: AbortSignal.timeout(SERVICE_MS), note: () => undefined });
  } finally {
    await close();
  }
}

function failed(answer: FetchFailure) {
  const problem = judge(answer, 0, () => 0, "prices").problem ?? "service_trouble";
  const detail = answer.kind === "refused" ? `${answer.status}: ${answer.reason}` : answer.why;
  return { works: false, problem, detail };
}

/** Connects to a broker and disconnects. Publishes nothing. */
export async function tryExternalBroker(mqtt: Config["mqtt"]): Promise<Trial> {
  const [{ tryBroker }, { connectionTo }] = await Promise.all([
    import("../../mqtt/client/check-connection.ts"),
    import("../../mqtt/broker/start-broker.ts"),
  ]);
  const detail = await tryBroker(connectionTo(null, { mqtt } as Config));
  return detail === null ? WORKS : { works: false, problem: "broker", detail };
}

/** Logs in to Home Assistant and disconnects. */
export async function tryHomeAssistant(account: { readonly url: string; readonly token: string }): Promise<Trial> {
  const { HomeAssistantClient, HomeAssistantError } = await import(
    "../../integrations/homeassistant/websocket-client.ts"
  );
  try {
    const client = await HomeAssistantClient.connect(account, AbortSignal.timeout(HOME_ASSISTANT_MS));
    client.close();
    return WORKS;
  } catch (error) {
    if (!(error instanceof HomeAssistantError)) throw error;
    return { works: false, problem: error.kind, detail: error.text };
  }
}
