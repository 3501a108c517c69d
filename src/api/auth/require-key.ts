/** Checks before the start that at least one client could use the LAN API. */

import type { CommandHint } from "../../config/command-hint.ts";
import type { Config } from "../../config/schema.ts";
import { StartError } from "../../core/status/start-error.ts";
import { KeyFile } from "../../storage/api-key-file.ts";

/** Throws a StartError if other machines can reach the API but no key can use it. */
export function requireKeys({ api, data_dir }: Pick<Config, "api" | "data_dir">, hint: CommandHint): void {
  const configured = api.keys.length + (api.third_party_keys?.length ?? 0);
  if (isLoopback(api.host) || configured > 0 || api.dashboard === "open") return;
  const reading = new KeyFile(data_dir).read();
  if (reading.kind === "unreadable" || reading.keys.length > 0) return;
  throw new StartError(
    `the API on ${api.host} has no key, so nobody could use it. Create one and restart elbro:
  ${hint("keys create NAME")}
(NAME is the name of the device, such as kitchen). Or allow this machine only: api.host: 127.0.0.1`,
  );
}

/** Returns whether only this machine can reach a listening address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}
