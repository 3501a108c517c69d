/** Table of commands in operations.md. */
import { commands } from "../../../src/cli/commands/command-table.ts";

/** Returns a Markdown table of all commands. */
export function commandDocs(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `| \`elbro ${name}\` | ${summary} |`);
  return ["| command | what it does |", "|---|---|", ...rows].join("\n");
}
