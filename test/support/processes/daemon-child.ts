/**
 * The process of a `ForkedDaemon`. Messages from the parent: `{ start, config }` starts the daemon, `{ runUntil }` runs
 * its clock. Before each step the process sends `{ now }` and waits for `{ at }`, so that both have the same time.
 */
import type { Config } from "../../../src/config/schema/schema.ts";
import { ManualClock } from "../clock/manual-clock.ts";
import { startInProcess } from "../daemon/in-process-daemon.ts";

type Message = { readonly start?: number; readonly config?: Config; readonly runUntil?: number; readonly at?: number };

let jumped: (() => void) | null = null;
let clock: ManualClock | null = null;

process.on("message", (message: Message) => {
  if (message.at !== undefined) jumped?.();
  else void carryOut(message);
});

async function carryOut({ start, config, runUntil }: Message): Promise<void> {
  if (start !== undefined && config !== undefined) {
    clock = new ManualClock(start, "year", (at) => {
      process.send?.({ now: at });
      return new Promise((resolve) => {
        jumped = resolve;
      });
    });
    const { brokerPort } = await startInProcess({ config, clock, random: Math.random });
    process.send?.({ brokerPort });
  }
  if (runUntil !== undefined) {
    await clock?.runUntil(runUntil);
    process.send?.({ reached: runUntil, rssMb: process.memoryUsage.rss() / 2 ** 20 });
  }
}
