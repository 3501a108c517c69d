/** Reads YAML written by the owner: a value, or a mistake whose text repeats nothing of the file. */
import { isMap, isScalar, isSeq, LineCounter, type Pair, type ParsedNode, parseDocument, visit } from "yaml";

/** `where` is a position such as `line 3, column 7`; null if the mistake concerns the whole text. */
export type YamlReading =
  | {
      readonly kind: "value";
      readonly value: unknown;
      /** Returns the line in which a key or list item begins. For a missing one, returns the line of its parent. */
      readonly lineOf: (path: readonly string[]) => number | null;
    }
  | { readonly kind: "mistake"; readonly where: string | null; readonly text: string };

/** Messages by code of the library. The library's own messages quote the text, which may contain a password. */
const SENTENCES: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this key is set twice",
  TAB_AS_INDENT: "a tab indents this line; use spaces",
  BAD_SCALAR_START: "a value that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY: "a second colon in one line; put the value in quotes, or each key on a line of its own",
  MULTIPLE_DOCS: "a second YAML document begins here; only one is allowed",
  BAD_DQ_ESCAPE: "a backslash has a special meaning in double quotes; use single quotes",
  BAD_ALIAS: "a value that begins with & or * needs quotes",
  MISSING_CHAR: "a bracket or quote is not closed, or a key has no colon",
  BAD_INDENT: "this line is indented differently from the lines around it, or a bracket is not closed",
  TAG_RESOLVE_FAILED: "a value that begins with ! needs quotes; to read a secret from a file use …_file",
  NON_STRING_KEY: "a key must be text",
};
const OTHERWISE = "this is not YAML; check the indentation, colons and quotes around it";

/** Reads a text of one document. The value of an empty text is null. */
export function readYaml(text: string): YamlReading {
  const lines = new LineCounter();
  if (isTooDeep(text)) return { kind: "mistake", where: null, text: "brackets or lists are nested too deeply" };
  // At the level `silent`, the library would ignore a second document.
  const document = parseDocument(text, { lineCounter: lines, logLevel: "error" });
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0) {
    // The errors after the first are mostly its consequences.
    const first = wrong.toSorted((a, b) => a.pos[0] - b.pos[0])[0];
    const { line, col } = lines.linePos(first?.pos[0] ?? 0);
    const text = SENTENCES[first?.code ?? ""] ?? OTHERWISE;
    return { kind: "mistake", where: `line ${line}, column ${col}`, text };
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
    return { kind: "mistake", where: `line ${line}, column ${col}`, text: SENTENCES.BAD_ALIAS ?? OTHERWISE };
  }
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
