/** Endpoints that list, create and revoke API keys. */

import { noteChange } from "../../storage/noted-changes.ts";
import { endpoint } from "../endpoint.ts";
import { lanUrls } from "../lan-urls.ts";
import * as parameter from "../parameters.ts";
import * as s from "../schema.ts";
import { BODY_ERRORS } from "./configuration.ts";
import { createKey, listKeys, newKey, revokeKey } from "./key-changes.ts";

const scopes = () => s.list(s.oneOf(["read", "control", "admin"]));
const keySchema = () =>
  s.namedObject("LanKey", {
    name: s.text,
    kind: s.oneOf(["bearer", "third_party"]),
    scopes: scopes(),
    requests_per_minute: s.integer,
    requests_per_day: s.integer,
    created: s.described(s.orNull(s.text), "Day of its creation (UTC); null for a key in the configuration."),
    last_used: s.described(
      s.orNull(s.text),
      "Day of its last use (UTC) since the start of elbro; null if not used since.",
    ),
    fixed: s.described(s.boolean, "Whether it is defined in the configuration; it can then be removed only there."),
  });

const lanKeys = () => s.namedObject("LanKeys", { keys: s.list(keySchema()) });

const madeKey = () =>
  s.namedObject("MadeKey", {
    name: s.text,
    scopes: scopes(),
    key: s.described(s.text, "Sent as `Authorization: Bearer <key>`; with a secret, its token is sent instead."),
    secret: s.optional(s.described(s.text, "Of a key for `/thirdParty`.")),
    token: s.optional(s.described(s.text, "Of a key for `/thirdParty`: sent as `Authorization: Bearer <token>`.")),
    urls: s.described(s.list(s.text), "URL of the dashboard for other devices. `<url>#key=<key>` logs a browser in."),
  });

export type LanKeyAnswer = s.ValueOf<typeof keySchema>;
export type LanKeysAnswer = s.ValueOf<typeof lanKeys>;

export const keyEndpoints = [
  endpoint("GET /local/v1/keys", "listKeys", "control", {
    summary: "The keys of devices: names, scopes and last use. The keys themselves are not included.",
    answer: lanKeys,
    errors: ["conflict"],
    run({ config, lastUse }) {
      const keys = listKeys(config, lastUse);
      return "kind" in keys ? keys : { kind: "json", body: { keys } };
    },
  }),
  endpoint("POST /local/v1/keys", "createKey", "control", {
    summary: "Creates a key for a device. The response shows it only this once; elbro stores only its hash.",
    answer: () => s.namedObject("NoKey", {}),
    created: madeKey,
    errors: ["invalid_parameter", "conflict", "not_saved", ...BODY_ERRORS],
    body: {
      schema: newKey,
      example: { name: "phone", control: true },
    },
    async run({ config, storage }, _params, request) {
      const made = await createKey(config, request.body, request);
      if ("code" in made) return made;
      const { name, scopes } = made.stored;
      noteChange(storage.settings, request, [{ path: `keys.${name}`, before: null, after: { name, scopes } }]);
      return { kind: "json", status: 201, body: { name, scopes, ...made.secrets, urls: lanUrls(config.api) } };
    },
  }),
  endpoint("DELETE /local/v1/keys/:key", "revokeKey", "control", {
    summary: "Revokes a key that was made here or by `elbro keys`.",
    params: { key: parameter.key },
    answer: () => s.namedObject("RevokedKey", { name: s.text }),
    errors: ["resource_not_found", "conflict", "not_saved"],
    example: "/local/v1/keys/phone",
    async run({ config, storage }, { key }, request) {
      const refused = await revokeKey(config, key, request);
      if (refused) return refused;
      noteChange(storage.settings, request, [{ path: `keys.${key}`, before: { name: key }, after: null }]);
      return { kind: "json", body: { name: key } };
    },
  }),
];
