/** Random sequences of events for a plug and its daemon. */
import * as fc from "fast-check";
import { FAMILIES } from "./firmware-emulators.ts";
import { PlugModel, type Run, type WorldSetup } from "./plug-model.ts";

const MINUTE_MS = 60_000;

const gap = fc.integer({ min: 1, max: 36 });
const length = fc.integer({ min: 1, max: 24 });

/** Runs in steps of 5 min, each at least 5 min after the previous one. */
const runs: fc.Arbitrary<Run[]> = fc.array(fc.tuple(gap, length), { minLength: 1, maxLength: 6 }).map((pairs) => {
  let at = 0;
  return pairs.map(([before, lasts]) => {
    const start = at + before * 5 * MINUTE_MS;
    at = start + lasts * 5 * MINUTE_MS;
    return { start, end: at };
  });
});

const setups: fc.Arbitrary<WorldSetup> = fc.record({
  family: fc.constantFrom(...FAMILIES),
  whenLost: fc.constantFrom("off", "off", "on"),
  powerOn: fc.constantFrom("off", "last", "on"),
  override: fc.constantFrom("respect", "enforce"),
  minOnMs: fc.constantFrom(0, 0, 10 * MINUTE_MS, 40 * MINUTE_MS),
  minOffMs: fc.constantFrom(0, 0, 5 * MINUTE_MS),
  persistentSession: fc.boolean(),
  startsOn: fc.boolean(),
  runs,
});

export type Action = { readonly afterMs: number } & (
  | { readonly kind: PlainKind }
  | { readonly kind: "brokerUp" | "powerOn"; readonly ms: number }
  | { readonly kind: "loseToPlug" | "loseFromPlug"; readonly count: number }
  | { readonly kind: "late"; readonly ms: number }
  | { readonly kind: "clock"; readonly offsetMs: number }
  | { readonly kind: "plan"; readonly known: boolean }
);

const after = fc.oneof(
  fc.integer({ min: 0, max: 15_000 }),
  fc.integer({ min: 0, max: 20 * MINUTE_MS }),
  fc.integer({ min: 0, max: 150 * MINUTE_MS }),
);
const soon = fc.constantFrom(100, 2_000, 15_000, 40_000);
const what = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("nothing", "crash", "press", "stopRun", "foreign").map((kind) => ({ kind })),
  },
  { weight: 3, arbitrary: fc.constantFrom("wifiOff", "wifiOn", "powerOff", "brokerDown").map((kind) => ({ kind })) },
  { weight: 4, arbitrary: fc.constantFrom("start").map((kind) => ({ kind })) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("brokerUp", "powerOn"), ms: soon }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("loseToPlug", "loseFromPlug"),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("late"), ms: fc.constantFrom(0, 0, 500, 8_000, 25_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("clock"),
      offsetMs: fc.constantFrom(0, 0, 60_000, -60_000, 30 * MINUTE_MS, -30 * MINUTE_MS, 300 * MINUTE_MS, -1e12),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("plan"), known: fc.boolean() }) },
) as fc.Arbitrary<Omit<Action, "afterMs">>;

const actions = fc.array(
  fc.tuple(after, what).map(([afterMs, action]) => ({ ...action, afterMs }) as Action),
  { minLength: 1, maxLength: 25 },
);

export type PlugLife = { readonly setup: WorldSetup; readonly actions: readonly Action[] };

export const plugLives: fc.Arbitrary<PlugLife> = fc.record({ setup: setups, actions });

/** Runs all events, followed by two hours without events. */
export function livePlug({ setup, actions }: PlugLife): PlugModel {
  const world = new PlugModel(setup);
  world.startDaemon();
  for (const action of actions) {
    world.advance(action.afterMs);
    world.judge.disturbed();
    act(world, action);
  }
  world.advance(120 * MINUTE_MS);
  return world;
}

function act(world: PlugModel, action: Action): void {
  switch (action.kind) {
    case "brokerUp":
      world.startBroker(action.ms);
      break;
    case "powerOn":
      world.getPower(action.ms);
      break;
    case "loseToPlug":
      world.loseToPlug = action.count;
      break;
    case "loseFromPlug":
      world.loseFromPlug = action.count;
      break;
    case "late":
      world.answerDelayMs = action.ms;
      break;
    case "clock":
      world.setClock(action.offsetMs);
      break;
    case "plan":
      world.planKnown = action.known;
      world.wake();
      break;
    default:
      plainActs[action.kind](world);
  }
}

type PlainKind =
  | "nothing"
  | "crash"
  | "start"
  | "press"
  | "stopRun"
  | "foreign"
  | "wifiOff"
  | "wifiOn"
  | "powerOff"
  | "brokerDown";

const plainActs: Readonly<Record<PlainKind, (world: PlugModel) => void>> = {
  nothing: () => undefined,
  crash: (world) => world.crashDaemon(),
  start: (world) => world.startDaemon(),
  press: (world) => world.press(),
  stopRun: (world) => world.stopRun(),
  foreign: (world) => world.leaveForeignCommand(),
  wifiOff: (world) => world.loseWifi(),
  wifiOn: (world) => world.getWifi(),
  powerOff: (world) => world.losePower(),
  brokerDown: (world) => world.stopBroker(),
};
