/** Changes an entry of a list, or a setting, in the text of a configuration. Comments and everything else stay. */
import { isDeepStrictEqual } from "node:util";
import {
  Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type ToStringOptions,
  visit,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import type { EntryList } from "./entry-list.ts";
import { writtenIds } from "./page-file.ts";
import { FILE_SUFFIX } from "./schema-nodes.ts";
import { isTree, type Tree } from "./tree.ts";

/** A change of an entry. `index` is null for a new entry, `entry` for a deletion. */
export interface EntryEdit {
  readonly list: EntryList;
  readonly index: number | null;
  readonly entry: Tree | null;
}

/** Texts that YAML 1.1 reads as another type. Other programs may read the file with it. */
const AMBIGUOUS = /^(\d+:|(on|off|yes|no|y|n)$)/i;

/**
 * Returns the changed text; null if the entry is written in a way that cannot be edited, for instance with an alias.
 */
export function editEntry(text: string, { list, index, entry }: EntryEdit): string | null {
  const document = parseDocument(text);
  const root = rootOf(document);
  const entries = root && listIn(root, list);
  if (!root || !entries) return null;
  const idOf = (at: number) => writtenIds(entries.toJS(document))[at];
  if (index === null) entries.add(nodeOf(document, entry));
  else if (entry === null) entries.delete(index);
  else {
    const node = entries.items[index];
    if (!isMap(node)) return null;
    const id = idOf(index);
    update(document, node as YAMLMap<unknown, Node | null>, entry);
    // An id that is made from the name does not change with the name.
    if (idOf(index) !== id) node.set("id", id);
  }
  if (entries.items.length === 0) entries.flow = true;
  return spliced(text, document, root, list);
}

/**
 * Returns the text with another value of a top-level key; null if the key is written in a way that cannot be edited.
 * The value null removes the key. Within a section, null removes a key together with its `_file` form.
 */
export function editSetting(text: string, name: string, value: unknown): string | null {
  const document = parseDocument(text);
  const root = rootOf(document);
  if (!root) return null;
  const node = root.get(name, true) as unknown;
  const isEmpty = node === undefined || (isScalar(node) && node.value === null);
  if (value === null) root.delete(name);
  else if (isMap(node) && isTree(value)) update(document, node as YAMLMap<unknown, Node | null>, value);
  else if (isScalar(node) && !isEmpty && !isTree(value)) node.value = value;
  else if (isEmpty) {
    const filled = isTree(value) ? Object.entries(value).filter(([, each]) => each !== null) : null;
    const created = nodeOf(document, filled ? Object.fromEntries(filled) : value);
    if (isScalar(node)) created.commentBefore = commentsOf(node);
    root.set(name, created);
  } else return null;
  return spliced(text, document, root, name);
}

/** Replaces a top-level key in the text, and leaves the rest as its owner wrote it. Null for an alias without a node. */
function spliced(text: string, document: Document, root: YAMLMap, name: string): string | null {
  try {
    return withKey(text, document, root, name);
  } catch {
    // There is an alias to a removed node.
    return null;
  }
}

function withKey(text: string, document: Document, root: YAMLMap, name: string): string {
  const before = parseDocument(text).contents;
  const [start, end] = (isMap(before) && !before.flow && rangeOf(before, name)) || [text.length, text.length];
  const section = text.slice(start, end);
  const options: ToStringOptions = {
    lineWidth: 0,
    indentSeq: !/^[a-z_]+:[^\n]*\n(#[^\n]*\n)*- /m.test(text),
    flowCollectionPadding: !/[{[]\S/.test(section),
    verifyAliasOrder: false,
  };
  if (root.flow) return document.toString(options);
  const head = text.slice(0, start);
  const pair = root.items.find(({ key }) => nameOf(key) === name);
  // Comments that follow a removed key stay: they usually belong to the next one.
  if (!pair) return `${head}${/(^#.*\n|^\n)*$/m.exec(section)?.[0] ?? ""}${text.slice(end)}`;
  const part = new Document();
  if (isNode(pair.key)) Object.assign(pair.key, { commentBefore: null, spaceBefore: false });
  const map = new YAMLMap();
  map.items.push(pair);
  part.contents = map;
  return `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}${part.toString(options)}${text.slice(end)}`;
}

/** Returns the start and end of a key and its value in the text; null if the key is missing. */
function rangeOf(root: YAMLMap, name: string): readonly [number, number] | null {
  const pair = root.items.find(({ key }) => nameOf(key) === name);
  if (!isNode(pair?.key)) return null;
  const end = isNode(pair.value) ? pair.value.range?.[2] : pair.key.range?.[2];
  return [pair.key.range?.[0] ?? 0, end ?? 0];
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function rootOf(document: Document): YAMLMap | null {
  document.contents ??= new YAMLMap();
  return isMap(document.contents) ? document.contents : null;
}

/** Returns the list. Creates it if it is missing or its lines are commented out; null if the key has another value. */
function listIn(root: YAMLMap, list: EntryList): YAMLSeq | null {
  const node = root.get(list, true) as unknown;
  const isEmpty = node === undefined || (isScalar(node) && node.value === null);
  if (!isEmpty && !isSeq(node)) return null;
  const entries = isSeq(node) ? node : new YAMLSeq();
  if (isScalar(node)) entries.commentBefore = commentsOf(node);
  if (entries.items.length === 0) entries.flow = false;
  if (entries !== node) root.set(list, entries);
  return entries;
}

/** Returns the comments of a value that is missing because its lines are commented out. */
function commentsOf({ commentBefore, comment }: Node): string | null {
  return [commentBefore, comment].filter(Boolean).join("\n") || null;
}

/** Updates an entry. An unchanged key keeps its form; a `…_file` key stays unless its value is set. Null removes a key. */
function update(document: Document, node: YAMLMap<unknown, Node | null>, entry: Tree): void {
  for (const { key } of [...node.items]) {
    const name = nameOf(key);
    const isKept = name.endsWith(FILE_SUFFIX) && !(name.slice(0, -FILE_SUFFIX.length) in entry);
    if (!(name in entry) && !isKept) node.delete(name);
  }
  for (const [name, value] of Object.entries(entry)) {
    const before = node.get(name, true) as Node | undefined;
    if (value === null) node.delete(name);
    else if (before && isDeepStrictEqual(before.toJS(document), value)) continue;
    else if (isScalar(before) && !before.anchor && typeof before.value === typeof value) before.value = value;
    else node.set(name, nodeOf(document, value));
  }
}

function nodeOf(document: Document, value: unknown): Node {
  const node = document.createNode(value);
  visit(node, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && AMBIGUOUS.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
    // Lists of days and hours are written on one line.
    Seq: (_, seq) => {
      seq.flow = true;
    },
  });
  return node;
}
