/** undici's way through a proxy. */
import type { EnvHttpProxyAgent as EnvHttpProxyAgentType } from "undici";
// @ts-expect-error undici types its index only; the type is the same one.
import connect from "undici/lib/api/api-connect.js";
// @ts-expect-error as above.
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
// @ts-expect-error as above.
import EnvHttpProxyAgentOfLib from "undici/lib/dispatcher/env-http-proxy-agent.js";

// undici's index, which is not loaded, gives its dispatchers this method; the proxy agent opens its tunnels with it.
Dispatcher.prototype.connect = connect;

export const EnvHttpProxyAgent = EnvHttpProxyAgentOfLib as typeof EnvHttpProxyAgentType;
