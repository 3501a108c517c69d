/** Opens the connection to the service. Nothing is sent, and no HTTP client is loaded, before the first request. */

import type { HttpGet, Transport } from "./http-transport.ts";
import type { ProxySettings } from "./proxy.ts";

export interface ServiceOptions {
  readonly config: { readonly service: { readonly base_url: string; readonly ca?: string | undefined } };
  /** Proxy of the environment; null without one. */
  readonly proxy?: ProxySettings | null;
}

export interface Service {
  readonly get: HttpGet;
  /** Path in front of the contract's paths, without a slash at its end. */
  readonly basePath: string;
  readonly close: () => Promise<void>;
}

export function openService({ config, proxy }: ServiceOptions): Service {
  const { base_url: baseUrl, ca } = config.service;
  const base = new URL(baseUrl);
  let transport: Promise<Transport> | null = null;
  // The HTTP client takes 12 ms and 6 MB to load: a warm start publishes from storage before it is needed.
  const connect = () => {
    transport ??= import("./http-transport.ts").then(({ openTransport }) =>
      openTransport(base.origin, { ...(ca === undefined ? {} : { ca }), ...(proxy ? { proxy } : {}) }),
    );
    return transport;
  };
  return {
    get: async (path, headers, signal) => (await connect()).get(path, headers, signal),
    basePath: base.pathname.replace(/\/+$/, ""),
    close: async () => transport?.then((opened) => opened.close()),
  };
}
