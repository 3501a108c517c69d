import { existsSync } from "node:fs";
import { missingKey } from "../../api/auth/require-key.ts";
import type { ChecksAnswer } from "../../api/settings/checks.ts";
import { NO_SOCKET, runningDaemon, socketPathIn } from "../../api/socket.ts";
import { commandHint } from "../../config/command-hint.ts";
import { homeAssistantWarnings, plugWarnings } from "../../config/plug-warnings.ts";
import { readConfigText } from "../../config/reading/config-texts.ts";
import { configPath, loadConfiguration } from "../../config/reading/load-config-file.ts";
import { withNewKeys } from "../../config/reading/new-keys.ts";
import { textIn } from "../../core/language/text.ts";
import { StartError } from "../../core/status/start-error.ts";
import { hasNoUsers, NO_BROKER_USERS } from "../../mqtt/broker/start-broker.ts";
import { keysMarkOf } from "../../state/accounts/accounts.ts";
import { KeyFile } from "../../storage/api-key-file.ts";
import { databasePathIn } from "../../storage/open-storage.ts";
import { damageInFile } from "../../storage/recovery/damage-scan.ts";
import type { Arguments } from "../arguments.ts";
import { bodyOf, withConnection } from "../connect.ts";
import { isDemo } from "../demo.ts";
import { print, printJson } from "../output.ts";

export const line = {
  usage: "check",
  about: "Lists every mistake in the configuration. Exit code: 0 if the configuration can be used, 78 if not.",
  options: {
    online: {
      type: "boolean",
      about:
        "also test service, broker, database and Home Assistant; uses at most three requests of the quota; exit code 1 if a test fails",
    },
    fix: {
      type: "boolean",
      about: "print the file with today's keys in place of those of earlier versions, and nothing else; comments stay",
    },
    json: {
      type: "boolean",
      about: "with --online: print the answer of the endpoint as JSON; the rest goes to standard error",
    },
  } as const,
};

const CANNOT_BE_USED = 78;
const OTHER_KEYS =
  "the running daemon uses other keys or another service than the configuration; reload it with kill -HUP (docker kill -s HUP), or restart it";
const MARKS = { works: "ok  ", fails: "FAIL", untold: "?   " } as const;

export async function main(given: Arguments): Promise<number> {
  if (given.values.fix === true) return printFixed(given);
  const isJson = given.values.json === true;
  const stream = isJson ? process.stderr : process.stdout;
  const tell = (text: string) => stream.write(`${text}\n`);
  const { config, path, warnings } = loadConfiguration(given.configPath, process.env);
  const { plugs, plans, home_assistant: homeAssistant } = config;
  const isApp = process.env.SUPERVISOR_TOKEN !== undefined;
  const ofPlugs = [...plugWarnings(plugs, plans), ...(isApp ? [] : homeAssistantWarnings(plugs, homeAssistant))];
  for (const warning of [...warnings, ...ofPlugs]) tell(`warning: ${warning}`);
  // In an app of Home Assistant no key is needed, and the supervisor supplies the broker.
  const needsClients = !isDemo(config) && !isApp;
  const isOnline = given.values.online === true;
  const noKey = needsClients ? missingKey(config, commandHint(process)) : null;
  // The tests of the connections need no key, so they run although one is missing.
  if (noKey && !isOnline) throw new StartError(noKey);
  if (needsClients && hasNoUsers(config)) tell(`warning: ${NO_BROKER_USERS}`);
  if (socketPathIn(config.data_dir) === null) tell(`warning: ${NO_SOCKET}`);
  const refused = Object.entries(config.accounts?.refused ?? {});
  for (const [file, said] of refused) tell(`${file}: ${textIn("en", said)}`);
  if (refused.length > 0) {
    tell(`${refused.length} account files have mistakes; elbro runs without them`);
    return CANNOT_BE_USED;
  }
  if (noKey === null) tell(`the configuration${path === null ? "" : ` ${path}`} can be used`);
  if (isDemo(config)) tell("no account configured: set consumer.api_key or third_party; until then elbro runs a demo");
  if (!isOnline) return (await storedDamage(config.data_dir)) ? 1 : 0;
  const { checks, by, keys_mark, isRunning } = await withConnection(given, async ({ ask, isRunning, isDemo }) => ({
    ...bodyOf(await ask<ChecksAnswer>("/local/v1/checks", { method: "POST" })),
    isRunning: isRunning && !isDemo,
    by: isRunning ? "the running daemon" : isDemo ? "a demo" : "this command, because no daemon is running",
  }));
  if (isJson) printJson({ checks, keys_mark });
  tell(`tested by ${by}:`);
  for (const { part, state, text } of checks) tell(`  ${MARKS[state]} ${part}: ${text}`);
  const isCurrent = !isRunning || keys_mark === keysMarkOf(config);
  if (!isCurrent) tell(`  ${MARKS.fails} configuration: ${OTHER_KEYS}`);
  if (noKey !== null) {
    tell(`  ${MARKS.fails} keys: ${textIn("en", noKey)}`);
    return CANNOT_BE_USED;
  }
  return isCurrent && checks.every(({ state }) => state === "works") ? 0 : 1;
}

/** Prints the owner's file with today's keys. Mistakes stay, for the check of what is printed. */
function printFixed(given: Arguments): number {
  const path = configPath(given.configPath, process.env);
  process.stdout.write(path === null ? "" : withNewKeys(readConfigText(path)));
  return 0;
}

/** Reports damage in the data directory. While a daemon uses the database, that daemon reports it. */
async function storedDamage(dataDir: string): Promise<boolean> {
  const keyFile = new KeyFile(dataDir);
  const keys = keyFile.read();
  if (keys.kind === "unreadable")
    print(`${keyFile.path}: ${textIn("en", keys.why)}; restore or delete the file, and create its keys again`);
  const file = databasePathIn(dataDir);
  const isFree = existsSync(file) && (await runningDaemon(dataDir).catch(() => null)) === null;
  const damage = isFree ? damageInFile(file) : [];
  for (const text of damage)
    print(`${file}: ${text}; at the next start elbro ignores it and requests it from the service again`);
  return keys.kind === "unreadable" || damage.length > 0;
}
