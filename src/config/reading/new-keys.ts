/** Writes the configuration of the owner without the keys of earlier versions. */
import { isDeepStrictEqual } from "node:util";
import { type Document, isMap, isNode, isScalar, type Pair, parseDocument, type YAMLMap } from "yaml";
import { message } from "../../core/language/text.ts";
import { StartError } from "../../core/status/start-error.ts";
import { withoutOldKeys } from "../schema/old-keys.ts";
import { isTree, type Tree } from "../tree.ts";
import { readYaml, saidOf } from "./yaml-text.ts";

/**
 * Returns the text with today's keys in the places of the old ones, and everything else with its comments as it was.
 * Throws a StartError if the text is no YAML, or if other entries share the value of an old key.
 */
export function withNewKeys(text: string): string {
  const given = valueIn(text);
  if (!isTree(given)) return text;
  const wanted = structuredClone(given);
  withoutOldKeys(wanted);
  if (isDeepStrictEqual(given, wanted)) return text;
  const document = parseDocument(text);
  write(document, [], given, wanted);
  try {
    const written = document.toString({ lineWidth: 0 });
    if (isDeepStrictEqual(valueIn(written), wanted)) return written;
  } catch {
    // An alias whose anchor was at an old key.
  }
  throw new StartError(message("start.not_fixed"));
}

function valueIn(text: string): unknown {
  const reading = readYaml(text);
  if (reading.kind === "mistake") throw new StartError(saidOf(reading));
  return reading.value;
}

/** Changes the node at `path` from one value to another. */
function write(document: Document, path: readonly (string | number)[], from: unknown, to: unknown): void {
  if (isDeepStrictEqual(from, to)) return;
  if (isTree(from) && isTree(to)) {
    const node = path.length === 0 ? document.contents : document.getIn(path, true);
    // An alias follows its anchor, whose keys are replaced where it stands.
    if (!isMap(node)) return;
    rename(document, node, from, to);
    for (const key of Object.keys(from)) if (!(key in to)) document.deleteIn([...path, key]);
    for (const [key, value] of Object.entries(to)) write(document, [...path, key], from[key], value);
  } else if (Array.isArray(from) && Array.isArray(to) && to.length >= from.length)
    for (const [i, value] of to.entries()) write(document, [...path, i], from[i], value);
  else document.setIn(path, isTree(to) || Array.isArray(to) ? document.createNode(to, { flow: true }) : to);
}

/** Gives the new keys the places and comments of those that go, in their order. */
function rename(document: Document, map: YAMLMap, from: Tree, to: Tree): void {
  const added = Object.keys(to).filter((key) => !(key in from));
  const gone = Object.keys(from).filter((key) => !(key in to));
  for (const key of gone.slice(0, added.length)) {
    const pair = map.items.find((each: Pair) => isScalar(each.key) && each.key.value === key);
    const name = added.shift();
    if (!pair || name === undefined || !isScalar(pair.key)) continue;
    pair.key.value = name;
    const comment = isNode(pair.value) ? pair.value.comment : null;
    pair.value = document.createNode(to[name], { flow: true });
    if (isNode(pair.value) && comment) pair.value.comment = comment;
  }
}
