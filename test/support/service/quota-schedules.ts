/** Random sequences of events for the rate limiter, and the function that runs them. */
import * as fc from "fast-check";
import { type Share, shares } from "../../../src/core/fetching/rate-limit.ts";
import { type Passage, type RateLimiterModel, TIMEOUT_MS } from "./rate-limiter-model.ts";
import type { Limits } from "./strict-service.ts";

/** Number of installations that use the key in the schedules of a shared key. */
export const INSTALLATIONS = 2;

export type Action =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "nearReset"; readonly window: keyof Limits; readonly beforeMs: number }
  | { readonly do: "waitUntilAllowed"; readonly share: Share; readonly extraMs: number }
  | { readonly do: "burst"; readonly share: Share; readonly count: number; readonly passage: Passage }
  /** One request after the other. */
  | { readonly do: "series"; readonly share: Share; readonly count: number }
  /** Uses the whole quota just before a reset, with responses after it, and again as soon as permits are granted. */
  | { readonly do: "pressAcross"; readonly window: keyof Limits; readonly beforeMs: number; readonly passage: Passage }
  | { readonly do: "spendAndDie"; readonly share: Share }
  | { readonly do: "crash"; readonly downMs: number }
  | { readonly do: "reboot"; readonly downMs: number; readonly bootMs: number }
  | { readonly do: "sleep"; readonly ms: number }
  | { readonly do: "setWall"; readonly at: number }
  | { readonly do: "configure"; readonly limits: Limits }
  | { readonly do: "others"; readonly count: number };

/** Event of one installation. */
type Step = { readonly who: number; readonly action: Action };
export type Schedule = { readonly limits: Limits; readonly startAt: number; readonly steps: readonly Step[] };

const MINUTE = 60_000;
const DAY = 86_400_000;
const MAX_AT_ONCE = 60;
export const AT_ONCE: Passage = { upMs: 0, downMs: 0, fate: "answered" };
const MIDNIGHT = Date.UTC(2026, 9, 25);

const share = fc.constantFrom(...shares);
const flightMs = fc.oneof(fc.constantFrom(0, 0, TIMEOUT_MS), fc.nat({ max: TIMEOUT_MS }));
const answered = Array<Passage["fate"]>(4).fill("answered");
const fates = [...answered, "bare", "lost", "unsent", "givenBack"] as const;
const passage = fc
  .record({
    upMs: flightMs,
    downMs: fc.oneof(fc.constant(0), fc.nat({ max: TIMEOUT_MS })),
    fate: fc.constantFrom(...fates),
  })
  .map(({ upMs, downMs, fate }) => ({ upMs, fate, downMs: Math.min(downMs, TIMEOUT_MS - upMs) }));
const spanMs = fc.oneof(
  fc.nat({ max: 2_000 }),
  fc.nat({ max: 2 * MINUTE }),
  fc.nat({ max: 5 * 60 * MINUTE }),
  fc.nat({ max: 2 * DAY }),
);
const window = fc.constantFrom<keyof Limits>("minute", "day");
/** Limits at or above those assumed before the first response. */
const firstLimits = fc.record({
  minute: fc.oneof(fc.integer({ min: 5, max: 12 }), fc.integer({ min: 5, max: 200 })),
  day: fc.oneof(fc.integer({ min: 50, max: 60 }), fc.integer({ min: 50, max: 300 })),
});
/** Limits that one response can set; a second one has to confirm a lower day limit. */
const laterLimits = fc.record({ minute: fc.integer({ min: 1, max: 200 }), day: fc.integer({ min: 24, max: 300 }) });

const passing: fc.Arbitrary<Action>[] = [
  fc.record({ do: fc.constant("wait" as const), ms: spanMs }),
  fc.record({ do: fc.constant("nearReset" as const), window, beforeMs: fc.integer({ min: -200, max: 31_000 }) }),
  fc.record({ do: fc.constant("waitUntilAllowed" as const), share, extraMs: fc.constantFrom(0, 0, 1, 999) }),
];
const burstsOf = (how: fc.Arbitrary<Passage>): fc.Arbitrary<Action> =>
  fc.record({
    ...{ do: fc.constant("burst" as const), share, passage: how },
    count: fc.oneof(fc.constantFrom(1, 1, 2), fc.integer({ min: 1, max: MAX_AT_ONCE })),
  });
const bursts = burstsOf(passage);
/**
 * Bursts with prompt responses. A late or lost response could hide attempts of others, so the rate limiter then waits.
 */
