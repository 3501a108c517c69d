/** A message for a phone, where it is sent, and what the server said to it. */
import type { Config } from "../../config/schema/schema.ts";
import type { Text } from "../../core/language/text.ts";

export interface Note {
  readonly title: string;
  readonly message: string;
  /** 1 to 5; 3 is usual, 4 vibrates longer. */
  readonly priority: 2 | 3 | 4;
  /** Short names that apps show as emojis, see https://docs.ntfy.sh/emojis/. */
  readonly tags: readonly string[];
  /** URL that a tap on the notification opens. */
  readonly click?: string | undefined;
}

export type Published =
  | { readonly kind: "sent" }
  /** The server may accept it later. `retryAfterSec` is the delay that it requested. */
  | { readonly kind: "later"; readonly why: Text; readonly retryAfterSec: number | null }
  /** The server rejects the token, the topic or the message. */
  | { readonly kind: "refused"; readonly why: Text };

/** Returns the URL of the ntfy topic or of the webhook; the webhook has precedence. */
export function targetOf({ topic_url, webhook_url }: NonNullable<Config["notify"]>): string {
  return webhook_url ?? topic_url ?? "";
}
