/** Reads YAML written by the owner: a value, or a mistake whose text repeats nothing of the file. */

import { isMap, isScalar, isSeq, LineCounter, type Pair, type ParsedNode, parseDocument, visit } from "yaml";
import { type Message, message, messageOr, placed } from "../../core/language/text.ts";
import { isTree, type Tree } from "../tree.ts";

/** `where` is a position such as `line 3, column 7`; null if the mistake concerns the whole text. */
export type YamlReading =
  | {
      readonly kind: "value";
      readonly value: unknown;
      /** Returns the line in which a key or list item begins. For a missing one, returns the line of its parent. */
      readonly lineOf: (path: readonly string[]) => number | null;
    }
  | { readonly kind: "mistake"; readonly where: string | null; readonly said: Message };

/** Returns the message of a mistake, with its position. */
export function saidOf({ where, said }: Extract<YamlReading, { kind: "mistake" }>): Message {
  return where === null ? said : placed(where, said);
}

/** Reads a text of one document. The value of an empty text is null. */
export function readYaml(text: string): YamlReading {
  const lines = new LineCounter();
  if (isTooDeep(text)) return { kind: "mistake", where: null, said: message("mistake.yaml_too_deep") };
  // At the level `silent`, the library would ignore a second document.
  const document = parseDocument(text, { lineCounter: lines, logLevel: "error" });
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0) {
    // The errors after the first are mostly its consequences.
    const first = wrong.toSorted((a, b) => a.pos[0] - b.pos[0])[0];
    const { line, col } = lines.linePos(first?.pos[0] ?? 0);
    return { kind: "mistake", where: `line ${line}, column ${col}`, said: messageOfCode(first?.code ?? "") };
  }
  try {
    // Limited by the library: an alias resolves to at most 100 values.
    return { kind: "value", value: document.toJS(), lineOf: (path) => lineIn(document.contents, path, lines) };
  } catch {
    // An alias without its anchor, or too many of them, is found only now. The error has no position.
    let at = 0;
    visit(document, {
      Alias: (_, node) => {
        at = node.range?.[0] ?? 0;
        return node.resolve(document) ? undefined : visit.BREAK;
      },
    });
    const { line, col } = lines.linePos(at);
    return { kind: "mistake", where: `line ${line}, column ${col}`, said: message("mistake.yaml_bad_alias") };
  }
}

/** Returns the keys and values of a text such as `{ from: "2026-07-01" }`; null for any other text. */
export function treeIn(text: string): Tree | null {
  const reading = readYaml(text);
  return reading.kind === "value" && isTree(reading.value) ? reading.value : null;
}

/** Returns the message of an error of the library. Its own messages quote the text, which may contain a password. */
function messageOfCode(code: string): Message {
  const found = messageOr(`mistake.yaml_${code.toLowerCase()}`, "");
  return typeof found === "string" ? message("mistake.yaml_other") : found;
}

/** Maximum nesting. A configuration needs six levels; the library's time grows with the square of the depth. */
const MAX_DEPTH = 64;
const DEEP_LIST = new RegExp(`^ *(?:[-?] +){${MAX_DEPTH}}`, "m");

/** Returns whether the nesting exceeds MAX_DEPTH. Brackets in quotes and comments count too; they are few. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const bracket of text.match(/[[\]{}]/g) ?? []) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > MAX_DEPTH) return true;
  }
  return DEEP_LIST.test(text);
}

function lineIn(contents: ParsedNode | null, path: readonly string[], lines: LineCounter): number | null {
  let node: ParsedNode | null | undefined = contents;
  let at: number | null = null;
  for (const name of path) {
    if (isMap<ParsedNode, ParsedNode | null>(node)) {
      const pair: Pair<ParsedNode, ParsedNode | null> | undefined = node.items.find(
        ({ key }) => isScalar(key) && String(key.value) === name,
      );
      if (!pair) break;
      at = pair.key.range[0];
      node = pair.value;
    } else if (isSeq<ParsedNode>(node)) {
      node = node.items[Number(name)];
      at = node?.range[0] ?? at;
    } else break;
  }
  return at === null ? null : lines.linePos(at).line;
}
