/** The set-up of a house on the page: what was chosen becomes `elbro.yaml` and a first key, and elbro goes on with both. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import type { ConfigReading } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { type SetupChoices, setupText } from "../../config/setup-text.ts";
import type { ProxySettings } from "../../service/client/proxy.ts";
import { type KeptKey, KeyFile } from "../../storage/api-key-file.ts";
import { writeWhole } from "../../storage/atomic-file.ts";
import { keyDigest } from "../auth/api-keys.ts";
import { lanUrls } from "../web/lan-urls.ts";

/** What the command line gives to a house that can be set up. */
export interface SetupOptions {
  /** The file that is written. */
  readonly path: string;
  /** The configuration as it is without that file: the service, ports, the data directory. */
  readonly config: Config;
  readonly proxy: ProxySettings | null;
  /** Reads a configuration of this text. */
  readonly readWith: (text: string) => ConfigReading;
  /** Shows a new code to who reads the log. */
  readonly onCode: (code: string) => void;
  /** Why the home that was set up before could not be started; null if there was none. */
  readonly failure: string | null;
  /** Called when everything is written and the response is sent. `undo` sets the file aside and removes the key. */
  readonly onDone: (undo: () => Promise<void>) => void;
}

export type SetupResult =
  | {
      readonly kind: "done";
      /** The key, shown this once. */
      readonly key: string;
      /** Where the page is for other devices of the LAN. */
      readonly urls: readonly string[];
      /** Whom plugs log in to the broker as; null with a broker of the owner's. */
      readonly broker: { readonly port: number; readonly username: string; readonly password: string } | null;
      readonly undo: () => Promise<void>;
    }
  | { readonly kind: "mistakes"; readonly mistakes: readonly { readonly path: string; readonly text: string }[] }
  | { readonly kind: "failed"; readonly reason: string };

const KEY_BYTES = 32;
const PASSWORD_BYTES = 12;
const DAY_LENGTH = "2026-11-23".length;
/** The user of the broker that plugs and Home Assistant log in as. */
const BROKER_USER = "house";

export interface WantedSetup extends Omit<SetupChoices, "brokerUser"> {
  /** What the first device is called. */
  readonly keyName: string;
}

export async function finishSetup(options: SetupOptions, wanted: WantedSetup, now: number): Promise<SetupResult> {
  const brokerUser = { name: BROKER_USER, password: randomBytes(PASSWORD_BYTES).toString("base64url") };
  const day = new Date(now).toISOString().slice(0, DAY_LENGTH);
  const text = setupText({ ...wanted, brokerUser }, day);
  const reading = options.readWith(text);
  if (reading.kind === "mistakes") return reading;
  const { api, broker, data_dir: dataDir, mqtt } = reading.config;
  const key = `elbro_${randomBytes(KEY_BYTES).toString("base64url")}`;
  const sha256 = Buffer.from(keyDigest(key)).toString("hex");
  const changeKeys = (change: (keys: readonly KeptKey[]) => readonly KeptKey[]) =>
    new KeyFile(dataDir).change(change, () => now);
  try {
    if (existsSync(options.path)) return { kind: "failed", reason: `${options.path} exists already` };
    mkdirSync(path.dirname(options.path), { recursive: true });
    await changeKeys((keys) => [
      ...keys,
      {
        ...{ name: freeName(wanted.keyName, keys), kind: "bearer", scopes: ["read", "control"], sha256, created: day },
      },
    ]);
    writeWhole(options.path, text);
  } catch (error) {
    return { kind: "failed", reason: error instanceof Error ? error.message : "unknown error" };
  }
  return {
    kind: "done",
    key,
    urls: lanUrls(api),
    broker:
      mqtt.url === undefined ? { port: broker.port, username: brokerUser.name, password: brokerUser.password } : null,
    async undo() {
      renameSync(options.path, `${options.path}.failed`);
      await changeKeys((keys) => keys.filter((each) => each.sha256 !== sha256));
    },
  };
}

function freeName(name: string, keys: readonly KeptKey[]): string {
  const taken = new Set(keys.map((key) => key.name.toLowerCase()));
  let free = name;
  for (let i = 2; taken.has(free.toLowerCase()); i++) free = `${name}-${i}`;
  return free;
}
