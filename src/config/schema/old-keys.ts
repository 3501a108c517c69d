/** Keys of earlier versions. Each one is read, and is a warning that names its replacement or its new line. */

import { isTree, type Tree } from "../tree.ts";
import { FILE_SUFFIX } from "./schema-nodes.ts";

/** The end of the warning, by path of the key. A part `[]` of a path stands for each entry of a list: `plugs.[].old`. */
const DELETED: Readonly<Record<string, string>> = {
  "broker.ws_port":
    "elbro has no MQTT over WebSocket any more; set mqtt.url to a broker that has it, such as Mosquitto",
  "levels.use_forecast": "only a confirmed price is `cheap`",
  "plans.[].use_forecast":
    "every plan compares known hours with estimates of the others, and no estimate switches anything on",
};

/** Paths of the keys that an environment variable could set. */
export const deletedPaths: readonly (readonly string[])[] = Object.keys(DELETED).flatMap((path) =>
  path.includes("[]") ? [] : [path.split(".")],
);

/** How a key of a plan is written now. Each changes the plan, or the whole configuration, and returns the new lines. */
const CHANGED: Readonly<Record<string, (plan: Tree, value: unknown, tree: Tree) => string>> = {
  power_limit(plan, value, tree) {
    const groups: unknown[] = Array.isArray(tree.groups) ? tree.groups : [];
    if (!groups.some((group) => isTree(group) && group.name === value)) groups.push({ name: value });
    tree.groups = groups;
    plan.group ??= value;
    return `group: ${value}, and in groups: - { name: ${value} }`;
  },
};

/** Replaces and removes the keys of earlier versions. Returns a warning for each one found. */
export function withoutOldKeys(tree: Tree): string[] {
  const plans = Array.isArray(tree.plans) ? tree.plans : [];
  const changed = plans.flatMap((plan: unknown, i) => {
    const found = isTree(plan) ? Object.keys(CHANGED).filter((key) => Object.hasOwn(plan, key)) : [];
    return found.flatMap((key) => {
      const { [key]: value } = plan as Tree;
      delete (plan as Tree)[key];
      return `plans[${i}].${key} is not used any more: write ${CHANGED[key]?.(plan as Tree, value, tree)}`;
    });
  });
  return [...changed, ...removeDeleted(tree)];
}

/** Removes the deleted keys, and sections without another key. */
function removeDeleted(tree: Tree): string[] {
  return Object.entries(DELETED).flatMap(([path, instead]) =>
    remove(tree, path.split(".")) ? [`${path} is not used any more: ${instead}`] : [],
  );
}

function remove(node: unknown, [key = "", ...rest]: readonly string[]): boolean {
  if (key === "[]") return Array.isArray(node) && node.filter((entry) => remove(entry, rest)).length > 0;
  if (!isTree(node)) return false;
  if (rest.length > 0) {
    const below = node[key];
    if (!remove(below, rest)) return false;
    if (isTree(below) && Object.keys(below).length === 0) delete node[key];
    return true;
  }
  const found = [key, `${key}${FILE_SUFFIX}`].filter((name) => Object.hasOwn(node, name));
  for (const name of found) delete node[name];
  return found.length > 0;
}
