import { existsSync } from "node:fs";
import { adminSocketPath, NO_SOCKET } from "../../api/admin/admin-socket.ts";
import { requireKeys } from "../../api/auth/require-key.ts";
import { commandHint } from "../../config/command-hint.ts";
import { loadConfiguration } from "../../config/load-config-file.ts";
import { plugWarnings } from "../../config/plug-schema.ts";
import { hasNoUsers, NO_BROKER_USERS } from "../../mqtt/broker/start-broker.ts";
import { keysMarkOf } from "../../state/accounts.ts";
import { KeyFile } from "../../storage/api-key-file.ts";
import { damageInFile } from "../../storage/damage-scan.ts";
import { databasePathIn } from "../../storage/open-storage.ts";
import type { Given } from "../arguments.ts";
import { runningDaemon, withAdminConnection } from "../connect.ts";
import { isDemo } from "../demo.ts";

export const line = {
  usage: "check",
  about: "Lists every mistake in the configuration. Exit code: 0 if the configuration can be used, 78 if not.",
  options: {
    online: {
      type: "boolean",
      about:
        "also test service, broker, database and Home Assistant; uses at most three requests of the quota; exit code 1 if a test fails",
    },
  } as const,
};

const CANNOT_BE_USED = 78;
const OTHER_KEYS =
  "the running daemon uses other keys or another service than the configuration; reload it with kill -HUP (docker kill -s HUP), or restart it";
const MARKS = { works: "ok  ", fails: "FAIL", untold: "?   " } as const;

/** `elbro check` */
export async function main(given: Given): Promise<number> {
  const { config, path, warnings } = loadConfiguration(given.configPath, process.env);
  for (const warning of [...warnings, ...plugWarnings(config.plugs, config.plans)])
    process.stdout.write(`warning: ${warning}\n`);
  // In an app of Home Assistant no key is needed, and the supervisor supplies the broker.
  if (!isDemo(config) && process.env.SUPERVISOR_TOKEN === undefined) {
    requireKeys(config, commandHint(process));
    if (hasNoUsers(config)) process.stdout.write(`warning: ${NO_BROKER_USERS}\n`);
  }
  if (adminSocketPath(config.data_dir) === null) process.stdout.write(`warning: ${NO_SOCKET}\n`);
  const refused = Object.entries(config.accounts?.refused ?? {});
  for (const [file, text] of refused) process.stdout.write(`${file}: ${text}\n`);
  if (refused.length > 0) {
    process.stdout.write(`${refused.length} account files have mistakes; elbro runs without them\n`);
    return CANNOT_BE_USED;
  }
  process.stdout.write(`the configuration${path === null ? "" : ` ${path}`} can be used\n`);
  if (isDemo(config))
    process.stdout.write("no account configured: set consumer.api_key or third_party; until then elbro runs a demo\n");
  if (given.values.online !== true) return (await storedDamage(config.data_dir)) ? 1 : 0;
  const { findings, by, keysMark, isRunning } = await withAdminConnection(given, async (admin) => ({
    ...(await admin.ask({ ask: "check" })),
    isRunning: admin.isRunning && !admin.isDemo,
    by: admin.isRunning ? "the running daemon" : admin.isDemo ? "a demo" : "this command, because no daemon is running",
  }));
  process.stdout.write(`tested by ${by}:\n`);
  for (const { part, state, text } of findings) process.stdout.write(`  ${MARKS[state]} ${part}: ${text}\n`);
  const isCurrent = !isRunning || keysMark === keysMarkOf(config);
  if (!isCurrent) process.stdout.write(`  ${MARKS.fails} configuration: ${OTHER_KEYS}\n`);
  return isCurrent && findings.every(({ state }) => state === "works") ? 0 : 1;
}

/** Reports damage in the data directory. While a daemon uses the database, that daemon reports it. */
async function storedDamage(dataDir: string): Promise<boolean> {
  const keyFile = new KeyFile(dataDir);
  const keys = keyFile.read();
  if (keys.kind === "unreadable")
    process.stdout.write(`${keyFile.path}: ${keys.why}; restore or delete the file, and create its keys again\n`);
  const file = databasePathIn(dataDir);
  const isFree = existsSync(file) && (await runningDaemon(dataDir).catch(() => null)) === null;
  const damage = isFree ? damageInFile(file) : [];
  for (const text of damage)
    process.stdout.write(
      `${file}: ${text}; at the next start elbro ignores it and requests it from the service again\n`,
    );
  return keys.kind === "unreadable" || damage.length > 0;
}
