/** The plans, the circles of plans that depend on each other, and the current state of each plan. */

import { isDeepStrictEqual } from "node:util";
import { circlesOf, type PlanSlot } from "../core/planning/group/plan-dependencies.ts";
import type { PlanDefinition } from "../core/planning/model/plan-definition.ts";

export class PlanCircles {
  #definitions: readonly PlanDefinition[] = [];
  /** Keyed by the home of the first plan in the circle. */
  #circles: ReadonlyMap<string, readonly PlanDefinition[]> = new Map();
  #names: ReadonlySet<string> = new Set();
  #circleOf: ReadonlyMap<string, string> = new Map();
  /** Keyed by plan. Bounded by the configuration and the plans that run once. */
  readonly #slots = new Map<string, PlanSlot>();

  /**
   * Replaces all plans. `slotOf` returns the state with which a new or changed plan starts. Returns the names of the
   * circles with new, changed or removed plans, and the ids of the plans in the other circles.
   */
  replace(definitions: readonly PlanDefinition[], slotOf: (definition: PlanDefinition) => PlanSlot) {
    const [before, slots] = [this.#circles, new Map(this.#slots)];
    const circles = new Map(circlesOf(definitions).map((plans) => [plans[0]?.home ?? "", plans]));
    const names = [...new Set([...before.keys(), ...circles.keys()])];
    const changed = names.filter((name) => !isDeepStrictEqual(before.get(name), circles.get(name)));
    const changedIds = new Set(changed.flatMap((name) => circles.get(name)?.map(({ id }) => id) ?? []));
    this.#definitions = definitions;
    this.#circles = circles;
    this.#names = new Set(circles.keys());
    this.#circleOf = new Map([...circles].flatMap(([name, plans]) => plans.map(({ home }) => [home, name])));
    this.#slots.clear();
    for (const definition of definitions) {
      const known = changedIds.has(definition.id) ? undefined : slots.get(definition.id);
      this.#slots.set(definition.id, known ?? slotOf(definition));
    }
    const unchanged = new Set(definitions.flatMap(({ id }) => (changedIds.has(id) ? [] : id)));
    return { circles: changed, unchanged };
  }

  /** Shape: in the order of the configuration. */
  get definitions(): readonly PlanDefinition[] {
    return this.#definitions;
  }

  /** Returns the same set until the plans are replaced. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  circleOf(home: string): string | null {
    return this.#circleOf.get(home) ?? null;
  }

  /** Returns the plans of a circle. Shape: in the order of the configuration; empty for an unknown name. */
  in(circle: string): PlanSlot[] {
    return (this.#circles.get(circle) ?? []).flatMap(({ id }) => this.#slots.get(id) ?? []);
  }

  get(plan: string): PlanSlot | undefined {
    return this.#slots.get(plan);
  }

  set(slot: PlanSlot): void {
    this.#slots.set(slot.definition.id, slot);
  }
}
