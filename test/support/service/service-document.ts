/** The service's document, where this checkout has it beside itself, as tables by section. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PATH = join(import.meta.dirname, "../../../../shared/service-interface.md");

/** One row of a table, by the names in its head. */
export type TableRow = Readonly<Record<string, string>>;

/** The text of the document; null where it is not there. */
export const serviceDocument: string | null = existsSync(PATH) ? readFileSync(PATH, "utf8") : null;

/**
 * The tables of one section, in their order.
 * Errors: throws where the document has no such section, so that a renumbered document is noticed.
 */
export function tablesOf(document: string, section: string): TableRow[][] {
  const parts = document.split(/^#{2,3} (?=\d)/m);
  const found = parts.find((part) => part.startsWith(`${section} `));
  if (found === undefined) throw new Error(`the service's document has no section ${section}`);
  const blocks = found.match(/^\|.*\|$(?:\n^\|.*\|$)+/gm) ?? [];
  return blocks.map((block) => {
    const [head = [], , ...rows] = block.split("\n").map(cellsOf);
    return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ""])));
  });
}

/** What stands in backticks, in its order. */
export function codesIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), (match) => match[1] ?? "");
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}
