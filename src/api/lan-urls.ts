/** Addresses of the dashboard for other devices of the LAN. */
import { networkInterfaces } from "node:os";
import { dashboardUrlOf } from "../config/dashboard-url.ts";
import type { Config } from "../config/schema/schema.ts";

/** Returns `api.url`, or a URL for each IPv4 address here, with a slash at the end; none if nobody else gets in. */
export function lanUrls(api: Config["api"]): string[] {
  const known = dashboardUrlOf(api);
  if (known !== undefined) return [known.endsWith("/") ? known : `${known}/`];
  if (api.host !== "0.0.0.0" && api.host !== "::") return [];
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const own = all.filter(({ family, internal }) => family === "IPv4" && !internal);
  return own.map(({ address }) => `http${api.tls ? "s" : ""}://${address}:${api.port}/`);
}
