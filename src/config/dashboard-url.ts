import type { Config } from "./schema.ts";

/** Addresses that say nothing of where other machines reach this one. */
const NOWHERE = /^(0\.0\.0\.0|::|127\..*|::1|localhost)$/;

/** Where browsers reach the dashboard: `api.url`, else `api.host` if that is an address of this machine on the LAN. */
export function dashboardUrlOf({ url, host, port }: Config["api"]): string | undefined {
  if (url !== undefined) return url;
  if (port === 0 || NOWHERE.test(host)) return undefined;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}
