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

/** Returns a copy without a key. */
export function withoutKey(tree: Tree, key: string): Tree {
  const { [key]: _, ...others } = tree;
  return others;
}
