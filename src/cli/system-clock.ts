/** System clock, or a simulated one. */
import { existsSync, readFileSync } from "node:fs";
import type { MonotonicMs } from "../core/fetching/rate-limit.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { Simulated } from "./arguments.ts";

const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";

/** Returns the clock of a process. Monotonic times can be compared within a boot, or within the process if the boot has no id. */
export function systemClock(simulated: Simulated | null): Clock {
  const boot = existsSync(BOOT_ID_FILE) ? readFileSync(BOOT_ID_FILE, "utf8").trim() : null;
  const monotonicMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
  const startedAt = boot === null ? monotonicMs() : 0;
  const source = {
    boot: boot ?? `process ${process.pid} ${Date.now()}`,
    wallMs: Date.now,
    monotonicMs: () => monotonicMs() - startedAt,
  };
  return simulated ? simulatedClock(source, simulated.start ?? Date.now(), simulated.speed) : machineClock(source);
}

/** Clocks of the machine. */
export interface TimeSource {
  readonly boot: string;
  readonly wallMs: () => EpochMs;
  readonly monotonicMs: () => MonotonicMs;
}

/**
 * Longest timer in ms. A wall clock that is set during a sleep is detected within this time. All sleeps share one timer,
 * so that an idle daemon wakes once for all of them.
 */
const MAX_SLICE_MS = 15_000;

/** If the wall clock falls behind the monotonic clock by more than this, it was set back. Less is slewing by NTP. */
const SET_BACK_MS = 5_000;

/** Returns a clock from `start` on, `speed` times as fast as the machine's. Each counts as a boot of its own. */
export function simulatedClock(source: TimeSource, start: EpochMs, speed: number): Clock {
  const began = source.monotonicMs();
  const elapsed = () => (source.monotonicMs() - began) * speed;
  return machineClock(
    { boot: `${source.boot}/simulated-${began}`, wallMs: () => start + elapsed(), monotonicMs: elapsed },
    speed,
  );
}

/** Returns a clock. A sleep ends by the wall clock, even if it is set during the sleep. `speed`: its ms per ms of timers. */
export function machineClock(source: TimeSource, speed = 1): Clock {
  const { boot, wallMs, monotonicMs } = source;
  const aheadMs = () => wallMs() - monotonicMs();
  /** Sleeps in progress: what ends each, its time, and the lead of the wall clock below which it was set back. */
  const sleeps = new Map<() => void, { readonly at: EpochMs; readonly leastAheadMs: number }>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    clearTimeout(timer);
    for (const [wake, { at, leastAheadMs }] of sleeps)
      if ((at <= wallMs() || aheadMs() < leastAheadMs) && sleeps.delete(wake)) wake();
    if (sleeps.size === 0) return;
    const left = Math.min(...Array.from(sleeps.values(), ({ at }) => at)) - wallMs();
    const slice = MAX_SLICE_MS - (monotonicMs() % MAX_SLICE_MS);
    timer = setTimeout(look, Math.ceil(Math.min(slice, Math.max(1, left / speed))));
  };
  return {
    boot,
    now: () => Math.floor(wallMs()),
    monotonicMs,
    async sleepUntil(at, signal) {
      if (signal.aborted || at <= wallMs()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = () => resolve();
      sleeps.set(wake, { at, leastAheadMs: aheadMs() - SET_BACK_MS * speed });
      signal.addEventListener("abort", wake);
      look();
      await promise;
      signal.removeEventListener("abort", wake);
      if (sleeps.delete(wake)) look();
    },
  };
}
