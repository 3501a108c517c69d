/** Table of commands in operations.md. */
import { commands } from "../../../src/cli/commands/command-table.ts";

/** Markdown: every command. */
export function commandDocs(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `| \`elbro ${name}\` | ${summary} |`);
  return ["| command | what it does |", "|---|---|", ...rows].join("\n");
}
