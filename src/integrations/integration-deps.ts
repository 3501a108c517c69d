import type { Clock } from "../core/runtime/clock.ts";
import type { LoopOptions } from "../core/runtime/run-loop.ts";
import type { Problems } from "../core/status/problem.ts";

/** What every loop of an integration needs. */
export interface IntegrationDeps {
  readonly clock: Clock;
  readonly heartbeat: NonNullable<LoopOptions["heartbeat"]>;
  readonly log: { info(facts: object, text: string): void };
  readonly problems: Pick<Problems, "start" | "end">;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}
