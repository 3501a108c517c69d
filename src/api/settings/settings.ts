/** Settings of the configuration over HTTP: read without secrets, tested, changed, as in the owner's file again. */

import type { SettingName } from "../../config/settings.ts";
import { isTree } from "../../config/tree.ts";
import { languageOf } from "../../core/language/language.ts";
import { message, textIn } from "../../core/language/text.ts";
import { localError } from "../../http/errors.ts";
import type { LocalRequest } from "../../http/route.ts";
import { endpoint } from "../endpoint.ts";
import * as parameter from "../parameters.ts";
import { anyObject, anyValue, boolean, described, list, namedObject, orNull, text, type ValueOf } from "../schema.ts";
import { callerOf, edit, editByBody, editedAnswer, refusedEdit, withRevision } from "./configuration.ts";
import { tryConnection } from "./try-connection.ts";
import { withWholeAddresses } from "./whole-address.ts";

const keySchema = () =>
  namedObject("SettingKey", {
    key: described(text, "Path in the configuration, such as `mqtt.url`."),
    value: described(anyValue, "Also a default; null if it is not set, and for a secret."),
    is_secret: boolean,
    is_set: described(boolean, "Whether it is set to something else than its default."),
    outside: described(boolean, "Whether the environment or a file of its own sets it. It can be changed only there."),
    overrides: described(boolean, "Whether `page.yaml` sets it."),
    restart: described(boolean, "Whether a change needs a restart."),
  });
const settingSchema = () =>
  namedObject("Setting", {
    name: text,
    is_connection: described(boolean, "Whether it can be tested. Changes and tests need the scope `admin`."),
    keys: list(keySchema()),
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

export const completedKeys = () =>
  described(anyObject, "Keys of which only the address of a machine was sent, with the URL that answers.");
const trialSchema = () =>
  namedObject("ConnectionTrial", {
    works: boolean,
    problem: orNull(text),
    detail: described(orNull(text), "Result of the test, in the language of the request."),
    completed: completedKeys(),
  });
const body = {
  schema: () =>
    namedObject("SettingKeys", {
      keys: described(anyObject, "Values by path of the key. Keys that are left out stay; null removes one."),
    }),
  isCheckedByRun: true,
} as const;

export const settingEndpoints = [
  endpoint("GET /local/v1/settings", "getSettings", "control", {
    summary:
      "Settings of the configuration that can be changed here, such as `notify`, `language` and the connections, without secrets.",
    answer: settingsSchema,
    errors: ["conflict"],
    run: ({ settings }) => withRevision(settings.saved()),
  }),
  endpoint("PUT /local/v1/settings/:setting", "saveSetting", "control", {
    summary:
      "Changes a setting; a connection with the scope `admin`. A stored secret belongs to its server: with another server it is removed unless it is sent again.",
    params: { setting: parameter.setting },
    ...editByBody,
    example: "/local/v1/settings/notify",
    body: {
      ...body,
      example: { keys: { "notify.topic_url": "https://ntfy.sh/my-house-4821", "notify.quiet_hours": "22:00-07:00" } },
    },
    async run({ settings }, { setting }, request) {
      const asked = await askedIn(setting, request);
      if ("kind" in asked) return asked;
      return editedAnswer(await settings.change(asked), request);
    },
  }),
  endpoint("POST /local/v1/settings/:connection/test", "testConnection", "admin", {
    summary: "Tests a connection, with changes that are not saved. The rules for secrets are those of a change.",
    params: { connection: parameter.connection },
    ...editByBody,
    answer: trialSchema,
    example: "/local/v1/settings/mqtt/test",
    body: {
      ...body,
      example: { keys: { "mqtt.url": "mqtt://192.168.1.10:1883", "mqtt.password": "password-of-elbro" } },
    },
    async run(source, { connection }, request) {
      const { settings, proxy } = source;
      const asked = await askedIn(connection, request);
      if ("kind" in asked) return asked;
      const config = settings.tried(asked);
      if ("kind" in config) return refusedEdit(config);
      const { works, code, facts } = await tryConnection(source, connection, config, { proxy });
      const language = languageOf(request.headers["accept-language"], "en");
      const detail = facts.detail && textIn(language, facts.detail);
      return { kind: "json", body: { works, problem: code, detail, completed: asked.completed } };
    },
  }),
  endpoint("DELETE /local/v1/settings/:setting", "resetSetting", "control", {
    summary:
      "Removes what `page.yaml` says of a setting, so that it is again as in the owner's file; of a connection with the scope `admin`.",
    params: { setting: parameter.setting },
    ...edit,
    example: "/local/v1/settings/notify",
    async run({ settings }, { setting }, request) {
      return editedAnswer(await settings.reset(setting, callerOf(request)), request);
    },
  }),
];

async function askedIn(name: SettingName, request: LocalRequest) {
  const given = request.body;
  if (!isTree(given) || !isTree(given.keys)) return localError("invalid_parameter", message("refused.send_keys"));
  const caller = callerOf(request);
  const whole = await withWholeAddresses(given.keys, "", caller.isAdmin);
  return "values" in whole ? { name, keys: whole.values, caller, completed: whole.completed } : refusedEdit(whole);
}
