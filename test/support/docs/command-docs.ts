/** Table of commands in operations.md. */
import { commandRows } from "../../../src/cli/commands/command-table.ts";

/** Markdown: every command. */
export function commandDocs(): string {
  const rows = commandRows().map(([name, summary]) => `| \`elbro ${name}\` | ${summary} |`);
  return ["| command | what it does |", "|---|---|", ...rows].join("\n");
}
