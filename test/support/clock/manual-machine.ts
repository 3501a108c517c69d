import type { KeyValue } from "../../../src/core/runtime/key-value.ts";
import type { RateLimiterClock } from "../../../src/service/client/rate-limiter.ts";
import { TestMemory } from "../storage/test-memory.ts";

/** Machine whose wall clock and monotonic clock the test moves, with storage that survives a reboot. */
export class ManualMachine {
  boot = "first boot";
  wallMs: number;
  upMs = 100_000;
  readonly keptTexts = new Map<string, string>();

  constructor(wallMs: number = Date.UTC(2026, 9, 25, 12)) {
    this.wallMs = wallMs;
  }

  get clock(): RateLimiterClock {
    const machine = this;
    return {
      get boot() {
        return machine.boot;
      },
      now: () => machine.wallMs,
      monotonicMs: () => machine.upMs,
    };
  }

  get memory(): KeyValue {
    return new TestMemory(this.keptTexts);
  }

  advance(ms: number): void {
    this.wallMs += ms;
    this.upMs += ms;
  }

  /** Simulates a reboot after `offMs` milliseconds. The wall clock then shows `wallMs` if given. */
  reboot(offMs: number, wallMs?: number): void {
    this.boot = `${this.boot}, then another`;
    this.wallMs = wallMs ?? this.wallMs + offMs;
    this.upMs = 10;
  }
}
