/** Settings of the configuration over HTTP. */

import { localError } from "../http/errors.ts";
import { list, named, object, orNull, text } from "../http/json-schema.ts";
import { BODY_ERRORS, EDIT_ERRORS, editedAnswer, editedSchema, refusedEdit, revisionIn } from "./configuration.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import * as parameter from "./parameters.ts";

const value = {
  description: "As in the configuration, without secrets and defaults; null if the section is not set.",
} as const;
const settingSchema = named(
  "Setting",
  object({
    name: text,
    value,
    secrets: { ...list(text), description: "Secrets of the section that are set. They are never shown." },
    outside: {
      ...list(text),
      description: "Keys that the environment or another file sets. They can be changed only there.",
    },
    restart: { ...list(text), description: "Keys whose change needs a restart; others apply immediately." },
  }),
);
const settingsSchema = named(
  "Settings",
  object({
    source: { ...orNull(text), description: "The file that holds them." },
    fixed: { ...orNull(text), description: "Reason why they cannot be changed here; null if they can." },
    revision: { ...text, description: "Revision for `If-Match`, as for plans." },
    waiting: { ...list(text), description: "Keys that were changed in the file and need a restart." },
    settings: list(settingSchema),
  }),
);

export const settingEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "GET",
    path: "/local/v1/settings",
    operationId: "getSettings",
    scope: "control",
    summary:
      "Settings of the configuration that can be changed here, such as `notify` and `language`, without secrets.",
    parameters: {},
    schema: settingsSchema,
    errors: ["conflict"],
    example: "/local/v1/settings",
    answer({ settings }) {
      const saved = settings.saved();
      return { kind: "json", body: saved, headers: { ETag: `"${saved.revision}"` } };
    },
  }),
  endpoint({
    method: "PUT",
    path: "/local/v1/settings/:setting",
    operationId: "saveSetting",
    scope: "control",
    summary:
      "Changes a setting in the configuration. Keys that are left out are removed, secrets stay unless they are `null`.",
    parameters: { setting: parameter.setting },
    schema: editedSchema,
    errors: [...EDIT_ERRORS, ...BODY_ERRORS],
    example: "/local/v1/settings/notify",
    body: {
      schema: named("NewSetting", object({ value: { description: "The new value; null removes the setting." } })),
      example: { value: { topic_url: "https://ntfy.sh/my-house-4821", quiet_hours: "22:00-07:00" } },
    },
    async answer({ settings }, { setting }, { body, headers }) {
      if (typeof body !== "object" || body === null || !("value" in body))
        return localError("invalid_parameter", 'send the value as { "value": … }');
      const change = { name: setting, value: body.value, revision: revisionIn(headers) };
      const edited = await settings.change(change);
      return edited.kind === "refused" ? refusedEdit(edited) : editedAnswer(edited, 200);
    },
  }),
];
