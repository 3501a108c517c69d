/** Settings of the configuration over HTTP. */

import { message } from "../core/language/text.ts";
import { localError } from "../http/errors.ts";
import { callerOf, edit, editByBody, editedAnswer, withRevision } from "./configuration.ts";
import { endpoint } from "./endpoint.ts";
import * as parameter from "./parameters.ts";
import { anyValue, boolean, described, list, namedObject, orNull, text, type ValueOf } from "./schema.ts";

const value = () =>
  described(anyValue, "As in the configuration, without secrets and defaults; null if the section is not set.");
const settingSchema = () =>
  namedObject("Setting", {
    name: text,
    value: value(),
    secrets: described(list(text), "Secrets of the section that are set. They are never shown."),
    outside: described(list(text), "Keys that the environment or another file sets. They can be changed only there."),
    restart: described(list(text), "Keys whose change needs a restart; others apply immediately."),
    overrides: described(boolean, "Whether `page.yaml` sets a part of it."),
  });
const settingsSchema = () =>
  namedObject("Settings", {
    source: described(orNull(text), "The file that holds them."),
    fixed: described(orNull(text), "Reason why they cannot be changed here; null if they can."),
    revision: described(text, "Revision for `If-Match`, as for plans."),
    waiting: described(list(text), "Keys that were changed in the file and need a restart."),
    settings: list(settingSchema()),
  });

export type SavedSetting = ValueOf<typeof settingSchema>;
export type SavedSettings = ValueOf<typeof settingsSchema>;

export const settingEndpoints = [
  endpoint("GET /local/v1/settings", "getSettings", "control", {
    summary:
      "Settings of the configuration that can be changed here, such as `notify` and `language`, without secrets.",
    answer: settingsSchema,
    errors: ["conflict"],
    run: ({ settings }) => withRevision(settings.saved()),
  }),
  endpoint("PUT /local/v1/settings/:setting", "saveSetting", "control", {
    summary:
      "Changes a setting in the configuration. Keys that are left out are removed, secrets stay unless they are `null`.",
    params: { setting: parameter.setting },
    ...editByBody,
    example: "/local/v1/settings/notify",
    body: {
      schema: () =>
        namedObject("NewSetting", { value: described(anyValue, "The new value; null removes the setting.") }),
      isCheckedByRun: true,
      example: { value: { topic_url: "https://ntfy.sh/my-house-4821", quiet_hours: "22:00-07:00" } },
    },
    async run({ settings }, { setting }, request) {
      const { body } = request;
      if (typeof body !== "object" || body === null || !("value" in body))
        return localError("invalid_parameter", message("refused.setting_body", { example: '{ "value": … }' }));
      const change = { name: setting, value: body.value, caller: callerOf(request) };
      return editedAnswer(await settings.change(change), request);
    },
  }),
  endpoint("DELETE /local/v1/settings/:setting", "resetSetting", "control", {
    summary: "Removes what `page.yaml` says of a setting, so that it is again as in the owner's file.",
    params: { setting: parameter.setting },
    ...edit,
    example: "/local/v1/settings/notify",
    async run({ settings }, { setting }, request) {
      return editedAnswer(await settings.reset(setting, callerOf(request)), request);
    },
  }),
];
