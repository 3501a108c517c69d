/** Power groups and the least cost of all choices of their hours, exact: every state of every hour is visited. */

import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { contains, HOUR_MS, lengthOf } from "../../../src/core/time/interval.ts";
import { at, timelineOf } from "../home/price-days.ts";
import { randomFrom } from "./plan-days.ts";
import { decideGroup } from "./plan-groups.ts";
import { definitionOf } from "./shown-plans.ts";

const HOURS = 10;
const LIMIT_W = 11_000;
const START = at("2026-03-10T20:00:00Z");
const WATTS = [1_500, 2_000, 2_500, 3_000, 3_700, 5_000, 7_400] as const;

/**
 * Decides random groups of five to eight plans in a night of ten hours, whose energy is 70 to 95 % of what the limit allows,
 * and for which a joint placement exists. `excess`: cost above the joint optimum, in percent; null if a plan lacks hours.
 */
export function* tightGroups(count: number): Generator<{ excess: number | null; solved: number }> {
  for (let [seed, found] = [1, 0]; found < count; seed++) {
    const { plans, prices } = groupFrom(seed);
    const filled = plans.reduce((sum, { hours, watts }) => sum + hours * watts, 0) / (HOURS * LIMIT_W);
    const least = filled < 0.7 || filled > 0.95 ? Number.POSITIVE_INFINITY : jointCost(plans, prices, LIMIT_W);
    if (!Number.isFinite(least)) continue;
    found++;
    const { isWhole, cost, solved } = decided(plans, prices);
    yield { excess: isWhole ? (100 * (cost - least)) / least : null, solved };
  }
}

interface JointPlan {
  /** True if its hours have to be consecutive. */
  readonly isWindow: boolean;
  readonly hours: number;
  readonly watts: number;
}

/** Returns the least cost, the sum of price times W; Infinity if not all plans fit. A state is what each plan has left. */
function jointCost(plans: readonly JointPlan[], prices: readonly number[], limitWatts: number): number {
  const sizes = plans.map(({ hours }) => hours + 1);
  const places = sizes.map((_, i) => sizes.slice(0, i).reduce((all, size) => all * size, 1));
  const states = sizes.reduce((all, size) => all * size, 1);
  const sets = Array.from({ length: 2 ** plans.length }, (_, set) => {
    const members = plans.filter((_plan, i) => (set >> i) & 1);
    const watts = members.reduce((sum, plan) => sum + plan.watts, 0);
    const step = places.reduce((sum, place, i) => sum + ((set >> i) & 1) * place, 0);
    return { set, watts, step };
  }).filter(({ watts }) => watts <= limitWatts);
  /** Plans that may run in a state, and windows that have to, as sets. */
  const [may, must] = [new Uint16Array(states), new Uint16Array(states)];
  for (let state = 0; state < states; state++) {
    for (const [i, { hours, isWindow }] of plans.entries()) {
      const left = Math.floor(state / (places[i] ?? 1)) % (hours + 1);
      if (left > 0) may[state] = (may[state] ?? 0) | (1 << i);
      if (isWindow && left > 0 && left < hours) must[state] = (must[state] ?? 0) | (1 << i);
    }
  }
  let costs = new Float64Array(states).fill(Number.POSITIVE_INFINITY);
  costs[states - 1] = 0;
  for (const price of prices) {
    const next = new Float64Array(states).fill(Number.POSITIVE_INFINITY);
    for (let state = 0; state < states; state++) {
      const cost = costs[state] ?? 0;
      if (cost === Number.POSITIVE_INFINITY) continue;
      const [open, forced] = [may[state] ?? 0, must[state] ?? 0];
      for (const { set, watts, step } of sets) {
        if ((set & open) !== set || (set & forced) !== forced) continue;
        const reached = state - step;
        const sum = cost + price * watts;
        if (sum < (next[reached] ?? 0)) next[reached] = sum;
      }
    }
    costs = next;
  }
  return costs[0] ?? Number.POSITIVE_INFINITY;
}

function groupFrom(seed: number) {
  const random = randomFrom(seed);
  const among = (count: number) => Math.floor(random() * count);
  const phase = among(20);
  const prices = Array.from(
    { length: HOURS },
    (_, hour) => 100 + among(60) + Math.round(60 * Math.sin((hour + phase) / 2)),
  );
  const plans = Array.from({ length: 5 + among(4) }, (): JointPlan => {
    return { isWindow: random() < 0.5, hours: 2 + among(3), watts: WATTS[among(WATTS.length)] ?? 0 };
  });
  return { plans, prices };
}

function decided(plans: readonly JointPlan[], prices: readonly number[]) {
  const points = prices.map((price, hour) => {
    const start = START + hour * HOUR_MS;
    return { start, end: start + HOUR_MS, price, estimate: false };
  });
  const once = { start: START, end: START + HOURS * HOUR_MS };
  const definitions = plans.map(({ isWindow, hours, watts }, i) => {
    const kind = isWindow ? ("window" as const) : ("slots" as const);
    const spec: PlanSpec = { enabled: true, once, kind, hoursMs: hours * HOUR_MS };
    const power = { group: "house", limitWatts: LIMIT_W, watts, priority: 1 };
    return { ...definitionOf(spec, `plan${i}`), power };
  });
  const { runs, solved } = decideGroup(definitions, timelineOf(points), START);
  const isWhole = plans.every(({ hours }, i) => lengthOf(runs[i] ?? []) >= hours * HOUR_MS);
  const costIn = ({ start, price }: (typeof points)[number]) =>
    plans.reduce((sum, { watts }, i) => sum + (runs[i]?.some((run) => contains(run, start)) ? price * watts : 0), 0);
  return { isWhole, solved, cost: points.reduce((sum, point) => sum + costIn(point), 0) };
}
