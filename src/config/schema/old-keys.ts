/** Keys of earlier versions. Each one is read, and is a warning that names its replacement or its new line. */

import { readDuration } from "../../core/planning/model/plan-definition.ts";
import { MINUTE_MS } from "../../core/time/interval.ts";
import { isTree, type Tree } from "../tree.ts";
import { FILE_SUFFIX } from "./schema-nodes.ts";

/** The end of the warning, by path of the key. */
const DELETED: Readonly<Record<string, string>> = {
  "broker.ws_port":
    "elbro has no MQTT over WebSocket any more; set mqtt.url to a broker that has it, such as Mosquitto",
  "levels.use_forecast": "only a confirmed price is `cheap`",
};

/** Paths of the keys that an environment variable could set. */
export const deletedPaths: readonly (readonly string[])[] = Object.keys(DELETED).map((path) => path.split("."));

const IS_ON = /^(on|true)$/i;

/** How an old key of a plan is written now; null if it is not old in this plan. Shape: the order in which they are replaced. */
const MERGED: Readonly<Record<string, (old: unknown, plan: Tree) => Tree | null>> = {
  level: (level, plan) => ({ cheap_below: joined(plan.cheap_below, level) }),
  percent: (percent, plan) => ({ cheap_below: joined(plan.cheap_below, `${percent}%`) }),
  max_price: (price, plan) => (plan.kind === "below" && plan.cheap_below === undefined ? { cheap_below: price } : null),
  price: (price, plan) => ({ cheap_below: joined(plan.cheap_below, price) }),
  tolerance_side: (side, { tolerance }) => ({ tolerance: tolerance === undefined ? side : `${tolerance} % ${side}` }),
  after_pause: (pause, plan) => ({ after: joined(plan.after, `+ ${pause}${typeof pause === "number" ? "h" : ""}`) }),
  energy: (energy, { kwh = energy }) => ({ kwh }),
  learn: (learn, { kwh }) => ({ kwh: IS_ON.test(String(learn)) ? joined(kwh, "learned") : kwh }),
  when_lost: (word, { fallback = [] }) => ({
    fallback: [fallback, typeof word === "boolean" ? (word ? "on" : "off") : word].flat(),
  }),
  // Runs that are long enough are not more.
  at_most_runs: (most, { min_run: known, max_gap: gap, hours }) => {
    const ms = (known ?? gap) === undefined ? readDuration(hours) : null;
    return ms ? { min_run: `${Math.ceil(ms / MINUTE_MS / Number(most))}m` } : {};
  },
  // Every plan compares known hours with estimates of the others, and no estimate switches anything on.
  use_forecast: () => ({}),
};

/** The old keys of a plan. */
export const oldPlanKeys: readonly string[] = [...Object.keys(MERGED), "power_limit"];

function joined(before: unknown, word: unknown): unknown {
  return before === undefined ? word : `${before} ${word}`;
}

/** Replaces the old keys of a plan, except its power limit. Returns each with the key that has taken its place, if any. */
export function mergeOldKeys(plan: Tree): [old: string, into: string][] {
  return Object.entries(MERGED).flatMap(([old, write]): [string, string][] => {
    const now = Object.hasOwn(plan, old) ? write(plan[old], plan) : null;
    if (!now) return [];
    delete plan[old];
    Object.assign(plan, now);
    return [[old, Object.keys(now).join()]];
  });
}

/** Replaces and removes the keys of earlier versions. Returns a warning for each one found. */
export function withoutOldKeys(tree: Tree): string[] {
  const plans = Array.isArray(tree.plans) ? tree.plans : [];
  const changed = plans.flatMap((plan: unknown, i) => {
    if (!isTree(plan)) return [];
    const merged = mergeOldKeys(plan).map(([old, into]) => {
      const { [into]: value = "" } = plan;
      const line = `${into}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
      return `plans[${i}].${old} is not used any more: ${value === "" ? "remove it" : `write ${line}`}`;
    });
    return [...merged, ...powerLimit(plan, tree).map((line) => `plans[${i}].${line}`)];
  });
  return [...changed, ...removeDeleted(tree)];
}

/** Replaces the name of a fuse by a group without a limit. */
function powerLimit(plan: Tree, tree: Tree): string[] {
  const { power_limit: name } = plan;
  if (name === undefined) return [];
  delete plan.power_limit;
  const groups: unknown[] = Array.isArray(tree.groups) ? tree.groups : [];
  const isKnown = groups.some((group) => isTree(group) && group.name === name);
  tree.groups = isKnown ? groups : [...groups, { name }];
  plan.group ??= name;
  return [`power_limit is not used any more: write group: ${name}, and in groups: - { name: ${name} }`];
}

/** Removes the deleted keys, and sections without another key. */
function removeDeleted(tree: Tree): string[] {
  return Object.entries(DELETED).flatMap(([path, instead]) =>
    remove(tree, path.split(".")) ? [`${path} is not used any more: ${instead}`] : [],
  );
}

function remove(node: unknown, [key = "", ...rest]: readonly string[]): boolean {
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
