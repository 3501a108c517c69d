/** Checks before the start that at least one client could use the LAN API. */

import type { CommandHint } from "../../config/command-hint.ts";
import type { Config } from "../../config/schema/schema.ts";
import { type Message, message } from "../../core/language/text.ts";
import { StartError } from "../../core/status/start-error.ts";
import { KeyFile } from "../../storage/api-key-file.ts";

/** Throws a StartError if other machines can reach the API but no key can use it. */
export function requireKeys(config: Pick<Config, "api" | "data_dir">, hint: CommandHint): void {
  const missing = missingKey(config, hint);
  if (missing) throw new StartError(missing);
}

/** Returns why nobody could use the API; null if somebody can. */
export function missingKey({ api, data_dir }: Pick<Config, "api" | "data_dir">, hint: CommandHint): Message | null {
  const configured = api.keys.length + (api.third_party_keys?.length ?? 0);
  if (isLoopbackHost(api.host) || configured > 0 || api.dashboard === "open") return null;
  const reading = new KeyFile(data_dir).read();
  if (reading.kind === "unreadable" || reading.keys.length > 0) return null;
  return message("start.no_key", { host: api.host, command: hint("keys create NAME") });
}

/** Returns whether only this machine can reach a listening address. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}
