/** undici's way through a proxy. */
import type { EnvHttpProxyAgent as EnvHttpProxyAgentType } from "undici";
// @ts-expect-error undici types its index only; the type is the same one.
import EnvHttpProxyAgentOfLib from "undici/lib/dispatcher/env-http-proxy-agent.js";

export const EnvHttpProxyAgent = EnvHttpProxyAgentOfLib as typeof EnvHttpProxyAgentType;
