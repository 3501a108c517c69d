/** All plans: their order, their dependencies, and the current state of each. */

import { isDeepStrictEqual } from "node:util";
import { inOrder, type PlanDefinition } from "../core/planning/model/plan-definition.ts";
import { circlesOf, type PlanSlot } from "../core/planning/plan-dependencies.ts";
import { inTurn } from "../core/planning/power-group.ts";

/** Plans that depend on each other, and on no plan of another circle. */
interface PlanCircle {
  /** Shape: in the order of the configuration. */
  readonly inFile: readonly PlanDefinition[];
  /** Shape: in the order in which they are decided. */
  readonly ordered: readonly PlanDefinition[];
}

/** Result of a replacement. */
interface Replaced {
  /** Names of the circles with new, changed or removed plans. */
  readonly circles: readonly string[];
  /** Ids of the plans in the other circles, which keep their state. */
  readonly unchanged: ReadonlySet<string>;
}

const NO_PLANS: PlanCircle = { inFile: [], ordered: [] };

export class PlanSlots {
  #all: PlanCircle = NO_PLANS;
  /** Keyed by the home of the first plan in the circle. */
  #circles: ReadonlyMap<string, PlanCircle> = new Map();
  #circleOf: ReadonlyMap<string, string> = new Map();
  /** Keyed by plan. Bounded by the configuration and the plans that run once. */
  readonly #slots = new Map<string, PlanSlot>();

  /** Replaces all plans. `slotOf` returns the state with which a new or changed plan starts. */
  replace(inFile: readonly PlanDefinition[], slotOf: (definition: PlanDefinition) => PlanSlot): Replaced {
    this.#all = { inFile, ordered: inOrder(inTurn(inFile)) };
    const rank = new Map(this.#all.ordered.map(({ id }, i) => [id, i]));
    const circles = circlesOf(inFile).map((plans) => {
      const ordered = plans.toSorted((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
      return [plans[0]?.home ?? "", { inFile: plans, ordered }] as const;
    });
    const [before, slots] = [this.#circles, new Map(this.#slots)];
    this.#circles = new Map(circles);
    this.#circleOf = new Map(circles.flatMap(([name, { inFile }]) => inFile.map(({ home }) => [home, name] as const)));
    const changed = circles.filter(([name, { inFile }]) => !isDeepStrictEqual(before.get(name)?.inFile, inFile));
    const changedIds = new Set(changed.flatMap(([, { inFile }]) => inFile.map(({ id }) => id)));
    this.#slots.clear();
    for (const definition of this.#all.ordered) {
      const known = changedIds.has(definition.id) ? undefined : slots.get(definition.id);
      this.#slots.set(definition.id, known ?? slotOf(definition));
    }
    const unchanged = new Set(inFile.flatMap(({ id }) => (changedIds.has(id) ? [] : id)));
    return { circles: changed.map(([name]) => name), unchanged };
  }

  /** Shape: in the order of the configuration. */
  get definitions(): readonly PlanDefinition[] {
    return this.#all.inFile;
  }

  /** Circles by name. Returns the same map until the plans are replaced. */
  get circles(): ReadonlyMap<string, unknown> {
    return this.#circles;
  }

  /** Returns the name of the circle of a home's plans; null for a home without plans. */
  circleOf(home: string): string | null {
    return this.#circleOf.get(home) ?? null;
  }

  /** Returns the plans of a circle, or all plans if it is null. */
  plansIn(circle: string | null): PlanCircle {
    return circle === null ? this.#all : (this.#circles.get(circle) ?? NO_PLANS);
  }

  get(plan: string): PlanSlot | undefined {
    return this.#slots.get(plan);
  }

  set(slot: PlanSlot): void {
    this.#slots.set(slot.definition.id, slot);
  }

  /** Shape: in the order in which they are decided. */
  get all(): readonly PlanSlot[] {
    return [...this.#slots.values()];
  }

  /** Returns the plans of the same circle, this one included. Shape: in the order in which they are decided. */
  circleWith({ home }: PlanDefinition): PlanSlot[] {
    const { ordered } = this.#circles.get(this.circleOf(home) ?? "") ?? NO_PLANS;
    return ordered.flatMap(({ id }) => this.#slots.get(id) ?? []);
  }
}
