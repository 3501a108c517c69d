/** `elbro keys`: manages the keys of devices to the LAN API, also while the daemon runs. */

import { isSameName, type MadeKey, makeKey } from "../../api/auth/made-keys.ts";
import { commandHint } from "../../config/command-hint.ts";
import { loadConfiguration } from "../../config/load-config-file.ts";
import type { Config } from "../../config/schema.ts";
import { nearest } from "../../config/suggest-key.ts";
import { StartError } from "../../core/status/start-error.ts";
import { KEY_NAME } from "../../core/text/key-name.ts";
import { type KeptKey, KeyFile, KeyFileError, MAX_KEYS } from "../../storage/api-key-file.ts";
import { KeyUseFile } from "../../storage/api-key-usage-file.ts";
import { BadArgument, type CommandLine, type Given, textOf } from "../arguments.ts";
import { systemClock } from "../system-clock.ts";

export const line: CommandLine = {
  usage: "keys create|list|replace|revoke [NAME]",
  about: `Manages the keys of devices for the LAN API. A running daemon applies changes within a second.

  keys create NAME     creates a key that may read, and shows it only this once
  keys list            lists names, scopes, limits and the day of last use (up to a minute late)
  keys replace NAME    creates a new key of the same name and revokes the old one
  keys revoke NAME     revokes a key`,
  words: [1, 2],
  options: {
    control: { type: "boolean", about: "create: may also change plans" },
    "third-party": { type: "boolean", about: "create: make a key and secret for /thirdParty" },
    "hash-encoding": {
      type: "string",
      value: "E",
      about: "with --third-party: hash encoding, hex (default) or base64",
    },
    "per-minute": { type: "string", value: "N", about: "create: requests per minute of this key" },
    "per-day": { type: "string", value: "N", about: "create: requests per day of this key" },
  },
};

const HEAD = ["name", "opens", "may", "a minute", "a day", "made", "last used"] as const;
const IN_CONFIGURATION = "in the configuration";
const DATE_LENGTH = "2026-11-21".length;

/** Dependencies of the subcommands. */
interface KeyRing {
  readonly file: KeyFile;
  /** Names of the keys in the configuration. */
  readonly configured: readonly string[];
  readonly today: string;
}

export async function main(given: Given): Promise<number> {
  const [verb = "", name] = given.words;
  const [option] = Object.keys(line.options ?? {}).filter((each) => given.values[each] !== undefined);
  if (verb !== "create" && option !== undefined)
    throw new BadArgument(`--${option} is for keys create only; keys replace keeps the limits and scopes of the key`);
  const { config } = loadConfiguration(given.configPath, process.env);
  const ring: KeyRing = {
    file: new KeyFile(config.data_dir),
    configured: [...config.api.keys, ...(config.api.third_party_keys ?? [])].map((key) => key.name),
    today: new Date(systemClock(given.simulated).now()).toISOString().slice(0, DATE_LENGTH),
  };
  try {
    if (verb === "list" && name === undefined) process.stdout.write(keyTable(config, ring.file));
    else if (verb === "create") await create(ring, nameIn(name), given.values);
    else if (verb === "replace") await replace(ring, nameIn(name));
    else if (verb === "revoke") await revoke(ring, nameIn(name));
    else {
      const meant = nearest(verb, ["list", "create", "replace", "revoke"]);
      const hint = meant === null || meant === verb ? "" : `did you mean keys ${meant}? `;
      throw new BadArgument(`${hint}usage: elbro ${line.usage}; see elbro keys --help`);
    }
  } catch (error) {
    throw wordsFor(error, config.data_dir);
  }
  return 0;
}

