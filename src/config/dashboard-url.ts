import type { Config } from "./schema/schema.ts";

/** Addresses by which other machines cannot reach this one. */
const NOWHERE = /^(0\.0\.0\.0|::|127\..*|::1|localhost)$/;

/**
 * Returns the URL of the dashboard: `api.url`, otherwise from `api.host` if other machines can reach it; else
 * undefined.
 */
export function dashboardUrlOf({ url, host, port, tls }: Config["api"]): string | undefined {
  if (url !== undefined) return url;
  if (port === 0 || NOWHERE.test(host)) return undefined;
  return `http${tls ? "s" : ""}://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}
