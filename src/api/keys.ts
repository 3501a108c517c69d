/** Endpoints that list, create and revoke API keys. */

import type { Config } from "../config/schema.ts";
import { throwIfShort } from "../core/status/start-error.ts";
import { KEY_NAME } from "../core/text/key-name.ts";
import { DAY_MS, type EpochMs, formatInstant } from "../core/time/interval.ts";
import { type LocalError, localError } from "../http/errors.ts";
import { type KeptKey, KeyFile, KeyFileError, MAX_KEYS } from "../storage/api-key-file.ts";
import { KeyUseFile } from "../storage/api-key-usage-file.ts";
import { isSameName, makeKey } from "./auth/made-keys.ts";
import { BODY_ERRORS } from "./configuration.ts";
import { type Answered, type Endpoint, endpoint } from "./endpoint.ts";
import { lanUrls } from "./lan-urls.ts";
import * as parameter from "./parameters.ts";
import {
  boolean,
  described,
  flag,
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

const newKey = () =>
  named(
    "NewKey",
    object({
      name: pattern(KEY_NAME, "expected at most 40 letters, digits, spaces, _ . and -"),
      control: optional(described(flag("expected true or false"), "Whether it may also make changes.")),
    }),
  );

const madeKey = () =>
  named(
    "MadeKey",
    object({
      name: text,
      scopes: scopes(),
      key: described(text, "Sent as `Authorization: Bearer <key>`."),
      urls: described(list(text), "URL of the dashboard for other devices. `<url>#key=<key>` logs a browser in."),
    }),
  );

export const keyEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "GET",
    path: "/local/v1/keys",
    operationId: "listKeys",
    scope: "control",
    summary: "The keys of devices: names, scopes and last use. The keys themselves are not included.",
    answer: () => named("LanKeys", object({ keys: list(keySchema()) })),
    errors: ["conflict"],
    example: "/local/v1/keys",
    run({ config }) {
      const reading = new KeyFile(config.data_dir).read();
      if (reading.kind === "unreadable") return localError("conflict", `keys.json cannot be read: ${reading.why}`);
      return { kind: "json", body: { keys: [...configuredKeys(config), ...reading.keys.map(keptKeyOf(config))] } };
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
    run: ({ config }, _params, { body, now }) => created(config, body, now),
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
    run: ({ config }, { key }, { now }) => revoked(config, key, now),
  }),
];

/** An API key in a response, without its secret. */
export type LanKeyAnswer = ValueOf<typeof keySchema>;

type KeyConfig = Pick<Config, "api" | "data_dir">;

function configuredKeys({ api, data_dir }: KeyConfig): readonly LanKeyAnswer[] {
  const uses = new KeyUseFile(data_dir).read();
  const shown = (kind: KeptKey["kind"]) => (key: Config["api"]["keys"][number] | ThirdPartyKey) => ({
    ...{ name: key.name, kind, scopes: ("scopes" in key && key.scopes) || (["read"] as const) },
    ...limitsOf(key, api),
    ...{ created: null, last_used: dayOf(uses[key.name]), fixed: true },
  });
  return [...api.keys.map(shown("bearer")), ...(api.third_party_keys ?? []).map(shown("third_party"))];
}

type ThirdPartyKey = NonNullable<Config["api"]["third_party_keys"]>[number];

function keptKeyOf({ api, data_dir }: KeyConfig) {
  const uses = new KeyUseFile(data_dir).read();
  return (key: KeptKey) => ({
    ...{ name: key.name, kind: key.kind, scopes: key.scopes, ...limitsOf(key, api) },
    ...{ created: key.created, last_used: dayOf(uses[key.name]), fixed: false },
  });
}

function limitsOf(
  key: { readonly requests_per_minute?: number | undefined; readonly requests_per_day?: number | undefined },
  api: Config["api"],
) {
  return {
    requests_per_minute: key.requests_per_minute ?? api.requests_per_minute,
    requests_per_day: key.requests_per_day ?? api.requests_per_day,
  };
}

function dayOf(use: { readonly day: { readonly start: EpochMs } } | undefined): string | null {
  return use ? dateOf(use.day.start) : null;
}

function dateOf(at: EpochMs): string {
  return formatInstant(Math.floor(at / DAY_MS) * DAY_MS).slice(0, "2026-11-21".length);
}

async function created(
  config: KeyConfig,
  { name, control = false }: ValueOf<typeof newKey>,
  now: EpochMs,
): Promise<Answered<ValueOf<typeof madeKey>>> {
  const scopes = control ? (["read", "control"] as const) : (["read"] as const);
  const made = makeKey({ name, kind: "bearer", scopes, created: dateOf(now) });
  const refused = await changed(config, now, (keys) => {
    if ([...keys, ...configuredKeys(config)].some((key) => isSameName(key.name, name)))
      return localError("conflict", `a key named ${name} exists already; use another name`);
    if (keys.length >= MAX_KEYS)
      return localError("conflict", `there are ${keys.length} keys, which is the maximum; revoke one that is not used`);
    return [...keys, made.kept];
  });
  const answer = { name, scopes, key: made.shown[0]?.[1] ?? "", urls: lanUrls(config.api) };
  return refused ?? { kind: "json", status: 201, body: answer };
}

async function revoked(config: KeyConfig, name: string, now: EpochMs): Promise<Answered<{ readonly name: string }>> {
  const refused = await changed(config, now, (keys) => {
    if (keys.some((key) => isSameName(key.name, name))) return keys.filter((key) => !isSameName(key.name, name));
    return configuredKeys(config).some((key) => isSameName(key.name, name))
      ? localError("conflict", `the key ${name} is defined in the configuration; change it there`)
      : localError("resource_not_found", `no key named ${name}`);
  });
  return refused ?? { kind: "json", body: { name } };
}

/** Changes the keys in `keys.json`. Returns the error; null on success. */
async function changed(
  { data_dir }: KeyConfig,
  now: EpochMs,
  edit: (keys: readonly KeptKey[]) => readonly KeptKey[] | LocalError,
): Promise<LocalError | null> {
  let refused: LocalError | null = null;
  try {
    await new KeyFile(data_dir).change(
      (keys) => {
        const next = edit(keys);
        if (!("kind" in next)) return next;
        refused = next;
        return keys;
      },
      () => now,
    );
    return refused;
  } catch (error) {
    throwIfShort(error, "the keys cannot be saved");
    if (error instanceof KeyFileError) return localError("conflict", error.message);
    if (error instanceof Error && "code" in error)
      return localError("conflict", `the data directory cannot be written: ${error.code}`);
    throw error;
  }
}
