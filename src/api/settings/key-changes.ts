/** Lists, creates and revokes keys, for the endpoints and for `elbro keys`. */

import type { Config } from "../../config/schema/schema.ts";
import { message } from "../../core/language/text.ts";
import { throwIfShort } from "../../core/status/start-error.ts";
import { isSameName, KEY_NAME } from "../../core/text/key-name.ts";
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import { type LocalError, localError, scopeError } from "../../http/errors.ts";
import { type KeptKey, KeyFile, KeyFileError, MAX_KEYS } from "../../storage/api-key-file.ts";
import { type MadeKey, makeKey } from "../auth/made-keys.ts";
import * as s from "../schema.ts";

export type KeyConfig = Pick<Config, "api" | "data_dir">;

/** Time of a change, and whether its caller may make and revoke keys with the scope admin. */
export type KeyCaller = { readonly now: EpochMs; readonly isAdmin: () => boolean };

function needsAdmin(): LocalError {
  return scopeError("admin", message("refused.key_needs_admin"));
}

export const newKey = () =>
  s.namedObject("NewKey", {
    name: s.pattern(KEY_NAME, "mistake.expected_key_name"),
    control: s.optional(s.described(s.boolean, "Whether it may also make changes.")),
    admin: s.optional(s.described(s.boolean, "Whether it may also change connections. Only such a key makes another.")),
    third_party: s.optional(
      s.described(s.boolean, "Whether it is a key and a secret for `/thirdParty`, which is read-only."),
    ),
    hash_encoding: s.optional(s.described(s.oneOf(["hex", "base64"]), "Encoding of its hash; `hex` by default.")),
  });

export function listKeys(config: KeyConfig, lastUse: (name: string) => EpochMs | null = () => null) {
  const file = new KeyFile(config.data_dir);
  const reading = file.read();
  if (reading.kind === "unreadable")
    return localError("conflict", message("refused.keys_unread", { file: file.path, why: reading.why }));
  const { api } = config;
  return [...configuredKeys(config), ...reading.keys].map((key) => ({
    name: key.name,
    kind: key.kind,
    scopes: key.scopes,
    requests_per_minute: key.requests_per_minute ?? api.requests_per_minute,
    requests_per_day: key.requests_per_day ?? api.requests_per_day,
    created: key.created,
    last_used: dateOf(lastUse(key.name)),
    fixed: key.created === null,
  }));
}

/** Returns the keys of the configuration with their secrets. */
function configuredKeys({ api }: KeyConfig) {
  const readOnly: KeptKey["scopes"] = ["read"];
  return [
    ...api.keys.map((key) => ({ ...key, kind: "bearer" as const, scopes: key.scopes ?? readOnly, created: null })),
    ...(api.third_party_keys ?? []).map((key) => ({
      ...key,
      kind: "third_party" as const,
      scopes: readOnly,
      created: null,
    })),
  ];
}

function dateOf<At extends EpochMs | null>(at: At) {
  return (at === null ? null : formatInstant(at).slice(0, "2026-11-21".length)) as At extends null ? null : string;
}

export async function createKey(
  config: KeyConfig,
  wanted: s.ValueOf<typeof newKey>,
  { now, isAdmin }: KeyCaller,
): Promise<MadeKey | LocalError> {
  if (wanted.admin && !isAdmin()) return needsAdmin();
  const { name, admin = false, control = admin, third_party = false, hash_encoding = "hex" } = wanted;
  if (control && third_party) return localError("invalid_parameter", message("refused.key_read_only"));
  const made = makeKey({
    name,
    created: dateOf(now),
    hash_encoding,
    kind: third_party ? "third_party" : "bearer",
    scopes: ["read", ...(control ? (["control"] as const) : []), ...(admin ? (["admin"] as const) : [])],
  });
  const refused = await changed(config, now, (keys) => {
    if ([...keys, ...configuredKeys(config)].some((key) => isSameName(key.name, name)))
      return localError("conflict", message("refused.key_exists", { name }));
    if (keys.length >= MAX_KEYS) return localError("conflict", message("refused.keys_full", { most: keys.length }));
    return [...keys, made.stored];
  });
  return refused ?? made;
}

export async function revokeKey(
  config: KeyConfig,
  name: string,
  { now, isAdmin }: KeyCaller,
): Promise<LocalError | null> {
  return changed(config, now, (keys) => {
    const ended = knownKey(config, keys, name);
    if (!("code" in ended) && ended.scopes.includes("admin") && !isAdmin()) return needsAdmin();
    return "code" in ended ? ended : keys.filter((key) => key !== ended);
  });
}

function knownKey(config: KeyConfig, keys: readonly KeptKey[], name: string): KeptKey | LocalError {
  const known = keys.find((key) => isSameName(key.name, name));
  if (known) return known;
  if (configuredKeys(config).some((key) => isSameName(key.name, name)))
    return localError("conflict", message("refused.key_fixed", { name }));
  const names = keys.map((key) => key.name).join(", ");
  const reason = names === "" ? message("refused.no_keys", { name }) : message("refused.no_key", { name, names });
  return localError("resource_not_found", reason);
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
    throwIfShort(error, message("start.keys_unsaved"));
    if (error instanceof KeyFileError) return localError("conflict", error.text);
    if (error instanceof Error && "code" in error)
      return localError("conflict", message("refused.data_dir", { code: String(error.code) }));
    throw error;
  }
}
