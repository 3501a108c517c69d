/** Lives of plans with random reads between their decisions. */
import type { PlanDefinition } from "../../../src/core/planning/model/plan-definition.ts";
import { planActions } from "../../../src/core/planning/plan-commands.ts";
import { planSettings } from "../../../src/core/planning/setting-rows.ts";
import type { Timeline } from "../../../src/core/prices/timeline.ts";
import type { Plans } from "../../../src/plans/plans.ts";
import { at, daysOf, points, timelineOf } from "../home/price-days.ts";
import { randomFrom } from "./plan-days.ts";
import { PlansOnDisk } from "./plans-on-disk.ts";
import { definitionOf, HOUR, WASHER } from "./shown-plans.ts";

const NOON = at("2026-03-09T11:00:00Z");
const LIFE_MS = 26 * HOUR;
const QUARTER = HOUR / 4;
const base = { enabled: true } as const;

const power = (watts: number, priority: number) => ({ group: "house", limitWatts: 6_000, watts, priority });
const definitions: readonly PlanDefinition[] = [
  definitionOf(WASHER),
  { ...definitionOf({ ...WASHER, hoursMs: HOUR }, "dryer"), after: { plan: "washer", pauseMs: QUARTER } },
  {
    ...definitionOf({ ...base, kind: "slots", hoursMs: 3 * HOUR, maxGapMs: 12 * HOUR }, "heater"),
    power: power(3_000, 2),
  },
  { ...definitionOf({ ...base, kind: "slots", hoursMs: 2 * HOUR }, "car"), power: power(5_000, 1) },
  { ...definitionOf({ ...base, kind: "below", percent: 35 }, "floor"), power: power(2_000, 9) },
  definitionOf({ ...base, kind: "avoid", hoursMs: 4 * HOUR, maxGapMs: 2 * HOUR }, "freezer"),
  { ...definitionOf(WASHER, "sauna"), home: "cabin" },
];

type Read = (plans: Plans, now: number, plan: string) => unknown;

/** Everything that others read of plans. */
const reads: readonly Read[] = [
  (plans) => [plans.snapshots, plans.ids, [...plans.circles]],
  (plans, _now, plan) => plans.snapshot(plan),
  (plans) => plans.snapshotsOf("home"),
  (plans, now, plan) => [plans.isDue([plan], now), plans.wantedByAny(plans.withOnce([plan, "freezer"]), null)],
  (plans, now) => plans.results.months({ home: null, plan: null }, { start: now - 24 * HOUR, end: now }),
  (plans, now, plan) => plans.results.runs({ home: null, plan }, { start: 0, end: now }, 9),
  (plans, now, plan) => {
    const own = definitions.find(({ id }) => id === plan) ?? definitionOf(WASHER);
    return plans.preview({ ...own, spec: { ...own.spec, from: 60, readyBy: 20 * 60 } }, now);
  },
  (plans, now) => plans.preview({ ...definitionOf(WASHER, "other"), power: power(4_000, 1) }, now),
];

/** Returns prices of which those after `until` are estimates. */
function pricesAt(seed: number, until: number): Timeline {
  const all = points(daysOf("2026-03-07", "2026-03-11"), (i) => 1 + Math.sin((i + seed) / 9) + ((i * seed) % 7) / 10);
  return timelineOf(all.map((point) => (point.start < until ? point : { ...point, estimate: true })));
}

export interface PlanLife {
  /** Every decision: its time and the plans. */
  readonly decisions: readonly string[];
  /** Number of pauses between decisions, each with up to four reads if there are readers. */
  readonly pauses: number;
}

/** Lives a day of plans with commands, new prices and restarts, which depend only on the seed. */
export function liveWithReaders(seed: number, isRead: boolean): PlanLife {
  const [random, reader] = [randomFrom(seed), randomFrom(seed + 1_000_003)];
  const pick = <Item>(items: readonly Item[], from = random): Item => items[Math.floor(from() * items.length)] as Item;
  const priceSeed = Math.floor(random() * 50);
  using world = new PlansOnDisk({ definitions, timeline: pricesAt(priceSeed, daysOf("2026-03-09", "2026-03-09").end) });
  const decisions: string[] = [];
  let pauses = 0;
  const decide = (now: number): number => {
    const until = world.decide(now);
    decisions.push(`${now} ${JSON.stringify(world.plans.snapshots)}`);
    return until;
  };
  for (let now = NOON, due = decide(now); now < NOON + LIFE_MS; ) {
    const next = Math.min(due, Math.floor(now / QUARTER) * QUARTER + QUARTER);
    pauses++;
    for (let i = isRead ? Math.floor(reader() * 5) : 0; i > 0; i--)
      pick(reads, reader)(world.plans, now + Math.floor(reader() * (next - now)), pick(definitions, reader).id);
    now = next;
    if (now === NOON + 2 * HOUR) world.world.timeline = pricesAt(priceSeed, daysOf("2026-03-10", "2026-03-10").end);
    const plan = pick(definitions);
    const chance = random();
    if (chance < 0.02) world.restart();
    else if (chance < 0.06) world.plans.commands.act(plan.id, pick(planActions), now);
    else if (chance < 0.1)
      world.plans.commands.take([plan.home, plan.id, pick(planSettings), "set"], pick(["2", "ON", ""]), now);
    else if (chance < 0.11) world.plans.commands.take([plan.home, plan.id, "once", "set"], "6", now);
    due = decide(now);
  }
  return { decisions, pauses };
}
