/** Reads the tables of the service's interface document, if it exists next to the repository. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PATH = join(import.meta.dirname, "../../../../shared/service-interface.md");

/** Row of a table, by column name. */
export type TableRow = Readonly<Record<string, string>>;

/** Text of the document; null if it does not exist. */
export const serviceDocument: string | null = existsSync(PATH) ? readFileSync(PATH, "utf8") : null;

/**
 * Returns the tables of one section, in order.
 * Throws if the section does not exist, so that renumbering is noticed.
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

/** Returns the texts in backticks, in order. */
export function codesIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), (match) => match[1] ?? "");
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}
