import { loadConfiguration } from "../../config/reading/load-config-file.ts";
import { textIn } from "../../core/language/text.ts";
import { StartError } from "../../core/status/start-error.ts";
import { targetOf } from "../../integrations/notify/note.ts";
import { sendTestNote } from "../../integrations/notify/publish.ts";
import { proxyOf } from "../../service/client/proxy.ts";
import type { Arguments } from "../arguments.ts";
import { failed, print } from "../output.ts";

export const line = {
  usage: "notify",
  about:
    "Sends a test notification to the ntfy server or webhook of `notify`, also in quiet hours, and shows the server's answer if it fails.\nWorks with or without a running daemon.",
};

export async function main(given: Arguments): Promise<number> {
  const { notify, language } = loadConfiguration(given.configPath, process.env).config;
  if (!notify) throw new StartError("notifications are not configured: set notify.topic_url or notify.webhook_url");
  const { signal } = new AbortController();
  const trouble = await sendTestNote(notify, { language, proxy: proxyOf(process.env), signal });
  if (trouble !== null) return failed(`the notification was not sent: ${textIn("en", trouble)}`);
  print(`sent to ${new URL(targetOf(notify)).host}`);
  return 0;
}
