/** What a change of page.yaml changed in the configuration, without secrets. */
import { isDeepStrictEqual } from "node:util";
import { entryLists } from "../entry-list.ts";
import { redactedConfig } from "../secrets.ts";
import { isTree, type Tree } from "../tree.ts";
import { byId, EVERYTHING, layValues } from "./lay.ts";
import type { Overlay } from "./overlay-file.ts";

export interface OverlayDifference {
  /** Path of the configuration; an entry of a list by its id: `plans.car.hours`. */
  readonly path: string;
  /** Null if it was not there. */
  readonly before: unknown;
  /** Null if it is not there any more. */
  readonly after: unknown;
}

/** Returns the differences between two states of page.yaml, as they count over the owner's keys. */
export function overlayDifferences(owner: Tree, before: Overlay, after: Overlay): OverlayDifference[] {
  return differences(effective(owner, before), effective(owner, after), "");
}

/** Returns the keys and values of both files. Lists with ids are sections by id. */
function effective(owner: Tree, overlay: Overlay): Tree {
  return byId(layValues(owner, structuredClone(overlay), EVERYTHING).tree);
}

function differences(before: unknown, after: unknown, path: string): OverlayDifference[] {
  if (isDeepStrictEqual(before, after)) return [];
  // An entry is added and removed as a whole; a section has differences by key.
  const isEntry = entryLists.some((list) => path.startsWith(`${list}.`));
  const [old, next] = isEntry ? [before, after] : [before ?? {}, after ?? {}];
  if (!isTree(old) || !isTree(next)) return [shown(path, before, after)];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].flatMap((key) =>
    differences(old[key], next[key], path === "" ? key : `${path}.${key}`),
  );
}

/** Returns a difference with each value as redacted as below its own key. */
function shown(path: string, before: unknown, after: unknown): OverlayDifference {
  const key = path.split(".").at(-1) ?? "";
  const redacted = (value: unknown) =>
    value === undefined || value === null ? null : (redactedConfig({ [key]: value }) as Tree)[key];
  return { path, before: redacted(before), after: redacted(after) };
}
