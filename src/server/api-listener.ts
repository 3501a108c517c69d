/** The LAN API while it runs: its listener stays, and what answers behind it may be made again. */
import type { Config } from "../config/schema.ts";
import { onPort } from "../core/status/start-error.ts";
import { type ApiDeps, apiRouter } from "./api.ts";
import { openKeyStore } from "./auth/key-store.ts";
import { type Lookup, listen } from "./http/listener.ts";

export interface ApiListener {
  readonly port: number;
  /** Answers by another configuration from now on. Address and port stay what they are. */
  readonly take: (config: Config) => void;
  readonly close: () => Promise<void>;
}

/** Opens the API. Errors: throws a StartError where the port cannot be had. */
export async function openApi(deps: ApiDeps): Promise<ApiListener> {
  const { api } = deps.config;
  const access = openKeyStore({ ...deps, problems: deps.state.problems });
  let router = apiRouter(deps, access.keys);
  const current: Lookup = { lookup: (request, response) => router.lookup(request, response) };
  const { port, close } = await onPort("api", api.port, () => listen(current, api.host, api.port));
  deps.log.info({ host: api.host, port }, "API listens");
  return {
    port,
    take(config) {
      access.take(config.api);
      router = apiRouter({ ...deps, config }, access.keys);
    },
    close: () => close().then(access.close),
  };
}
