/** Tables of docs/configuration.md, one for each section. */
import { type KeyRow, keyRows } from "../../../src/config/schema/key-rows.ts";

/** Returns Markdown with every key of the configuration. */
export function configDocs(): string {
  const rows = keyRows();
  const sections = rows.filter((row) => row.depth === 0);
  const small = sections.filter(({ kind }) => kind !== "section" && kind !== "list");
  const big = sections.filter((section) => !small.includes(section));
  const tables = big.map((section) => {
    const below = rows.filter(({ path, depth }) => depth > 0 && path.split(/[.[]/)[0] === section.path);
    return `**\`${section.path}\`**: ${section.words.about}\n\n${table(below)}`;
  });
  return [...tables, table(small)].join("\n\n");
}

function table(rows: readonly KeyRow[]): string {
  return ["| key | type | default | description |", "|---|---|---|---|", ...rows.map(line)].join("\n");
}

function line({ path, type, default: value, needed, inList, secret, words }: KeyRow): string {
  const given = value === undefined || (Array.isArray(value) && value.length === 0) ? "" : `\`${String(value)}\``;
  const shown = needed && inList ? "needed" : given;
  return `| \`${path}\` | ${secret ? "secret text" : type} | ${shown} | ${words.about.replaceAll("|", "\\|")} |`;
}
