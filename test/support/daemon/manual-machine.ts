import type { KeyValue } from "../../../src/core/runtime/key-value.ts";
import type { RateLimiterClock } from "../../../src/service/client/rate-limiter.ts";

/** A machine whose clocks the test moves, with a memory that outlives its processes. */
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
    return {
      read: (name) => this.keptTexts.get(name) ?? null,
      write: (name, value) => void this.keptTexts.set(name, value),
    };
  }

  advance(ms: number): void {
    this.wallMs += ms;
    this.upMs += ms;
  }

  /** The machine was off for a while, and its wall clock shows `wallMs` where that is given. */
  reboot(offMs: number, wallMs?: number): void {
    this.boot = `${this.boot}, then another`;
    this.wallMs = wallMs ?? this.wallMs + offMs;
    this.upMs = 10;
  }
}
