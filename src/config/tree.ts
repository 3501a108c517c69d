/** A mapping of YAML or JSON whose keys are not checked yet. */
export type Tree = Record<string, unknown>;

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value at a path such as `mqtt.url`; undefined if the path does not exist. */
export function valueAt(tree: object, path: string | readonly PropertyKey[]): unknown {
  const keys = typeof path === "string" ? path.split(".") : path;
  return keys.reduce<unknown>(
    (node, key) => (isTree(node) || Array.isArray(node) ? (node as Tree)[String(key)] : undefined),
    tree,
  );
}

/** Returns a copy with a value at a path of one or two keys. */
export function withValue(tree: Tree, path: string, value: unknown): Tree {
  const [section = "", key] = path.split(".");
  if (key === undefined) return { ...tree, [section]: value };
  const before = tree[section];
  return { ...tree, [section]: { ...(isTree(before) ? before : {}), [key]: value } };
}

/** Returns values by their paths as a tree. */
export function treeOf(values: Tree): Tree {
  return Object.entries(values).reduce<Tree>((tree, [path, value]) => withValue(tree, path, value), {});
}

/** Returns a copy without a key. */
export function withoutKey(tree: Tree, key: string): Tree {
  const { [key]: _, ...others } = tree;
  return others;
}
