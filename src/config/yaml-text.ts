/** YAML from its owner's hands: a value, or what is wrong with it, in words that repeat nothing of the text. */
import { LineCounter, parseDocument } from "yaml";

/** Where: such as `line 3, column 7`; null where the text as a whole is meant. */
export type YamlReading =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "mistake"; readonly where: string | null; readonly text: string };

/** The library's own messages quote the text, and a password may stand there. Its codes do not. */
const SENTENCES: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this key is there twice",
  TAB_AS_INDENT: "a tab indents this line; use spaces",
  BAD_SCALAR_START: "a value that begins with this character has to stand in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a second colon in one line; put the value in quotes, or its keys on lines of their own",
  MULTIPLE_DOCS: "a second document begins; only one is read",
  BAD_DQ_ESCAPE: "a backslash in double quotes means something else here; use single quotes",
  BAD_ALIAS: "a value that begins with & or * has to stand in quotes",
  MISSING_CHAR: "something that was opened is not closed, or a key has no colon",
  BAD_INDENT: "this line is not indented as those around it, or a bracket is not closed",
  TAG_RESOLVE_FAILED: "a value that begins with ! has to stand in quotes; a secret may come from a file (…_file)",
  NON_STRING_KEY: "a key has to be text",
};
const OTHERWISE = "this is not YAML; check the indentation, colons and quotes around it";

/** Reads a text of one document; an empty one is null. */
export function readYaml(text: string): YamlReading {
  const lines = new LineCounter();
  const document = parsed(text, lines);
  if (document === null)
    return { kind: "mistake", where: null, text: "brackets or lists within one another go too deep" };
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0) {
    // What follows the first is mostly its consequence.
    const first = wrong.toSorted((a, b) => a.pos[0] - b.pos[0])[0];
    const { line, col } = lines.linePos(first?.pos[0] ?? 0);
    const text = SENTENCES[first?.code ?? ""] ?? OTHERWISE;
    return { kind: "mistake", where: `line ${line}, column ${col}`, text };
  }
  try {
    // Bounded by the library: an alias stands for a hundred values at most.
    return { kind: "value", value: document.toJS() };
  } catch {
    // An alias without its anchor is found only now, and named without its place.
    return { kind: "mistake", where: null, text: SENTENCES.BAD_ALIAS ?? OTHERWISE };
  }
}

/** Null where the text is nested so deep that the library runs out of its stack. */
function parsed(text: string, lineCounter: LineCounter) {
  try {
    // A silent reader would pass over a second document.
    return parseDocument(text, { lineCounter, logLevel: "error" });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
