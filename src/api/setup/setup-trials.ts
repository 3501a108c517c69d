/**
 * Tests of the set-up: key of the service, broker, Home Assistant. Each step of the page runs its test and shows the
 * mistake.
 */
import type { Config } from "../../config/schema.ts";
import { judge } from "../../core/fetching/retry-policy.ts";
import type { Text } from "../../core/language/text.ts";
import type { ServiceProblemCode } from "../../core/status/problem-catalog.ts";
import { VERSION } from "../../core/status/version.ts";
import { type ClientOptions, createClient } from "../../service/client/client.ts";
import { openService } from "../../service/client/open-service.ts";
import type { ProxySettings } from "../../service/client/proxy.ts";
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
  readonly addresses: readonly Pick<Address, "id" | "label" | "region">[];
}

const WORKS = { works: true, problem: null, detail: null } as const;

/** Requests the addresses of a key from the service, with one request. */
export async function tryService(
  service: Config["service"],
  apiKey: string,
  proxy: ProxySettings | null,
): Promise<ServiceTrial> {
  const authorization = { consumer: `Bearer ${apiKey}` };
  const answer = await askOnce({ service, proxy, authorization, secrets: [apiKey] }, "addresses");
  if (answer.kind !== "ok") return { ...failed(answer), addresses: [] };
  const { data } = answer.body as unknown as { readonly data: readonly Address[] };
  return { ...WORKS, addresses: data.map(({ id, label, region }) => ({ id, label, region })) };
}

/** Requests the used quota of a key and secret from the service, with one request. */
export async function tryThirdParty(
  service: Config["service"],
  { api_key = "", api_secret = "", hash_encoding }: NonNullable<Config["third_party"]>,
  proxy: ProxySettings | null,
): Promise<Trial> {
  const token = thirdPartyToken({ apiKey: api_key, apiSecret: api_secret }, hash_encoding);
  const authorization = { thirdParty: `Bearer ${token}` };
  const answer = await askOnce({ service, proxy, authorization, secrets: [api_secret, token] }, "requestCounts");
  return answer.kind === "ok" ? WORKS : failed(answer);
}

interface Asked extends Pick<ClientOptions, "authorization"> {
  readonly service: Config["service"];
  readonly proxy: ProxySettings | null;
  readonly secrets: readonly string[];
}

/** Sends one request without parameters. */
async function askOnce({ service, proxy, authorization, secrets }: Asked, operation: "addresses" | "requestCounts") {
  const { get, basePath, close } = openService({ config: { service }, proxy });
  try {
    const client = createClient({
      ...{ get, basePath, userAgent: `elbro/${VERSION}`, authorization },
      secrets: secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]),
    });
    return await client(operation, {}, { signal: AbortSignal.timeout(SERVICE_MS), note: () => undefined });
  } finally {
    await close();
  }
}

function failed(answer: Exclude<Awaited<ReturnType<typeof askOnce>>, { kind: "ok" }>) {
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