const promptBursts = burstsOf(
  fc.record({ upMs: fc.nat({ max: 900 }), downMs: fc.nat({ max: 900 }), fate: fc.constant("answered" as const) }),
);
const pressing: fc.Arbitrary<Action> = fc.record({
  ...{ do: fc.constant("pressAcross" as const), window, passage },
  beforeMs: fc.integer({ min: 0, max: TIMEOUT_MS }),
});
const machineAccidents: fc.Arbitrary<Action>[] = [
  fc.record({ do: fc.constant("spendAndDie" as const), share }),
  fc.record({ do: fc.constant("crash" as const), downMs: fc.nat({ max: 3_000 }) }),
  fc.record({ do: fc.constant("crash" as const), downMs: fc.nat({ max: 3_000 }) }),
  fc.record({ do: fc.constant("reboot" as const), downMs: spanMs, bootMs: fc.nat({ max: 90_000 }) }),
  fc.record({ do: fc.constant("sleep" as const), ms: spanMs }),
  fc.record({
    do: fc.constant("setWall" as const),
    at: fc.constantFrom(0, Date.UTC(2069, 0, 1), MIDNIGHT - 7_200_000, MIDNIGHT + 7_200_000),
  }),
];
const serviceEvents: fc.Arbitrary<Action>[] = [
  fc.record({ do: fc.constant("configure" as const), limits: laterLimits }),
  fc.record({ do: fc.constant("others" as const), count: fc.integer({ min: 1, max: 50 }) }),
];

/** Bursts and waits with a few other events. */
function actionsWith(accidents: readonly fc.Arbitrary<Action>[]): fc.Arbitrary<Action> {
  return fc.oneof(
    ...passing.map((arbitrary) => ({ weight: 4, arbitrary })),
    { weight: 12, arbitrary: bursts },
    { weight: 2, arbitrary: pressing },
    ...accidents.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
}

/** Up to 40 events that start within 1 min of midnight UTC or at any time of a day. */
export const schedules: fc.Arbitrary<Schedule> = schedulesOf(actionsWith([...machineAccidents, ...serviceEvents]));

/** The same for installations that do not know of each other: without bursts, each sends one request after the other. */
export const sharedSchedules: fc.Arbitrary<Schedule> = schedulesOf(
  fc.oneof(
    { weight: 1, arbitrary: actionsWith(machineAccidents) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("series" as const), share, count: fc.nat({ max: 40 }) }) },
  ),
  INSTALLATIONS,
);

/** Events without failures of service, process or machine, and without other users of the key. */
export const quietSchedules: fc.Arbitrary<Schedule> = schedulesOf(fc.oneof(...passing, promptBursts, promptBursts));

function schedulesOf(action: fc.Arbitrary<Action>, installations = 1): fc.Arbitrary<Schedule> {
  const step = fc.record({ who: fc.nat({ max: installations - 1 }), action });
  return fc.record({
    limits: firstLimits,
    startAt: fc.oneof(fc.integer({ min: -MINUTE, max: MINUTE }), fc.nat({ max: DAY })).map((ms) => MIDNIGHT + ms),
    steps: fc.array(step, { minLength: 1, maxLength: 40, size: "max" }),
  });
}

/** Runs a sequence to its end. The results are in `worlds`. */
export function live(worlds: readonly RateLimiterModel[], steps: readonly Step[]): void {
  for (const { who, action } of steps) {
    const world = worlds[who];
    if (world) act(world, action);
  }
  worlds[0]?.advance(TIMEOUT_MS + 1);
}

function act(world: RateLimiterModel, action: Action): void {
  switch (action.do) {
    case "wait":
      world.advance(action.ms);
      return;
    case "nearReset":
      advanceNear(world, action.window, action.beforeMs);
      return;
    case "waitUntilAllowed":
      world.advanceUntilAllowed(action.share, action.extraMs);
      return;
    case "burst":
      press(world, action.share, action.count, action.passage);
      return;
    case "series":
      for (let i = 0; i < action.count && world.attempt(action.share, AT_ONCE); i++) world.advance(0);
      return;
    case "pressAcross":
      advanceNear(world, action.window, action.beforeMs);
      for (const each of shares) press(world, each, MAX_AT_ONCE, action.passage);
      world.advance(TIMEOUT_MS);
      for (const each of shares) {
        world.advanceUntilAllowed(each, 0);
        press(world, each, MAX_AT_ONCE, AT_ONCE);
      }
      return;
    case "spendAndDie":
      world.attemptAndDie(action.share);
      return;
    case "crash":
      world.crash(action.downMs);
      return;
    case "reboot":
      world.reboot(action.downMs, action.bootMs);
      return;
    case "sleep":
      world.suspend(action.ms);
      return;
    case "setWall":
      world.setWall(action.at);
      return;
    case "configure":
      // Before the first response, the limiter can only know the limits of the start.
      if (world.heardFrom) world.service.configure(world.now, action.limits);
      return;
    case "others":
      world.service.countOthers(world.now, action.count);
      return;
  }
}

function advanceNear(world: RateLimiterModel, name: keyof Limits, beforeMs: number): void {
  const length = name === "minute" ? MINUTE : DAY;
  const reset = Math.ceil((world.now + beforeMs + 1) / length) * length;
  world.advanceTo(reset - beforeMs);
}

function press(world: RateLimiterModel, by: Share, count: number, how: Passage): void {
  for (let i = 0; i < count; i++) if (!world.attempt(by, how)) return;
}
