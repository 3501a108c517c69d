/** `elbro keys`: manages the keys of devices to the LAN API, also while the daemon runs. */

import { existsSync } from "node:fs";
import type { MadeKey } from "../../api/auth/made-keys.ts";
import { createKey, listKeys, revokeKey } from "../../api/settings/key-changes.ts";
import type { LanKeysAnswer } from "../../api/settings/keys.ts";
import { askSocket, readJsonAnswer, runningDaemon } from "../../api/socket.ts";
import { commandHint } from "../../config/command-hint.ts";
import { loadConfiguration } from "../../config/reading/load-config-file.ts";
import { nearest } from "../../config/reading/suggest-key.ts";
import { DEFAULT_DATA_DIR } from "../../config/schema/schema.ts";
import { KEY_NAME } from "../../core/text/key-name.ts";
import type { LocalError } from "../../http/errors.ts";
import { type Arguments, BadArgument, type CommandLine, encodingArgument, textArgument } from "../arguments.ts";
import { isDemo, LOOPBACK_KEY } from "../demo.ts";
import { print, printJson } from "../output.ts";
import { systemClock } from "../system-clock.ts";

export const line: CommandLine = {
  usage: "keys create|list|revoke [NAME]",
  about: `Manages the keys of devices for the LAN API. A running daemon applies changes within a second.

  keys create NAME     creates a key that may read, and shows it only this once
  keys list            lists names, scopes, limits and the day of last use since the start
  keys revoke NAME     revokes a key`,
  words: [1, 2],
  options: {
    control: { type: "boolean", about: "create: may also change plans" },
    admin: { type: "boolean", about: "create: the key may also change plans, settings and connections" },
    "third-party": { type: "boolean", about: "create: make a key and secret for /thirdParty" },
    "hash-encoding": {
      type: "string",
      value: "E",
      about: "with --third-party: hash encoding, hex (default) or base64",
    },
    json: { type: "boolean", about: "list: print the answer of the endpoint as JSON, for programs" },
  },
};

const HEAD = ["name", "opens", "may", "a minute", "a day", "made", "last used"] as const;

export async function main(given: Arguments): Promise<number> {
  const [verb = "", name] = given.words;
  const { json, ...creating } = line.options ?? {};
  const [option] = Object.keys(creating).filter((each) => given.values[each] !== undefined);
  if (verb !== "create" && option !== undefined) throw new BadArgument(`--${option} is for keys create only`);
  const { config } = loadConfiguration(given.configPath, process.env);
  if (verb === "create" && isDemo(config) && config.data_dir === DEFAULT_DATA_DIR && !existsSync(DEFAULT_DATA_DIR))
    throw new BadArgument(
      `there is no configuration here, so elbro runs a demo; the key of the demo is ${LOOPBACK_KEY}. Set up your home first, or name its configuration with --config`,
    );
  const caller = { now: systemClock(given.simulated).now(), isAdmin: () => true };
  if (verb === "list" && name === undefined) {
    const keys = (await runningKeys(config.data_dir)) ?? doneOf(listKeys(config));
    if (given.values.json === true) printJson({ keys });
    else process.stdout.write(keyTable(keys));
  } else if (verb === "create") {
    show(doneOf(await createKey(config, wantedIn(nameIn(name), given.values), caller)));
    if (isDemo(config)) print(`A demo does not accept it, only its own key; your home does once it is set up.`);
  } else if (verb === "revoke") {
    doneOf(await revokeKey(config, nameIn(name), caller));
    print(`The key ${name} is revoked.`);
  } else {
    const meant = nearest(verb, ["list", "create", "revoke"]);
    const hint = meant === null || meant === verb ? "" : `did you mean keys ${meant}? `;
    throw new BadArgument(`${hint}usage: elbro ${line.usage}; see elbro keys --help`);
  }
  return 0;
}

/** Returns the keys with their last use from the running daemon; null without one. */
async function runningKeys(dataDir: string): Promise<LanKeysAnswer["keys"] | null> {
  const socket = await runningDaemon(dataDir);
  const answer = socket === null ? null : await askSocket(socket, "/local/v1/keys");
  return answer?.statusCode === 200 ? ((await readJsonAnswer(answer)) as LanKeysAnswer).keys : null;
}

/** Returns the result of a change. Errors: throws a BadArgument if it was refused. */
function doneOf<Done>(result: Done | LocalError): Done {
  if (typeof result === "object" && result !== null && "code" in result) throw new BadArgument(result.reason);
  return result as Done;
}

function keyTable(keys: LanKeysAnswer["keys"]): string {
  if (keys.length === 0) return `There are no keys. Create one with: ${commandHint(process)("keys create NAME")}\n`;
  const rows = keys.map((key) => [
    key.name,
    key.kind === "bearer" ? "all" : "/thirdParty",
    key.scopes.join(", "),
    String(key.requests_per_minute),
    String(key.requests_per_day),
    key.created ?? "in the configuration",
    key.last_used ?? "-",
  ]);
  const widths = HEAD.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  return `${[HEAD, ...rows].map(lineOf).join("\n")}\n`;
}

function wantedIn(name: string, values: Arguments["values"]) {
  if ((values.control || values.admin) && values["third-party"])
    throw new BadArgument("--control and --admin cannot be used with --third-party: /thirdParty is read-only");
  if (values["hash-encoding"] !== undefined && !values["third-party"])
    throw new BadArgument("--hash-encoding needs --third-party");
  return {
    name,
    admin: values.admin === true,
    control: values.control === true || values.admin === true,
    third_party: values["third-party"] === true,
    hash_encoding: encodingArgument(textArgument(values["hash-encoding"])),
  };
}

function show({ stored, secrets }: MadeKey): void {
  const may = stored.kind === "third_party" ? "opens /thirdParty" : `may ${stored.scopes.join(" and ")}`;
  const rows = Object.entries(secrets).map(([what, value]) => `  ${what.padEnd(8)}${value}`);
  process.stdout.write(`The key ${stored.name} is made. It ${may}.

${rows.join("\n")}
  header  Authorization: Bearer ${secrets.token ?? secrets.key}

It is shown only this once; elbro stores only its hash. A daemon with this data directory accepts it within a second.
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
