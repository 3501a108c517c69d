/** A mapping of YAML or JSON whose keys are not checked yet. */
export type Tree = Record<string, unknown>;

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a copy without a key. */
export function withoutKey(tree: Tree, key: string): Tree {
  const { [key]: _, ...others } = tree;
  return others;
}
