/** Annotated example of a configuration with every key. It is valid as written and with every commented line enabled. */
import { type KeyRow, keyRows } from "../../../src/config/schema/key-rows.ts";

/** Keys that a real installation needs. They are set; all other values are defaults or examples. */
const SET: ReadonlySet<string> = new Set(["consumer.api_key"]);
const LINE_WIDTH = 110;

const HEAD = `# yaml-language-server: $schema=./elbro.schema.json
#
# elbro: all settings. Copy this file to config/elbro.yaml and put your key into it.
# Lines that begin with # and a space explain. Lines such as #name: show a default or an example: remove the # to set them.
#
# Every key can also be an environment variable: consumer.api_key is ELBRO_CONSUMER_API_KEY.
# Every text can also come from a file: api_key_file: /path, ELBRO_CONSUMER_API_KEY_FILE=/path, or, by default,
# /run/secrets/elbro_consumer_api_key. \`elbro check\` lists the mistakes in a configuration.
`;

/** Returns the text of config/elbro.example.yaml. */
export function exampleText(): string {
  const rows = keyRows();
  const blocks = rows.filter((row) => row.depth === 0).map((row) => block(row, rows).join("\n"));
  return `${HEAD}\n${blocks.join("\n\n")}\n`;
}

function block(row: KeyRow, rows: readonly KeyRow[]): string[] {
  const below = rows.filter(
    ({ path, depth }) =>
      depth === row.depth + 1 && (path.startsWith(`${row.path}.`) || path.startsWith(`${row.path}[].`)),
  );
  const indent = "  ".repeat(row.depth);
  const mark = SET.has(row.path) ? "" : "#";
  const about = wrapped(`${row.words.about}${suffix(row)}`, `${indent}# `);
  if (row.kind === "section") return [...about, `${indent}${row.name}:`, ...below.flatMap((each) => block(each, rows))];
  if (row.kind === "list" && below.length === 0 && Array.isArray(row.default) && row.default.length > 0)
    return [...about, `${indent}#${row.name}: [${row.default.join(", ")}]`];
  if (row.kind === "list") {
    const parts = below.flatMap((each) => wrapped(`${each.name}: ${each.words.about}${suffix(each)}`, `${indent}#   `));
    const items = (row.words.items ?? []).map((item) => `${indent}  #- ${item}`);
    return [...about, ...parts, `${indent}${row.name}:`, ...items];
  }
  return [...about, `${indent}${mark}${valueLine(row)}`];
}

function suffix({ type, kind, needed, inList }: KeyRow): string {
  if (!inList && (kind === "section" || kind === "list")) return "";
  const parts = [kind === "text" && type === "text" ? "" : type, inList && needed ? "needed" : ""].filter(Boolean);
  return parts.length === 0 ? "" : ` (${parts.join("; ").replaceAll("`", "")})`;
}

function valueLine({ name, default: value, words }: KeyRow): string {
  if (words.exampleFile !== undefined) return `${name}_file: ${words.exampleFile}`;
  return `${name}: ${words.example ?? String(value)}`;
}

/** Breaks a text into lines with the same start. */
function wrapped(text: string, start: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < LINE_WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${start}${lines.length > 0 && start.endsWith("   ") ? "  " : ""}${word}`);
  }
  return lines;
}
