/** Endpoints that list, create, replace and revoke API keys. */

import { KEY_NAME } from "../core/text/key-name.ts";
import type { LocalError } from "../http/errors.ts";
import type { MadeKey } from "./auth/made-keys.ts";
import { BODY_ERRORS } from "./configuration.ts";
import { type Answered, type Endpoint, endpoint } from "./endpoint.ts";
import { createKey, type KeyConfig, listKeys, replaceKey, revokeKey } from "./key-changes.ts";
import { lanUrls } from "./lan-urls.ts";
import * as parameter from "./parameters.ts";
import {
  boolean,
  count,
  described,
  integer,
  list,
  named,
  object,
  oneOf,
  optional,
  orNull,
  pattern,
  text,
  type ValueOf,
} from "./schema.ts";

const scopes = () => list(oneOf(["read", "control"]));
const keySchema = () =>
  named(
    "LanKey",
    object({
      name: text,
      kind: oneOf(["bearer", "third_party"]),
      scopes: scopes(),
      requests_per_minute: integer,
      requests_per_day: integer,
      created: described(orNull(text), "Day of its creation (UTC); null for a key in the configuration."),
      last_used: described(orNull(text), "Day of its last use (UTC), up to a minute late; null if never used."),
      fixed: described(boolean, "Whether it is defined in the configuration; it can then be removed only there."),
    }),
  );

const lanKeys = () => named("LanKeys", object({ keys: list(keySchema()) }));

const newKey = () =>
  named(
    "NewKey",
    object({
      name: pattern(KEY_NAME, "mistake.expected_key_name"),
      control: optional(described(boolean, "Whether it may also make changes.")),
      third_party: optional(
        described(boolean, "Whether it is a key and a secret for `/thirdParty`, which is read-only."),
      ),
      hash_encoding: optional(described(oneOf(["hex", "base64"]), "Encoding of its hash; `hex` by default.")),
      requests_per_minute: optional(described(count(1), "Its limit, if it differs from the default.")),
      requests_per_day: optional(described(count(1), "Its limit, if it differs from the default.")),
    }),
  );

const madeKey = () =>
  named(
    "MadeKey",
    object({
      name: text,
      scopes: scopes(),
      key: described(text, "Sent as `Authorization: Bearer <key>`; with a secret, its token is sent instead."),
      secret: optional(described(text, "Of a key for `/thirdParty`.")),
      token: optional(described(text, "Of a key for `/thirdParty`: sent as `Authorization: Bearer <token>`.")),
      urls: described(list(text), "URL of the dashboard for other devices. `<url>#key=<key>` logs a browser in."),
    }),
  );

/** An API key in a response, without its secret. */
export type LanKeyAnswer = ValueOf<typeof keySchema>;
export type LanKeysAnswer = ValueOf<typeof lanKeys>;

export const keyEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "GET",
    path: "/local/v1/keys",
    operationId: "listKeys",
    scope: "control",
    summary: "The keys of devices: names, scopes and last use. The keys themselves are not included.",
    answer: lanKeys,
    errors: ["conflict"],
    example: "/local/v1/keys",
    run({ config }) {
      const keys = listKeys(config);
      return "kind" in keys ? keys : { kind: "json", body: { keys } };
    },
  }),
  endpoint({
    method: "POST",
    path: "/local/v1/keys",
    operationId: "createKey",
    scope: "control",
    summary: "Creates a key for a device. The response shows it only this once; elbro stores only its hash.",
    answer: () => named("NoKey", object({})),
    created: madeKey,
    errors: ["invalid_parameter", "conflict", "not_saved", ...BODY_ERRORS],
    example: "/local/v1/keys",
    body: {
      schema: newKey,
      example: { name: "phone", control: true },
    },
    run: async ({ config }, _params, { body, now }) => madeAnswer(await createKey(config, body, now), config, 201),
  }),
  endpoint({
    method: "PUT",
    path: "/local/v1/keys/:key",
    operationId: "replaceKey",
    scope: "control",
    summary: "Makes a new key with the name, scopes and limits of another one, and revokes that one.",
    params: { key: parameter.key },
    answer: madeKey,
    errors: ["resource_not_found", "conflict", "not_saved"],
    example: "/local/v1/keys/phone",
    run: async ({ config }, { key }, { now }) => madeAnswer(await replaceKey(config, key, now), config, 200),
  }),
  endpoint({
    method: "DELETE",
    path: "/local/v1/keys/:key",
    operationId: "revokeKey",
    scope: "control",
    summary: "Revokes a key that was made here or by `elbro keys`.",
    params: { key: parameter.key },
    answer: () => named("RevokedKey", object({ name: text })),
    errors: ["resource_not_found", "conflict", "not_saved"],
    example: "/local/v1/keys/phone",
    async run({ config }, { key }, { now }) {
      const revoked = await revokeKey(config, key, now);
      return revoked.kind === "error" ? revoked : { kind: "json", body: { name: revoked.name } };
    },
  }),
];

function madeAnswer(made: MadeKey | LocalError, { api }: KeyConfig, status: number): Answered<ValueOf<typeof madeKey>> {
  if ("code" in made) return made;
  const { name, scopes } = made.kept;
  const { key = "", ...secrets } = Object.fromEntries(made.shown);
  return { kind: "json", status, body: { name, scopes, key, ...secrets, urls: lanUrls(api) } };
}
