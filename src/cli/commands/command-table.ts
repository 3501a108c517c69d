/** Table of the commands. Each command has a file of its own, which is loaded on use. */
import type { Command } from "../arguments.ts";

interface CommandRow {
  /** Purpose, in one line of the general help. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const commands: Readonly<Record<string, CommandRow>> = {
  run: { summary: "runs the daemon (same as elbro without a command)", load: () => import("./run.ts") },
  check: {
    summary: "checks the configuration; with --online also the connections",
    load: () => import("./check.ts"),
  },
  addresses: { summary: "lists the addresses of the account", load: () => import("./addresses.ts") },
  suggest: { summary: "searches addresses, for third_party.places", load: () => import("./suggest.ts") },
  prices: { summary: "prints today's prices", load: () => import("./prices.ts") },
  keys: { summary: "creates, lists, replaces and revokes keys of the LAN API", load: () => import("./keys.ts") },
  notify: { summary: "sends a test notification to the ntfy server or webhook", load: () => import("./notify.ts") },
  health: { summary: "checks that the daemon is healthy", load: () => import("./health.ts") },
  diagnostics: {
    summary: "writes a report for fault-finding, without secrets",
    load: () => import("./diagnostics.ts"),
  },
  backup: { summary: "copies the database and the keys to a file", load: () => import("./backup.ts") },
  restore: { summary: "replaces the database by a copy", load: () => import("./restore.ts") },
  forget: {
    summary: "clears topics and Home Assistant devices before elbro is removed",
    load: () => import("./forget.ts"),
  },
  simulate: { summary: "runs a simulator of the service", load: () => import("./simulate.ts") },
  "hash-password": {
    summary: "hashes a password for broker.users",
    load: () => import("./hash-password.ts"),
  },
  version: { summary: "prints the version", load: () => import("./version.ts") },
};

const NAME_COLUMN = 14;

export function generalHelp(): string {
  return `elbro: electricity prices and plans for the home

usage: elbro [command] [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(NAME_COLUMN)} ${summary}`)
  .join("\n")}

elbro COMMAND --help shows details. Without a configuration elbro runs a demo.
Exit codes: 0 success; 1 failure; 75 the data directory cannot be written; 78 mistake in the configuration or command line.
`;
}
