/** Opens the connection to the service. The HTTP client is loaded with the first request. */

import { type Client, type ClientOptions, createClient } from "./client.ts";
import type { HttpGet, Transport } from "./http-transport.ts";
import type { ProxySettings } from "./proxy.ts";

export interface ServiceOptions {
  readonly config: { readonly service: { readonly base_url: string; readonly ca?: string | undefined } };
  /** Proxy from the environment; null without one. */
  readonly proxy?: ProxySettings | null;
}

export interface Service {
  /** Creates the client of an account. There is no other way to this connection. */
  readonly client: (options: Omit<ClientOptions, "get" | "basePath">) => Client;
  readonly close: () => Promise<void>;
}

export function openService({ config, proxy }: ServiceOptions): Service {
  const { base_url: baseUrl, ca } = config.service;
  const base = new URL(baseUrl);
  let transport: Promise<Transport> | null = null;
  // The HTTP client takes 12 ms and 6 MB to load. A warm start publishes stored data before it is needed.
  const connect = () => {
    transport ??= import("./http-transport.ts").then(({ openTransport }) =>
      openTransport(base.origin, { ...(ca === undefined ? {} : { ca }), proxy }),
    );
    return transport;
  };
  const get: HttpGet = async (path, headers, signal) => (await connect()).get(path, headers, signal);
  const basePath = base.pathname.replace(/\/+$/, "");
  return {
    client: (options) => createClient({ ...options, get, basePath }),
    close: async () => transport?.then((opened) => opened.close()),
  };
}
