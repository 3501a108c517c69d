/** Changes that are not in `page.yaml`, noted for the history where they are made, whoever makes them. */
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import { type EpochMs, formatInstant } from "../core/time/interval.ts";

/** What a change did at a path such as `plans.car.hours`; null for nothing. A secret is `(set)`. */
export type Difference = { readonly path: string; readonly before: unknown; readonly after: unknown };
/** A change with its time, and who made it; null if that is not known. */
export type NotedChange = Readonly<{ id: null; until: string; by: string | null; differences: readonly Difference[] }>;

/** Who made a change that came over MQTT, which does not name its sender. */
export const OVER_MQTT = "MQTT";
/** Maximum number of changes in the history. */
export const MAX_CHANGES = 20;
const NAME = "adjusted_plans";
/** The digest of the value has already shown that it is intact. */
const stored = z.array(z.custom<NotedChange>());

/** Shape: at most MAX_CHANGES, the newest first. */
export function notedChanges(memory: KeyValue): readonly NotedChange[] {
  return readJson(memory, NAME, stored) ?? [];
}

/** Notes a change. Of automations, which change the same again and again, only the last change of a path is kept. */
export function noteChange(
  memory: KeyValue,
  { now, caller }: { readonly now: EpochMs; readonly caller: string | null },
  differences: readonly Difference[],
): void {
  if (differences.length === 0) return;
  const pathsOf = (changes: readonly Difference[]) => changes.map(({ path }) => path).join();
  const isRepeated = (each: NotedChange) =>
    caller === OVER_MQTT && each.by === caller && pathsOf(each.differences) === pathsOf(differences);
  const others = notedChanges(memory).filter((each) => !isRepeated(each));
  const change = { id: null, until: formatInstant(now), by: caller, differences };
  memory.write(NAME, JSON.stringify([change, ...others].slice(0, MAX_CHANGES)));
}
