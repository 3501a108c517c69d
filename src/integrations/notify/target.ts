import type { Config } from "../../config/schema.ts";

/** Returns the URL of the ntfy topic or of the webhook; the webhook has precedence. */
export function targetOf({ topic_url, webhook_url }: NonNullable<Config["notify"]>): string {
  return webhook_url ?? topic_url ?? "";
}
