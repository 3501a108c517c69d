/** The README's table of the command line. */
import { commandRows } from "../../src/commands/commands.ts";

/** Markdown: every command. */
export function commandDocs(): string {
  const rows = commandRows().map(([name, summary]) => `| \`elbro ${name}\` | ${summary} |`);
  return ["| command | what it does |", "|---|---|", ...rows].join("\n");
}
