/**
 * Wrong clocks: starts at odd times, with clock jumps and restarts. The service uses the real time and counts requests.
 * The daemon must not throw, exceed the quota or switch a signal ON at a wrong time. It must recover with the right
 * time.
 */
import { RELEASED_AT } from "../../src/core/status/version.ts";
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from "../../src/core/time/interval.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { startInProcess } from "../support/daemon/in-process-daemon.ts";
import { configFor, LAN_KEY } from "../support/daemon/test-config.ts";
import { TempDir } from "../support/runner/temp-dir.ts";
import { JumpingClock } from "./jumping-clock.ts";
import { DENIED, type PartOptions, type Report } from "./part.ts";
import type { Random } from "./random.ts";

const REAL = RELEASED_AT + 30 * DAY_MS + 9 * HOUR_MS;
const ODD_TIMES: readonly EpochMs[] = [
  ...[0, 1, HOUR_MS, Date.UTC(1999, 11, 31, 23, 59), Date.UTC(2038, 0, 19, 3, 14), Date.UTC(2100, 1, 28, 23)],
  ...[Date.UTC(2199, 11, 31, 23), Date.UTC(2209, 11, 31, 22), Date.UTC(2232, 5, 1), Date.UTC(2262, 3, 11)],
];
/** Quota below the needs of the back-fill, so that it is always nearly used up. */
const LIMITS = { minute: 5, day: 30 };
const STEPS = 6;
const MAX_STEP_MS = 3 * HOUR_MS;
/** Maximum clock error that `ClockGuard` tolerates. */
const TOLERATED_MS = 2 * MINUTE_MS + 1_000;

type Now = { readonly homes: readonly { readonly price: number | null; readonly cheap?: string | boolean | null }[] };

/** Runs `wanted` daemons with wrong clocks. Returns their number. */
export async function clocks(wanted: number, { random }: PartOptions, report: Report): Promise<number> {
  for (let i = 0; i < wanted; i++) {
    const start = ODD_TIMES[i % ODD_TIMES.length] ?? 0;
    try {
      await live(start, random, report);
    } catch (error) {
      report.broken("stuck", `start at ${start}: ${error instanceof Error ? error.stack : error}`);
    }
  }
  return wanted;
}

async function live(start: EpochMs, random: Random, report: Report): Promise<void> {
  const clock = new JumpingClock(REAL, start);
  await using simulator = await startSimulator({ now: () => clock.real.now(), homes: ["danish"], limits: LIMITS });
  using dir = new TempDir();
  const config = configFor(simulator, dir.path, { retention: { years: 100 }, history: { months: 24 } });
  const open = () => startInProcess({ config, clock, simulatedTime: false });
  let daemon = await open();
  const now = async () => {
    const response = await fetch(`http://127.0.0.1:${daemon.apiPort}/local/v1/now`, {
      headers: { authorization: `Bearer ${LAN_KEY}` },
    });
    if (response.status === 500) report.broken("stuck", `a 500 at ${clock.now()}`);
    return (await response.json()) as Now;
  };
  try {
    for (let step = 0; step < STEPS; step++) {
      await clock.real.runUntil(clock.real.now() + random.below(MAX_STEP_MS));
      const { homes } = await now();
      const isWrong = Math.abs(clock.aheadMs) > TOLERATED_MS;
      if (isWrong && homes.some(({ cheap }) => cheap === "ON" || cheap === true))
        report.broken("lost", `cheap is ON with a clock ${clock.aheadMs} ms ahead (start ${start}, step ${step})`);
      if (random.below(3) === 0) {
        await daemon.stop();
        daemon = await open();
      }
      clock.set(wallOf(random, clock.real.now()));
    }
    clock.set(clock.real.now());
    await clock.real.runUntil(clock.real.now() + 4 * HOUR_MS);
    if ((await now()).homes[0]?.price == null)
      report.broken("stuck", `no price with the right time again (start ${start})`);
  } finally {
    await daemon.stop();
  }
  const denied = simulator.answered().filter(({ status }) => DENIED.includes(status)).length;
  if (denied > 0) report.broken("denied", `${denied} requests, start at ${start}`);
}

/** Returns a new wall-clock time: right, up to a day off, up to 400 days off, or an odd one. */
function wallOf(random: Random, real: EpochMs): EpochMs {
  switch (random.below(4)) {
    case 0:
      return real;
    case 1:
      return real + (random.below(2) === 0 ? -1 : 1) * random.below(DAY_MS);
    case 2:
      return real + (random.below(2) === 0 ? -1 : 1) * random.below(400) * DAY_MS;
    default:
      return random.pick(ODD_TIMES);
  }
}
