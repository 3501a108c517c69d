/** The machine's time, or another to live at. */
import { existsSync, readFileSync } from "node:fs";
import type { Simulated } from "./arguments.ts";
import { type Clock, machineClock, simulatedClock } from "./collector/clock.ts";

const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";

/** Monotonic times compare within a boot; where the machine does not name its boots, within this process. */
export function clockOf(simulated: Simulated | null): Clock {
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
