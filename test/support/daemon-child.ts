/**
 * The daemon of a year in fast forward, in a process of its own so that its memory is its own. Its clock is moved by
 * the parent: `{ runUntil }` comes in, and before each jump `{ now }` goes out and is waited for, so that the service
 * of the parent lives at the same time.
 */
import { configSchema } from "../../src/config/schema.ts";
import { startDaemon } from "../../src/daemon.ts";
import { ManualClock } from "./manual-clock.ts";

interface Order {
  readonly start?: number;
  readonly config?: unknown;
  readonly runUntil?: number;
  readonly at?: number;
}

let jumped: (() => void) | null = null;
let clock: ManualClock | null = null;

process.on("message", (order: Order) => {
  if (order.at !== undefined) jumped?.();
  else void carryOut(order);
});

async function carryOut({ start, config, runUntil }: Order): Promise<void> {
  if (start !== undefined) {
    clock = new ManualClock(start, "year", (at) => {
      process.send?.({ now: at });
      return new Promise((resolve) => {
        jumped = resolve;
      });
    });
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };
    const random = Math.random;
    const options = {
      config: configSchema.parse(config),
      clock,
      simulatedTime: true,
      log,
      random,
      anonymousBroker: true,
    };
    const daemon = await startDaemon(options);
    process.send?.({ brokerPort: daemon.brokerPort });
  }
  if (runUntil !== undefined) {
    await clock?.runUntil(runUntil);
    process.send?.({ reached: runUntil, rssMb: process.memoryUsage.rss() / 2 ** 20 });
  }
}
