/** Test message. */
import type { Language } from "../../core/language/language.ts";
import { sayIn, type Text } from "../../core/language/text.ts";
import type { ProxySettings } from "../../service/client/proxy.ts";
import { type NotifyAccount, publish } from "./publish.ts";

/** Sends it at once, quiet hours or not. Returns why the server did not accept it; null if it did. */
export async function sendTestNote(
  account: NotifyAccount,
  options: { readonly language: Language; readonly proxy?: ProxySettings | null; readonly signal: AbortSignal },
): Promise<Text | null> {
  const { proxy, signal } = options;
  const say = sayIn(account.language ?? options.language);
  const note = {
    title: say("note.test_title"),
    message: say("note.test"),
    priority: 3,
    tags: ["white_check_mark"],
  } as const;
  const published = await publish(account, note, signal, proxy ? { proxy } : {});
  return published.kind === "sent" ? null : published.why;
}
