/**
 * Tests plug control with a real broker: fewer random sequences than in `test/unit/core/plugs/plug-model.test.ts`, with
 * the real MQTT client, real packets and an emulated plug that is a client.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BrokerPlugModel } from "../../support/plugs/broker-plug-model.ts";
import { FAMILIES } from "../../support/plugs/firmware-emulators.ts";
import { TIMER_TEST_MS } from "../../support/plugs/plug-invariants.ts";

const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const LIVES = NIGHTLY ? 1_000 : 12;
const MINUTE_MS = 60_000;

const runs = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 })), { minLength: 1, maxLength: 3 })
  .map((pairs) => {
    let at = 0;
    return pairs.map(([gap, length]) => {
      const start = at + gap * 5 * MINUTE_MS;
      at = start + length * 5 * MINUTE_MS;
      return { start, end: at };
    });
  });

const acts: Readonly<Record<string, (world: BrokerPlugModel) => Promise<void> | void>> = {
  crash: (world) => world.crashDaemon(),
  start: (world) => world.startDaemon(),
  brokerDown: (world) => world.stopBroker(),
  brokerUp: (world) => world.startBroker(),
  powerOff: (world) => world.plug.losePower(),
  powerOn: (world) => world.getPower(),
  press: (world) => world.plug.press(),
  foreign: (world) => world.leaveForeignCommand(),
  loseTwo: (world) => {
    world.plug.loses = 2;
  },
  loseSix: (world) => {
    world.plug.loses = 6;
  },
  muteTwo: (world) => {
    world.plug.mute = 2;
  },
  clockAhead: (world) => {
    world.offsetMs = 5 * 60 * MINUTE_MS;
  },
  clockBack: (world) => {
    world.offsetMs = -90_000;
  },
  clockRight: (world) => {
    world.offsetMs = 0;
  },
  planUnknown: (world) => {
    world.planKnown = false;
  },
};

const life = fc.record({
  family: fc.constantFrom(...FAMILIES),
  powerOn: fc.constantFrom("off", "last", "on"),
  runs,
  steps: fc.array(fc.tuple(fc.integer({ min: 0, max: 25 * MINUTE_MS }), fc.constantFrom(...Object.keys(acts))), {
    minLength: 1,
    maxLength: 10,
  }),
});

test(`in ${LIVES} sequences no plug is ON after its run and timer, no command is retained, and faults end`, async () => {
  const seen = { ons: 0 };
  await fc.assert(
    fc.asyncProperty(life, async ({ family, powerOn, runs, steps }) => {
      await using world = await BrokerPlugModel.start(family, powerOn, runs);
      for (const [afterMs, step] of steps) {
        await world.advance(afterMs);
        await acts[step]?.(world);
        await world.settle();
      }
      const { device, got, firmware } = world.plug;
      const isAsWanted = async () => {
        await world.settle();
        return device.on === world.wanted?.on;
      };
      await world.endFaults();
      for (const afterMs of [17 * MINUTE_MS, 60 * MINUTE_MS]) {
        await world.advance(afterMs);
        // A plug may be ON after the end of a run while the daemon tests its timer.
        const isTest = runs.some(({ end }) => end <= world.now && world.now < end + TIMER_TEST_MS);
        if (isTest) await world.advance(TIMER_TEST_MS);
        await expect.poll(isAsWanted).toBe(true);
      }
      expect(world.violations).toEqual([]);
      const foreign = steps.some(([, step]) => step === "foreign") ? [firmware.foreignOn.topic] : [];
      for (const topic of await world.keptCommands()) expect(foreign).toContain(topic);
      expect(got.filter(({ retained, topic }) => retained && !foreign.includes(topic))).toEqual([]);
      seen.ons += got.filter(({ topic, payload }) => firmware.understand(topic, payload)?.set === true).length;
    }),
    { numRuns: LIVES, endOnFailure: true },
  );
  expect(seen.ons / LIVES).toBeGreaterThan(1);
});
