/** Finishes the set-up on the page: writes `page.yaml` and a first API key from the entered values. */

import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { foreignIn } from "../../config/editing/edit-refusal.ts";
import { type Overlay, overlayText, readOverlay } from "../../config/overlay/overlay-file.ts";
import { bound } from "../../config/overlay/overlay-secrets.ts";
import { secretPlacesIn } from "../../config/overlay/secret-servers.ts";
import type { ConfigTexts } from "../../config/reading/config-texts.ts";
import type { ConfigReading } from "../../config/reading/load.ts";
import { type ConfigMistake, pathText } from "../../config/reading/mistake.ts";
import { type Config, configSchema } from "../../config/schema/schema.ts";
import { type Expected, missing } from "../../config/schema/values.ts";
import { connections } from "../../config/settings.ts";
import { treeOf } from "../../config/tree.ts";
import { message, reasonOf, type Text } from "../../core/language/text.ts";
import { OVERLAY_FILE } from "../../core/runtime/data-files.ts";
import { throwIfShort } from "../../core/status/start-error.ts";
import { KEY_NAME } from "../../core/text/key-name.ts";
import { formatInstant } from "../../core/time/interval.ts";
import type { ProxySettings } from "../../service/client/proxy.ts";
import { type KeptKey, KeyFile } from "../../storage/api-key-file.ts";
import { readWhole, writeWhole } from "../../storage/atomic-file.ts";
import type { TriedAttempt } from "../../storage/request-log.ts";
import { makeKey } from "../auth/made-keys.ts";
import { lanUrls } from "../lan-urls.ts";
import { anyObject, named, type ValueOf } from "../schema.ts";

/** Dependencies of the set-up, supplied by the command line. */
export interface SetupOptions {
  /** Path of the page.yaml to write. */
  readonly path: string;
  /** Configuration without that file: service, ports, data directory. */
  readonly config: Config;
  readonly proxy: ProxySettings | null;
  /** Key with which the dashboard of the demo opens by itself; null if users log in. */
  readonly demoKey: string | null;
  /** Reads a configuration, with these texts in place of its files. */
  readonly readWith: (texts: ConfigTexts) => ConfigReading;
  /** Writes a new code to the log. */
  readonly onCode: (code: string) => void;
  /** Reason why the home of an earlier set-up could not be started; null without an earlier set-up. */
  readonly failure: Text | null;
  /**
   * Called when everything is written and the response is sent. `undo` restores the file and removes the key. `tried`
   * are the requests of the set-up, which count for the accounts of the home.
   */
  readonly onDone: (undo: () => Promise<void>, tried: readonly TriedAttempt[]) => void;
}

export type SetupOutcome =
  | {
      readonly kind: "done";
      /** The new API key. It is returned only here. */
      readonly key: string;
      /** URLs of the dashboard for other devices on the LAN. */
      readonly urls: readonly string[];
      /** Login of plugs to the embedded broker; null if the owner uses another broker. */
      readonly broker: { readonly port: number; readonly username: string; readonly password: string } | null;
      readonly undo: () => Promise<void>;
    }
  | { readonly kind: "mistakes"; readonly mistakes: readonly ConfigMistake[] }
  | { readonly kind: "failed"; readonly reason: Text };

const PASSWORD_BYTES = 12;
/** Broker user of plugs and Home Assistant. */
const BROKER_USER = "house";

/** Keys that the set-up writes. */
const KEYS: readonly string[] = [...Object.values(connections).flat(), ...["third_party.places", "homes", "language"]];
const keyName = z.string().check(z.regex(KEY_NAME, "mistake.expected_key_name" satisfies Expected));
export const setupBody = named("SetupWanted", z.strictObject({ keys: anyObject, key_name: keyName }));
/** Choices of the set-up: values by key, and the name of the first API key. All other keys have their defaults. */
export type WantedSetup = ValueOf<typeof setupBody>;

export async function finishSetup(options: SetupOptions, wanted: WantedSetup, now: number): Promise<SetupOutcome> {
  const brokerUser = { name: BROKER_USER, password: randomBytes(PASSWORD_BYTES).toString("base64url") };
  const day = formatInstant(now).slice(0, "2026-11-21".length);
  const { keys: chosen } = wanted;
  const isKeyless = !("consumer.api_key" in chosen || "third_party.api_key" in chosen);
  const lacking = isKeyless ? [{ path: "consumer.api_key", ...missing("mistake.expected_filled") }] : [];
  const wrong = [...foreignIn(chosen, KEYS), ...lacking];
  if (wrong.length > 0) return { kind: "mistakes", mistakes: wrong };
  const settings = treeOf({
    ...chosen,
    ...(!("mqtt.url" in chosen) && { "broker.users": [{ ...brokerUser, commands: true }] }),
  });
  const before = readWhole(options.path);
  const { overlay } = readOverlay(before, {});
  const next = { ...overlay, settings: { ...overlay.settings, ...settings } };
  const readWith = (each: Overlay) => options.readWith({ file: null, overlay: overlayText(each) });
  const present = readWith({ ...next, servers: null });
  if (present.kind === "mistakes") return present;
  const given = secretPlacesIn(configSchema, settings).map(({ path }) => pathText(path));
  const whole = bound(next, new Set(given), present.overlay.servers).overlay;
  const [text, reading] = [overlayText(whole), readWith(whole)];
  if (reading.kind === "mistakes") return reading;
  const mistakes = reading.overlay.mistakes.map((each) => ({
    ...each,
    path: each.path.replace(`${OVERLAY_FILE}: `, ""),
  }));
  if (mistakes.length > 0) return { kind: "mistakes", mistakes };
  const { api, broker, data_dir: dataDir, mqtt } = reading.config;
  const made = makeKey({ name: wanted.key_name, kind: "bearer", scopes: ["read", "control", "admin"], created: day });
  const changeKeys = (change: (keys: readonly KeptKey[]) => readonly KeptKey[]) =>
    new KeyFile(dataDir).change(change, () => now);
  try {
    mkdirSync(path.dirname(options.path), { recursive: true });
    await changeKeys((keys) => [...keys, { ...made.stored, name: freeName(made.stored.name, [...keys, ...api.keys]) }]);
    writeWhole(options.path, text);
  } catch (error) {
    throwIfShort(error, message("start.unwritten", { file: options.path }));
    return { kind: "failed", reason: reasonOf(error, "unknown error") };
  }
  return {
    kind: "done",
    key: made.secrets.key,
    urls: lanUrls(api),
    broker:
      mqtt.url === undefined ? { port: broker.port, username: brokerUser.name, password: brokerUser.password } : null,
    async undo() {
      renameSync(options.path, `${options.path}.failed`);
      if (before !== null) writeWhole(options.path, before);
      await changeKeys((keys) => keys.filter((each) => each.sha256 !== made.stored.sha256));
    },
  };
}

function freeName(name: string, keys: readonly { readonly name: string }[]): string {
  const usedNames = new Set(keys.map((key) => key.name.toLowerCase()));
  let free = name;
  for (let i = 2; usedNames.has(free.toLowerCase()); i++) free = `${name}-${i}`;
  return free;
}
