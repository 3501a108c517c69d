/** The commands: one row each. Everything else about a command stands in its own file, which is loaded when it is asked for. */
import type { Command } from "../arguments.ts";

interface CommandRow {
  /** What it is for, in a line of the general help. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** Every command, in the order in which they are told. */
export const commands: Readonly<Record<string, CommandRow>> = {
  run: { summary: "runs the daemon; so does elbro alone", load: () => import("./run.ts") },
  check: {
    summary: "says what is wrong with the configuration; --online: what works",
    load: () => import("./check.ts"),
  },
  addresses: { summary: "lists the addresses of the account", load: () => import("./addresses.ts") },
  suggest: { summary: "searches addresses, for third_party.places", load: () => import("./suggest.ts") },
  prices: { summary: "prints today's prices as bars", load: () => import("./prices.ts") },
  keys: { summary: "creates, lists, replaces and revokes keys of the LAN API", load: () => import("./keys.ts") },
  notify: { summary: "sends a test notification to the ntfy server", load: () => import("./notify.ts") },
  health: { summary: "asks the daemon whether it is well", load: () => import("./health.ts") },
  diagnostics: {
    summary: "writes what helps to find a fault, without secrets",
    load: () => import("./diagnostics.ts"),
  },
  backup: { summary: "writes the database and the keys to a file, now", load: () => import("./backup.ts") },
  restore: { summary: "puts a copy of the database in its place", load: () => import("./restore.ts") },
  forget: {
    summary: "clears what was published, before elbro is removed",
    load: () => import("./forget.ts"),
  },
  simulate: { summary: "plays the service on this machine", load: () => import("./simulate.ts") },
  "hash-password": {
    summary: "makes of a password what may stand for it in broker.users",
    load: () => import("./hash-password.ts"),
  },
  version: { summary: "prints the version", load: () => import("./version.ts") },
};

const NAME_COLUMN = 14;

/** What `elbro --help` prints. */
export function generalHelp(): string {
  return `elbro: electricity prices and plans for the house

usage: elbro [command] [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(NAME_COLUMN)} ${summary}`)
  .join("\n")}

elbro COMMAND --help tells more. Without any configuration elbro shows an invented house.
Exit codes: 0 done; 1 it did not work; 75 the data directory cannot be written now; 78 the configuration or the command line cannot be used.
`;
}
