/** Endpoint that sends a test notification. */
import { languageOf } from "../../core/language/language.ts";
import { message, textIn } from "../../core/language/text.ts";
import { localError } from "../../http/errors.ts";
import { endpoint } from "../endpoint.ts";
import { boolean, namedObject } from "../schema.ts";

export const notifyEndpoints = [
  endpoint("POST /local/v1/notifications/test", "testNotification", "control", {
    summary:
      "Sends a test notification to the ntfy server or webhook of `notify`, also in quiet hours. If it fails, the response has the reason.",
    answer: () => namedObject("NotificationTest", { sent: boolean }),
    errors: ["conflict"],
    async run({ config, proxy }, _params, { signal, headers }) {
      const { notify, language } = config;
      if (!notify) return localError("conflict", message("refused.no_notify"));
      const { sendTestNote } = await import("../../integrations/notify/publish.ts");
      const trouble = await sendTestNote(notify, { language, proxy, signal: signal() });
      if (trouble === null) return { kind: "json", body: { sent: true } };
      return localError("conflict", textIn(languageOf(headers["accept-language"], config.language), trouble));
    },
  }),
];