/** Returns one line per key of the configuration and of the key file. Errors: throws a StartError if the file cannot be read. */
function keyTable({ api, data_dir }: Pick<Config, "api" | "data_dir">, file: KeyFile): string {
  const reading = file.read();
  if (reading.kind === "unreadable") throw new StartError(`${file.path} cannot be read: ${reading.why}`);
  const uses = new KeyUseFile(data_dir).read();
  const entries = [
    ...api.keys.map((key) => ({ kind: "bearer", scopes: ["read"], created: IN_CONFIGURATION, ...key })),
    ...(api.third_party_keys ?? []).map((key) => ({
      ...{ kind: "third_party", scopes: ["read"], created: IN_CONFIGURATION },
      ...key,
    })),
    ...reading.keys,
  ];
  if (entries.length === 0) return `There are no keys. Create one with: ${commandHint(process)("keys create NAME")}\n`;
  const rows = entries.map((key) => {
    const use = uses[key.name];
    return [
      key.name,
      key.kind === "bearer" ? "all" : "/thirdParty",
      (key.scopes ?? ["read"]).join(", "),
      String(key.requests_per_minute ?? api.requests_per_minute),
      String(key.requests_per_day ?? api.requests_per_day),
      key.created,
      use ? new Date(use.day.start).toISOString().slice(0, DATE_LENGTH) : "never",
    ];
  });
  const widths = HEAD.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  return [HEAD, ...rows]
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

async function create(ring: KeyRing, name: string, values: Given["values"]): Promise<void> {
  const { file, configured, today } = ring;
  if (values.control && values["third-party"])
    throw new BadArgument("--control cannot be used with --third-party: /thirdParty is read-only");
  if (values["hash-encoding"] !== undefined && !values["third-party"])
    throw new BadArgument("--hash-encoding needs --third-party");
  const wanted = {
    name,
    kind: values["third-party"] ? ("third_party" as const) : ("bearer" as const),
    scopes: values.control ? (["read", "control"] as const) : (["read"] as const),
    created: today,
    ...limit("requests_per_minute", "--per-minute", textOf(values["per-minute"])),
    ...limit("requests_per_day", "--per-day", textOf(values["per-day"])),
    hash_encoding: encodingIn(textOf(values["hash-encoding"])),
  };
  const made = makeKey(wanted);
  await file.change((keys) => {
    if ([...keys.map((key) => key.name), ...configured].some((other) => isSameName(other, name)))
      throw new BadArgument(`a key named ${name} exists already; replace it, or use another name`);
    if (keys.length >= MAX_KEYS)
      throw new BadArgument(`there are ${keys.length} keys, which is the maximum; revoke one that is not used`);
    return [...keys, made.kept];
  }, Date.now);
  show(made, "made");
}

async function replace({ file, configured, today }: KeyRing, name: string): Promise<void> {
  const made: MadeKey[] = [];
  await file.change((keys) => {
    const before = knownKey(keys, name, configured);
    const next = makeKey({ ...before, created: today });
    made.push(next);
    return keys.map((key) => (key === before ? next.kept : key));
  }, Date.now);
  for (const key of made) show(key, "replaced; the old key no longer works");
}

async function revoke({ file, configured }: KeyRing, name: string): Promise<void> {
  await file.change((keys) => {
    const ended = knownKey(keys, name, configured);
    return keys.filter((key) => key !== ended);
  }, Date.now);
  process.stdout.write(`The key ${name} is revoked.\n`);
}

function show({ kept, shown }: MadeKey, done: string): void {
  const may = kept.kind === "third_party" ? "opens /thirdParty" : `may ${kept.scopes.join(" and ")}`;
  const [, sent] = shown.at(-1) ?? [];
  const rows = shown.map(([what, value]) => `  ${what.padEnd(8)}${value}`).join("\n");
  process.stdout.write(`The key ${kept.name} is ${done}. It ${may}.

${rows}
  header  Authorization: Bearer ${sent}

It is shown only this once; elbro stores only its hash. A running daemon accepts it within a second.
`);
}

function nameIn(name: string | undefined): string {
  if (name !== undefined && KEY_NAME.test(name)) return name;
  throw new BadArgument(
    name === undefined
      ? `the name of the key is missing; usage: elbro ${line.usage}`
      : `"${name}" is not a valid key name; expected at most 40 letters, digits, spaces, _ . and -`,
  );
}

function limit(key: string, option: string, text: string | undefined): Readonly<Record<string, number>> {
  if (text === undefined) return {};
  if (/^[1-9]\d{0,8}$/.test(text)) return { [key]: Number(text) };
  throw new BadArgument(`${option}: "${text}" is not a whole number above 0`);
}

function encodingIn(text = "hex"): "hex" | "base64" {
  if (text === "hex" || text === "base64") return text;
  throw new BadArgument(`--hash-encoding: "${text}" is not an encoding; expected hex or base64`);
}

/** Returns the key of a name. Errors: throws a BadArgument if there is no such key. */
function knownKey(keys: readonly KeptKey[], name: string, configured: readonly string[]): KeptKey {
  const known = keys.find((key) => isSameName(key.name, name));
  if (known) return known;
  if (configured.some((other) => isSameName(other, name)))
    throw new BadArgument(
      `the key ${name} is defined in the configuration (api.keys or api.third_party_keys); change it there`,
    );
  const names = keys.map((key) => key.name).join(", ");
  throw new BadArgument(`no key named ${name}; ${names === "" ? "no keys exist" : `expected one of ${names}`}`);
}

function wordsFor(error: unknown, dataDir: string): unknown {
  if (error instanceof KeyFileError) return new StartError(error.message);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS" || code === "ENOSPC")
    return new StartError(`cannot write to the data directory ${dataDir} (${code}); run this as the daemon's user`);
  return error;
}
