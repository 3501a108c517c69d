/** Keys of earlier versions. Each one is read, has no effect, and is a warning that names its replacement. */

import { isTree, type Tree } from "../tree.ts";
import { FILE_SUFFIX } from "./schema-nodes.ts";

/** The end of the warning, by path of the key. A part `[]` of a path stands for each entry of a list: `plugs.[].old`. */
const DELETED: Readonly<Record<string, string>> = {
  "broker.ws_port":
    "elbro has no MQTT over WebSocket any more; set mqtt.url to a broker that has it, such as Mosquitto",
};

/** Paths of the keys that an environment variable could set. */
export const deletedPaths: readonly (readonly string[])[] = Object.keys(DELETED).flatMap((path) =>
  path.includes("[]") ? [] : [path.split(".")],
);

/** Removes the deleted keys, and sections without another key. Returns a warning for each one found. */
export function removeDeleted(tree: Tree): string[] {
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
